"""`Plant`: the mechanics and electrics of a syntaxer, stepped by whoever emulates its firmware."""

from __future__ import annotations

from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from sim_devices.syntaxer.plant.energy import stored
from sim_devices.syntaxer.plant.numbers import PlantNumbers, physics_of
from sim_devices.syntaxer.plant.place import look_or_catch, read_counters
from sim_devices.syntaxer.plant.state import Inputs, PlantState, Work
from sim_devices.syntaxer.plant.step import step_plant
from station.devices.syntaxer.geometry import Syntaxer
from station.devices.syntaxer.rotation import turned_by
from station.devices.syntaxer.state import parts_of
from station.devices.syntaxer.translation import survey
from station.kernel import Floats, Ints
from station.kernel.so3 import write_vector

SETTLE_STEP = 0.02  # [s]


class Energy(NamedTuple):
    """Where energy is and where it went since the start [J]; `balance` stays what it was."""

    kinetic: float
    potential: float  # weight, balancer, springs, stops that are pressed
    dissipated: float  # friction, dampers, stops, strings that were caught
    motor_work: float  # of the currents on the mechanics
    heat: float  # of the currents in the windings
    hand_work: float

    @property
    def electrical(self) -> float:
        """What the amplifiers gave to the motors [J]."""
        return self.motor_work + self.heat

    @property
    def balance(self) -> float:
        """Constant, but for errors of integration [J]."""
        return self.kinetic + self.potential + self.dissipated - self.motor_work - self.hand_work


class Plant:
    """One syntaxer. At first it hangs at rest without current, or stands in the middle of its workspace."""

    def __init__(
        self,
        geometry: Syntaxer | None = None,
        seed: int = 0,
        *,
        start: Literal["rest", "middle"] = "rest",
        numbers: PlantNumbers | None = None,
    ) -> None:
        self.geometry, self.numbers = geometry or Syntaxer(), numbers or PlantNumbers()
        self._parts, self._physics = parts_of(self.geometry), physics_of(self.geometry, self.numbers)
        self._state, self._work, self._inputs = PlantState(), Work(), Inputs()
        self._noise = np.random.default_rng(seed)
        self._noise_size = self.numbers.current_noise * self._parts.continuous
        self._measured = np.zeros(6)
        self._counts: Ints = np.zeros(6, dtype=np.int64)
        self.count_offset: Ints = np.zeros(6, dtype=np.int64)  # added to the counts: lost ones, or near the wrap
        self.source = self.numbers.source  # voltage of the supply without load [V]; set it low for a brown-out
        self._state.pose[3, 3] = 1.0
        self._state.temperatures[:] = self.numbers.ambient
        self._state.supply = self.source
        cylinder = self.geometry.cylinder
        self.place((0.5 * (cylinder.near + cylinder.far), 0.0, 0.0))
        self.step(0.0, self._measured, False, np.zeros(6))  # so that no tick has to compile anything
        if start == "rest":
            self.settle()

    def step(self, dt: float, currents: ArrayLike, brake: bool, hand_wrench: ArrayLike) -> None:
        """Live for `dt` [s] with commanded currents [A], windings shorted or not, and a wrench of the hand.

        The wrench [N, N·m] acts on the handle, at the ball, device frame, and stays the same during the step. What is
        not finite counts as zero, what is too large is cut.
        """
        inputs = self._inputs
        inputs.commanded[:] = currents
        inputs.wrench[:] = hand_wrench
        inputs.brake, inputs.source = brake, self.source
        step_plant(self._parts, self._physics, self._state, self._work, inputs, dt)
        self._noise.standard_normal(out=self._measured)
        self._measured *= self._noise_size
        self._measured += self._state.currents

    # Where it is ------------------------------------------------------------------------------------------

    @property
    def counts(self) -> Ints:
        """Six counters as the firmware sees them, 32 bits with sign."""
        read_counters(self._parts, self._state, self.count_offset, self._counts)
        return self._counts.copy()

    @property
    def joints(self) -> Floats:
        """Arm angles [rad] and string paid out by each drum [m]."""
        return self._state.joints.copy()

    @property
    def pose(self) -> Floats:
        """Pose of the handle, device frame, 4×4 [m]."""
        return self._state.pose.copy()

    @property
    def position(self) -> Floats:
        """Where the handle is, device frame [m]."""
        return self._state.pose[:3, 3].copy()

    @property
    def rotation_vector(self) -> Floats:
        """How the handle is turned [rad]."""
        vector = np.zeros(3)
        write_vector(self._state.pose, vector)
        return vector

    @property
    def velocity(self) -> Floats:
        """Twist of the handle, device frame [m/s, rad/s]."""
        return self._state.velocity.copy()

    @property
    def slack(self) -> tuple[bool, bool, bool]:
        """Which strings hang through: their counters say nothing about the handle."""
        first, second, third = self._state.slack.tolist()
        return first, second, third

    # Currents, supply, heat -------------------------------------------------------------------------------

    @property
    def currents(self) -> Floats:
        """What really flows in the six windings [A]."""
        return self._state.currents.copy()

    @property
    def measured_currents(self) -> Floats:
        """What the firmware measures of it, with noise [A]; the same until the next step."""
        return self._measured.copy()

    @property
    def temperature(self) -> float:
        """Of the hottest winding [°C]."""
        return float(self._state.temperatures.max())

    @property
    def temperatures(self) -> Floats:
        """Of the six windings [°C]."""
        return self._state.temperatures.copy()

    def heat_to(self, celsius: float) -> None:
        """Make all windings so hot [°C], as a fault; they cool down by themselves."""
        self._state.temperatures[:] = celsius

    @property
    def supply(self) -> float:
        """Voltage of the motor supply, under load [V]."""
        return self._state.supply

    @property
    def energy(self) -> Energy:
        """Where the energy is, and went since it was placed or has settled [J]."""
        kinetic, potential = stored(self._parts, self._physics, self._state, self._work)
        ledger = self._state.ledger
        return Energy(kinetic, potential, ledger.dissipated, ledger.motor_work, ledger.heat, ledger.hand_work)

    # What others do to it ---------------------------------------------------------------------------------

    def place(self, position: ArrayLike, rotation_vector: ArrayLike = (0.0, 0.0, 0.0)) -> None:
        """Put the handle somewhere [m], turned [rad], at rest and without current; ValueError if it cannot be there."""
        found, turned = survey(self._parts, position), turned_by(self._parts, rotation_vector)
        reach = bool(np.all(np.abs(turned.vector) <= self.geometry.paramat.range))
        if not (found.inside and reach):
            raise ValueError(
                f"handle at {position!r} m, turned {rotation_vector!r} rad; allowed: places within all stops"
            )
        state = self._state
        for array in (state.rates, state.spin, state.slack, state.currents, state.velocity):
            array[:] = 0
        state.ledger.reset()
        state.joints[:3], state.joints[3:] = found.angles[0], turned.lengths
        state.pose[:3, :3] = turned.rotation
        look_or_catch(self._parts, state, self._work)

    def load(self, mass: float, place: ArrayLike = (0.0, 0.0, 0.0)) -> None:
        """Fix a mass [kg] to the plate, at a place from the ball [m], instead of any that was; 0: none."""
        own, loads = parts_of(self.geometry).loads, self._parts.loads
        loads.carried, loads.handle = own.carried + mass, own.handle + mass
        loads.centre[:] = (own.handle * own.centre + mass * np.asarray(place)) / loads.handle

    def settle(self, longest: float = 20.0) -> None:
        """Hang without current, windings shorted, until it stands still, or so long [s]; then forget the energy."""
        nothing = np.zeros(6)
        heat = self._state.temperatures.copy()
        for _ in range(round(longest / SETTLE_STEP)):
            self.step(SETTLE_STEP, nothing, True, nothing)
            if not self._state.velocity.any():
                break
        self._state.currents[:] = 0.0
        self._state.temperatures[:] = heat
        self._state.ledger.reset()
