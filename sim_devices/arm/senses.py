"""What the arm knows of itself: encoders that count, speeds from them, and a tool sensor with noise and bias."""

from __future__ import annotations

import math

import numpy as np

from sim_devices.arm.kernels import senses as kernels
from sim_devices.arm.loops import towards
from sim_devices.arm.machine import Floats
from sim_devices.arm.sensor_truth import true_gain
from sim_devices.arm.settings import ArmSettings

AHEAD = 500  # samples of noise that are drawn at once
NONE_STUCK = -1


class Encoders:
    """One encoder per driven joint; each tells whole counts."""

    def __init__(
        self, settings: ArmSettings, prismatic: list[bool], zeros: Floats, ratios: Floats, tick: float
    ) -> None:
        turn = 2.0 * math.pi / 2**settings.encoder_bits
        self._counts = np.array([settings.encoder_length if slides else turn for slides in prismatic])
        self._zeros, self._per_joint, self._tick = zeros, 1.0 / ratios, tick
        self._towards = towards(tick, settings.speed_filter)
        self.measured = np.zeros((2, len(prismatic)))  # rows: q [rad | m], v [rad/s | m/s]
        self.q, self.v = self.measured

    def start(self, true: Floats) -> None:
        """At rest at these joint values [rad | m]."""
        self.sense(true, np.zeros(len(true)))
        self.v[:] = 0.0

    def sense(self, true: Floats, offset: Floats, stuck: int = NONE_STUCK) -> None:
        """Read all encoders; `offset` is what they have lost [rad | m], `stuck` the place of one that stands still."""
        told = true * self._per_joint
        kernels.count(told, offset, self._zeros, self._counts, stuck, self._towards, self._tick, self.measured)


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
        self._tool, self._gravity = tool, gravity
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
        kernels.sense_tool(
            through,
            turn,
            self._tool,
            self._gravity,
            self._towards,
            self.bias,
            self._noises[self._drawn],
            self.unbiased,
            self.wrench,
        )
