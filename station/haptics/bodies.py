"""Mechanics of the devices that are known, by model, as far as they are trusted.

Syntaxer: from its model and the numbers of its emulated plant, the least anywhere in the workspace; nothing is measured
on hardware yet. Damping 0.02 N·m·s/rad and dry friction 0.015 N·m at each arm, through the Jacobian; the encoder step
is that of one arm along an axis, in the middle; delay: 0.5 ms of the firmware's loop, 0.3 ms of the currents.

Falcon: plausible, not measured, and below what its emulator has (1.5 N·s/m, 0.25 N); one exchange takes 1 ms.
"""

from __future__ import annotations

from dataclasses import fields, replace

from station.devices.device import Capabilities
from station.haptics.settings import Body
from station.mad.scene import Haptics

BODIES = {
    "syntaxer": Body(
        damping=0.30,
        turn_damping=0.001,
        friction=0.08,
        mass=0.35,
        resolution=20e-6,
        turn_resolution=37e-6,
        delay=0.8e-3,
    ),
    "Novint Falcon": Body(damping=1.0, friction=0.2, mass=0.25, resolution=60e-6, delay=1e-3),
}


def body_from_device(haptics: Haptics | None, capabilities: Capabilities) -> Body:
    """What is trusted of a device: what the file says, else what is known of its model, else little."""
    known = BODIES.get(capabilities.model, Body())
    if haptics is None or haptics.body is None:
        return known
    said = {part.name: getattr(haptics.body, part.name) for part in fields(Body)}
    return replace(known, **{name: value for name, value in said.items() if value is not None})
