"""What the arm knows of itself: encoders that count, speeds from them, and a tool sensor with noise and bias."""

from __future__ import annotations

import math

import numpy as np

from sim_devices.arm.machine import Floats
from sim_devices.arm.sensor_truth import true_gain
from sim_devices.arm.settings import ArmSettings
from station.kernel import Floats1, Record, entry, field

AHEAD = 500  # samples of noise that are drawn at once
NONE_STUCK = -1


def towards(tick: float, lag: float) -> float:
    """Share of the way that a first-order lag [s] goes in one tick [s]."""
    return 1.0 - math.exp(-tick / lag) if lag > 0.0 else 1.0


class Measured(Record):
    """What the encoders tell; n joints."""

    q: Floats1 = field("rad | m", shape="n")
    v: Floats1 = field("rad/s | m/s", shape="n")


class Encoders:
    """One encoder per driven joint; each tells whole counts."""

    def __init__(
        self, settings: ArmSettings, prismatic: list[bool], zeros: Floats, ratios: Floats, tick: float
    ) -> None:
        turn = 2.0 * math.pi / 2**settings.encoder_bits
        self._counts = np.array([settings.encoder_length if slides else turn for slides in prismatic])
        self._zeros, self._per_joint, self._tick = zeros, 1.0 / ratios, tick
        self._towards = towards(tick, settings.speed_filter)
        self.measured = Measured(n=len(prismatic))
        self.q, self.v = self.measured.q, self.measured.v

    def start(self, true: Floats) -> None:
        """At rest at these joint values [rad | m]."""
        self.sense(true, np.zeros(len(true)))
        self.v[:] = 0.0

    def sense(self, true: Floats, offset: Floats, stuck: int = NONE_STUCK) -> None:
        """Read all encoders; `offset` is what they have lost [rad | m], `stuck` the place of one that stands still."""
        told = true * self._per_joint
        count(told, offset, self._zeros, self._counts, stuck, self._towards, self._tick, self.measured)


class Ammeter:
    """Efforts of the motors, by their currents: with noise."""

    def __init__(self, settings: ArmSettings, seed: int, count: int) -> None:
        self._random, self._share, self._count = np.random.default_rng([seed, 8]), settings.effort_noise, count

    def told(self, given: Floats, limits: Floats) -> Floats:
        """What is told of efforts [N·m | N], whose largest are `limits`."""
        if self._share == 0.0:
            return given.copy()
        return np.asarray(given + self._share * limits * self._random.normal(size=self._count))


class ToolSensor:
    """Force and torque on the tool, in the frame of the tool: what is not the tool's own weight."""

    def __init__(self, settings: ArmSettings, seed: int, tick: float, tool: Floats, gravity: float) -> None:
        """Make a sensor; `tool` is mass [kg] and centre [m] as the controller knows them."""
        self._random = np.random.default_rng([seed, 1])
        spread = np.repeat([settings.force_bias, settings.torque_bias], 3)
        self.bias = self._random.normal(size=6) * spread
        self._noise = np.repeat([settings.force_noise, settings.torque_noise], 3)
        self._towards = towards(tick, settings.wrench_filter)
        self._mass, self._centre, self._gravity = float(tool[0]), tool[1:4].copy(), gravity
        self._gain = true_gain(settings, seed) if settings.wrong_gain > 0.0 else None
        self._noises, self._drawn = np.zeros((0, 6)), 0
        self.unbiased = np.zeros(6)  # without noise and bias, which a controller takes away when it is zeroed [N, N·m]
        self.wrench = np.zeros(6)

    def sense(self, through: Floats, turn: Floats) -> None:
        """Measure.

        Args:
            through: force and torque that the arm gives the tool, in the frame of the tool [N, N·m].
            turn: rotation of the tool in the world, nine numbers by rows.
        """
        if self._gain is not None:
            through = self._gain @ through
        self._drawn += 1
        if self._drawn >= len(self._noises):
            self._noises, self._drawn = self._noise * self._random.normal(size=(AHEAD, 6)), 0
        sense_tool(
            through,
            turn,
            self._mass,
            self._centre,
            self._gravity,
            self._towards,
            self.bias,
            self._noises[self._drawn],
            self.unbiased,
            self.wrench,
        )


@entry
def count(
    true: Floats1,
    offset: Floats1,
    zeros: Floats1,
    counts: Floats1,
    stuck: int,
    towards: float,
    tick: float,
    measured: Measured,
) -> None:
    """Encoders and speeds from them, into `measured`; `stuck` is the place of one that stands still."""
    q, v = measured.q, measured.v
    for i in range(true.size):
        before = q[i]
        if i != stuck:
            q[i] = np.rint((true[i] + offset[i] + zeros[i]) / counts[i]) * counts[i]
        v[i] += towards * ((q[i] - before) / tick - v[i])


@entry
def sense_tool(
    through: Floats1,
    turn: Floats1,
    mass: float,
    centre: Floats1,
    gravity: float,
    towards: float,
    bias: Floats1,
    noise: Floats1,
    smooth: Floats1,
    wrench: Floats1,
) -> None:
    """What acts on the tool: all that goes through it but its own weight, smoothed; its mass [kg] and centre [m]."""
    x, y, z = (-mass * gravity * turn[6], -mass * gravity * turn[7], -mass * gravity * turn[8])
    weight = (x, y, z, centre[1] * z - centre[2] * y, centre[2] * x - centre[0] * z, centre[0] * y - centre[1] * x)
    for i in range(6):
        smooth[i] += towards * (-through[i] - weight[i] - smooth[i])
        wrench[i] = smooth[i] + bias[i] + noise[i]
