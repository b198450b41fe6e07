"""`Plant`: the mechanics and electrics of a syntaxer, stepped by whoever emulates its firmware."""

from __future__ import annotations

from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from sim_devices.syntaxer.plant import advance
from sim_devices.syntaxer.plant import memory as at
from sim_devices.syntaxer.plant.encoders import read_counters
from sim_devices.syntaxer.plant.energy import stored
from sim_devices.syntaxer.plant.numbers import (
    DISSIPATED,
    HAND_WORK,
    HEAT_SPENT,
    MOTOR_WORK,
    PlantNumbers,
    pack_common,
    pack_joints,
)
from sim_devices.syntaxer.plant.place import look_or_catch
from sim_devices.syntaxer.plant.stops import rotation_vector
from station.devices.syntaxer.geometry import Syntaxer
from station.devices.syntaxer.kernels import layout
from station.devices.syntaxer.kernels.layout import Floats, Whole
from station.devices.syntaxer.packing import pack
from station.devices.syntaxer.rotation import turned_by
from station.devices.syntaxer.translation import survey

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
        self._packed = packed = pack(self.geometry)
        joints, common = pack_joints(self.geometry, self.numbers), pack_common(self.geometry, self.numbers)
        self._parts = (packed.chains, packed.struts, packed.loads, joints, common)
        self._state, self._work = np.zeros((at.STATE_ROWS, at.COLUMNS)), np.zeros((at.WORK_ROWS, at.COLUMNS))
        self._inputs = np.zeros(advance.INPUTS)
        self._noise = np.random.default_rng(seed)
        self._noise_size = self.numbers.current_noise * packed.continuous
        self._measured, self._vector = np.zeros(6), np.zeros(3)
        self._counts: Whole = np.zeros(6, dtype=np.int64)
        self.count_offset: Whole = np.zeros(6, dtype=np.int64)  # added to the counts: lost ones, or near the wrap
        self.source = self.numbers.source  # voltage of the supply without load [V]; set it low for a brown-out
        self._state[at.POSE + 3, 3] = 1.0
        self._state[at.TEMPERATURES] = self.numbers.ambient
        self._state[at.SUPPLY, 0] = self.source
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
        inputs[:6] = currents
        inputs[6:12] = hand_wrench
        inputs[advance.BRAKE] = brake
        inputs[advance.SOURCE] = self.source
        advance.step_plant(*self._parts, self._state, self._work, inputs, dt)
        self._noise.standard_normal(out=self._measured)
        self._measured *= self._noise_size
        self._measured += self._state[at.CURRENTS]

    def _row(self, row: int) -> Floats:
        values: Floats = self._state[row].copy()
        return values

    # Where it is ------------------------------------------------------------------------------------------

    @property
    def counts(self) -> Whole:
        """Six counters as the firmware sees them, 32 bits with sign."""
        packed = self._packed
        read_counters(packed.chains, packed.struts, self._state, packed.home, self.count_offset, self._counts)
        return self._counts.copy()

    @property
    def joints(self) -> Floats:
        """Arm angles [rad] and string paid out by each drum [m]."""
        return self._row(at.JOINTS)

    @property
    def pose(self) -> Floats:
        """Pose of the handle, device frame, 4×4 [m]."""
        return self._state[at.POSE : at.POSE + 4, :4].copy()

    @property
    def position(self) -> Floats:
        """Where the handle is, device frame [m]."""
        return self._state[at.POSE : at.POSE + 3, 3].copy()

    @property
    def rotation_vector(self) -> Floats:
        """How the handle is turned [rad]."""
        rotation_vector(self._state[at.POSE : at.POSE + 3], self._vector)
        return self._vector.copy()

    @property
    def velocity(self) -> Floats:
        """Twist of the handle, device frame [m/s, rad/s]."""
        return self._row(at.VELOCITY)

    @property
    def slack(self) -> tuple[bool, bool, bool]:
        """Which strings hang through: their counters say nothing about the handle."""
        first, second, third = self._state[at.SLACK, :3].tolist()
        return first != 0.0, second != 0.0, third != 0.0

    # Currents, supply, heat -------------------------------------------------------------------------------

    @property
    def currents(self) -> Floats:
        """What really flows in the six windings [A]."""
        return self._row(at.CURRENTS)

    @property
    def measured_currents(self) -> Floats:
        """What the firmware measures of it, with noise [A]; the same until the next step."""
        return self._measured.copy()

    @property
    def temperature(self) -> float:
        """Of the hottest winding [°C]."""
        return float(self._state[at.TEMPERATURES].max())

    @property
    def temperatures(self) -> Floats:
        """Of the six windings [°C]."""
        return self._row(at.TEMPERATURES)

    def heat_to(self, celsius: float) -> None:
        """Make all windings so hot [°C], as a fault; they cool down by themselves."""
        self._state[at.TEMPERATURES] = celsius

    @property
    def supply(self) -> float:
        """Voltage of the motor supply, under load [V]."""
        return float(self._state[at.SUPPLY, 0])

    @property
    def energy(self) -> Energy:
        """Where the energy is, and went since it was placed or has settled [J]."""
        kinetic, potential = stored(*self._parts, self._state, self._work)
        ledger = self._state[at.LEDGER].tolist()
        return Energy(kinetic, potential, ledger[DISSIPATED], ledger[MOTOR_WORK], ledger[HEAT_SPENT], ledger[HAND_WORK])

    # What others do to it ---------------------------------------------------------------------------------

    def place(self, position: ArrayLike, rotation_vector: ArrayLike = (0.0, 0.0, 0.0)) -> None:
        """Put the handle somewhere [m], turned [rad], at rest and without current; ValueError if it cannot be there."""
        found, turned = survey(self._packed, position), turned_by(self._packed, rotation_vector)
        reach = bool(np.all(np.abs(turned.vector) <= self.geometry.paramat.range))
        if not (found.inside and reach):
            raise ValueError(
                f"handle at {position!r} m, turned {rotation_vector!r} rad; allowed: places within all stops"
            )
        state = self._state
        for row in (at.RATES, at.SPIN, at.SLACK, at.CURRENTS, at.VELOCITY, at.LEDGER):
            state[row] = 0.0
        state[at.JOINTS, :3], state[at.JOINTS, 3:] = found.angles[0], turned.lengths
        state[at.POSE : at.POSE + 3, :3] = turned.rotation
        look_or_catch(self._packed.chains, self._packed.struts, state, self._work)

    def load(self, mass: float, place: ArrayLike = (0.0, 0.0, 0.0)) -> None:
        """Fix a mass [kg] to the plate, at a place from the ball [m], instead of any that was; 0: none."""
        own, loads = pack(self.geometry).loads, self._packed.loads
        centre = slice(layout.CENTRE, layout.CENTRE + 3)
        loads[layout.CARRIED], loads[layout.HANDLE] = own[layout.CARRIED] + mass, own[layout.HANDLE] + mass
        loads[centre] = (own[layout.HANDLE] * own[centre] + mass * np.asarray(place)) / loads[layout.HANDLE]

    def settle(self, longest: float = 20.0) -> None:
        """Hang without current, windings shorted, until it stands still, or so long [s]; then forget the energy."""
        nothing = np.zeros(6)
        heat = self._state[at.TEMPERATURES].copy()
        for _ in range(round(longest / SETTLE_STEP)):
            self.step(SETTLE_STEP, nothing, True, nothing)
            if not self._state[at.VELOCITY].any():
                break
        self._state[at.CURRENTS] = 0.0
        self._state[at.TEMPERATURES] = heat
        self._state[at.LEDGER] = 0.0
