"""A device with one axis and the hand that holds it; any other plant with the same three verbs can take its place."""

from __future__ import annotations

from typing import Protocol

from station.kernel import Record, entry, field

FINE = 12.5e-6  # step of the physics [s]


class Device(Record):
    """One axis of a haptic device."""

    mass: float = field("kg", default=0.15)
    damping: float = field("N·s/m", "viscous", default=1.0)
    friction: float = field("N", "dry", default=0.1)
    quantum: float = field("m", "encoder step", default=30e-6)


class Grip(Record):
    """How a hand holds the handle: a mass that moves with it, spring and damper to where the hand wants to be."""

    mass: float = field("kg")
    stiffness: float = field("N/m")
    damping: float = field("N·s/m")


GRIPS = {
    "loose": Grip(mass=0.05, stiffness=200.0, damping=1.0),
    "tight": Grip(mass=0.3, stiffness=200.0, damping=10.0),
}


class Plant(Protocol):
    """What the benchmark needs of device and hand: the emulated syntaxer can be put behind it likewise."""

    @property
    def place(self) -> float:
        """Where the handle truly is [m]."""

    @property
    def energy(self) -> float:
        """What the hand has put into the port so far: into forces and the device's own losses [J]."""

    def read(self) -> float:
        """Where the encoders say that it is [m]."""

    def advance(self, force: float, seconds: float, wanted: float) -> None:
        """Hold a force on the handle [N] for some time, while the hand wants to be somewhere [m]."""


class OneAxis:
    """Mass, damping, dry friction that sticks, encoder; hand as mass, spring and damper."""

    def __init__(self, device: Device, grip: Grip, _period: float) -> None:
        self._device, self._grip = device, grip
        self._place, self._speed, self.energy = -0.03, 0.0, 0.0

    @property
    def place(self) -> float:
        """Where the handle truly is [m]."""
        return self._place

    def read(self) -> float:
        """Rounded to encoder steps [m]."""
        return round(self._place / self._device.quantum) * self._device.quantum

    def advance(self, force: float, seconds: float, wanted: float) -> None:
        """Hold a force."""
        self._place, self._speed, self.energy = _advance(
            self._place, self._speed, self.energy, force, seconds, wanted, self._device, self._grip
        )


@entry(inline=True)
def _advance(
    place: float,
    speed: float,
    energy: float,
    force: float,
    seconds: float,
    wanted: float,
    device: Device,
    grip: Grip,
) -> tuple[float, float, float]:
    """Semi-implicit steps; friction takes at most what stops the mass. Energy: into forces and losses of the device."""
    steps = round(seconds / FINE)
    mass = device.mass + grip.mass
    for _ in range(steps):
        kick = force + grip.stiffness * (wanted - place)
        free = (speed + FINE * kick / mass) / (1.0 + FINE * (device.damping + grip.damping) / mass)
        slow = FINE * device.friction / mass
        speed = 0.0 if abs(free) <= slow else free - (slow if free > 0.0 else -slow)
        step = FINE * speed
        place += step
        energy += -force * step + device.damping * speed * step + device.friction * abs(step)
    return place, speed, energy
