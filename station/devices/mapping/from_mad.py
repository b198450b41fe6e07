"""Mapping settings from what a MAD file says of a device and what the device says of itself."""

from __future__ import annotations

from dataclasses import fields, replace
from typing import Any

import numpy as np

from station.devices.device import DEAD_MAN_NAMES, LOST_AFTER, Axis, AxisKind, Capabilities
from station.devices.mapping.settings import (
    Box,
    Bubble,
    Cylinder,
    Edge,
    Engagement,
    Guide,
    Kinds,
    Locks,
    MappingSettings,
    Region,
    Response,
    Six,
    Triple,
)
from station.devices.parameter import SettingsError
from station.kernel.so3 import rotation_vector
from station.mad.placement import from_angles
from station.mad.scene import Axis as LockedAxis
from station.mad.scene import Bubble as FileBubble
from station.mad.scene import Device, DeviceEdge, MotionKind

NAMES = ("x", "y", "z", "rx", "ry", "rz")
WALL_SHARE = 0.7  # of what the device can give for long: the rest is for the robot to be felt
STIFFNESS_SHARE = 0.5  # of the stiffest spring that the device renders
SMOOTH_RATE = 200.0  # from so many samples per second on steps are too small to matter [Hz]
PERIODS_UNTIL_STALE = 2.5  # a slow device is not lost when one sample is
CYLINDRICAL = ("syntaxer",)  # types whose workspace is the cylinder within the box of their travel
_TAKEN = {MotionKind.ABSOLUTE: AxisKind.ABSOLUTE, MotionKind.INCREMENTAL: AxisKind.INCREMENTAL}


def settings_from_device(device: Device, capabilities: Capabilities) -> MappingSettings:
    """Settings of the mapping; raises a SettingsError where file and device contradict each other."""
    motion = _motion(device, capabilities)
    x, y, z = device.scale if device.scale is not None else (1.0, 1.0, 1.0)
    s, r = device.straight_scale, device.turning_scale
    middle, low, high = _travel(motion, capabilities)
    region = region_of(device.type, capabilities)
    clutch = _button(device.clutch, ("clutch", "index"), "clutch", capabilities)
    return MappingSettings(
        motion=motion,
        scale=(s * x, s * y, s * z, r, r, r),
        middle=middle,
        low=low,
        high=high,
        reference=device.reference,
        locks=_locks(device.lock),
        response=_response(device),
        seat=_seat(device),
        bubble=_bubble(device, region),
        engagement=Engagement(
            dead_man=_dead_man(device, capabilities, (clutch, stop_button(device, capabilities))),
            clutch=clutch,
            period=1.0 / capabilities.rate,
            stale_after=max(LOST_AFTER, PERIODS_UNTIL_STALE / capabilities.rate),
            spread=_spread(capabilities),
        ),
        edge=_edge(device, capabilities, region),
        guide=_guide(capabilities, region),
    )


def _spread(capabilities: Capabilities) -> float:
    """A slow device that points would move the robot in steps; one that pushes must not be felt later [s]."""
    points = any(axis.kind is AxisKind.ABSOLUTE for axis in capabilities.axes)
    slow = points and not capabilities.actuated and capabilities.rate < SMOOTH_RATE
    return 1.0 / capabilities.rate if slow else 0.0


def region_of(kind: str | None, capabilities: Capabilities) -> Region | None:
    """Where the handle can go: the box of its straight travel, or the cylinder within; None if it does not point.

    The syntaxer's cylinder (radius 170 mm, height 150 mm) lies along its shortest axis.
    """
    straight = capabilities.axes[:3]
    if any(axis.kind is not AxisKind.ABSOLUTE or axis.high <= axis.low for axis in straight):
        return None
    x, y, z = (0.5 * (axis.low + axis.high) for axis in straight)
    sizes = [axis.high - axis.low for axis in straight]
    if kind in CYLINDRICAL or capabilities.model.lower() in CYLINDRICAL:
        along = sizes.index(min(sizes))
        across = [size for i, size in enumerate(sizes) if i != along]
        return Cylinder(centre=(x, y, z), radius=0.5 * min(across), length=sizes[along], axis=along)
    return Box(centre=(x, y, z), size=(sizes[0], sizes[1], sizes[2]))


def _motion(device: Device, capabilities: Capabilities) -> Kinds:
    """How each axis is taken: as the file says, else as the device means it; no more than the file says there are."""
    kinds: list[AxisKind] = []
    left = [device.straight_freedoms, device.turning_freedoms]
    for number, axis in enumerate(capabilities.axes):
        kind = axis.kind
        if kind is not AxisKind.NONE:
            left[number // 3] -= 1
            if left[number // 3] < 0:
                kind = AxisKind.NONE
        if device.motion is not None and kind is not AxisKind.NONE:
            kind = _TAKEN[device.motion.translation if number < 3 else device.motion.rotation]
            if axis.kind is AxisKind.INCREMENTAL and kind is AxisKind.ABSOLUTE:
                raise SettingsError(
                    f"device {device.id}: axis {NAMES[number]} of {capabilities.model} springs back, so it is no "
                    f"place; allowed in 'motion': incremental"
                )
        kinds.append(kind)
    a, b, c, d, e, f = kinds
    return a, b, c, d, e, f


def _travel(motion: Kinds, capabilities: Capabilities) -> tuple[Six, Six, Six]:
    """Middle and largest deflections of each axis; a pointing axis that is taken as a speed rests in its middle."""
    middle, low, high = [0.0] * 6, [0.0] * 6, [0.0] * 6
    for i, (kind, axis) in enumerate(zip(motion, capabilities.axes, strict=True)):
        if kind is AxisKind.INCREMENTAL:
            middle[i] = 0.5 * (axis.low + axis.high) if axis.kind is AxisKind.ABSOLUTE else 0.0
            low[i], high[i] = min(axis.low - middle[i], 0.0), max(axis.high - middle[i], 0.0)
    return _six(middle), _six(low), _six(high)


def _six(values: list[float]) -> Six:
    a, b, c, d, e, f = values
    return a, b, c, d, e, f


def _locks(axes: tuple[LockedAxis, ...]) -> Locks:
    a, b, c, d, e, f = (axis in axes for axis in LockedAxis)
    return a, b, c, d, e, f


def _seat(device: Device) -> Triple:
    """From the axes of all our devices (x to the operator, y right, z up) to the seat's (x right, y away, z up)."""
    usual = np.array([[0.0, 1.0, 0.0], [-1.0, 0.0, 0.0], [0.0, 0.0, 1.0]])
    x, y, z = rotation_vector(usual @ from_angles(device.seat)).tolist()
    return x, y, z


def _bubble(device: Device, region: Region | None) -> Bubble:
    """As the file says, around the middle of the workspace."""
    if device.bubble is None:
        return Bubble()
    if region is None:
        raise SettingsError(f"device {device.id} does not point, so it has no 'bubble'; leave it out")
    return replace(Bubble(radius=device.bubble.radius, centre=region.centre), **_given(device.bubble, "radius"))


def _given(block: DeviceEdge | FileBubble, *but: str) -> dict[str, Any]:
    """What a block of the file says, without what it leaves open."""
    names = [item.name for item in fields(block) if item.name not in ("source", *but)]
    return {name: value for name in names if (value := getattr(block, name)) is not None}


def _response(device: Device) -> Response:
    wishes = {
        "dead_zone": device.deadzone,
        "exponent": device.curve,
        "straight_rate": device.straight_rate,
        "turning_rate": device.turning_rate,
    }
    return Response(**{name: value for name, value in wishes.items() if value is not None})


def stop_button(device: Device, capabilities: Capabilities) -> int | None:
    """The button that is an emergency stop, by the file or by its name; None: there is none."""
    return _button(device.estop, ("stop", "estop", "e-stop", "emergency stop"), "estop", capabilities)


def _dead_man(device: Device, capabilities: Capabilities, taken: tuple[int | None, ...]) -> int | None:
    """The button that the file names; else the one named so; else the device's usual one, or the first not taken.

    A device without buttons has none, nor one whose buttons all mean something else.
    """
    button = _button(device.deadman, DEAD_MAN_NAMES, "deadman", capabilities)
    if button is not None:
        return button
    usual = () if capabilities.dead_man is None else (capabilities.dead_man,)
    wishes = (*usual, *range(len(capabilities.buttons)))
    return next((wish for wish in wishes if wish not in taken), None)


def _button(asked: int | None, names: tuple[str, ...], word: str, capabilities: Capabilities) -> int | None:
    """The button that the file names by number; else the one that the device names so; else none."""
    if asked is None:
        return next((i for i, name in enumerate(capabilities.buttons) if name.lower() in names), None)
    if not 0 <= asked < len(capabilities.buttons):
        there = ", ".join(f"{i} ({name})" for i, name in enumerate(capabilities.buttons)) or "none, leave it out"
        raise SettingsError(f"'{word}' is button {asked}, which {capabilities.model} does not have; allowed: {there}")
    return asked


def _pushed(capabilities: Capabilities) -> tuple[Axis, ...]:
    """The straight axes if all of them can push, else none: a wall that gives way sideways would mislead."""
    straight = capabilities.axes[:3]
    return straight if all(axis.actuated for axis in straight) else ()


def _edge(device: Device, capabilities: Capabilities, region: Region | None) -> Edge:
    """The wall, within what the device can give and what the file allows; none where nothing can push."""
    pushed = _pushed(capabilities)
    if region is None or not pushed:
        return Edge()
    edge = Edge()
    force = min([edge.force, *(WALL_SHARE * axis.force for axis in pushed)])
    if device.haptics is not None and device.haptics.force is not None:
        force = min(force, device.haptics.force)
    springs = [STIFFNESS_SHARE * axis.stiffness for axis in pushed if axis.stiffness > 0.0]
    smallest = min(region.halves(0.0)[: 3 if isinstance(region, Box) else 2])
    margin = min(edge.margin, 0.2 * smallest)  # a small device keeps most of its travel
    edge = replace(edge, region=region, margin=margin, force=force, stiffness=min([edge.stiffness, *springs]))
    return edge if device.edge is None else replace(edge, **_given(device.edge))


def _guide(capabilities: Capabilities, region: Region | None) -> Guide:
    """Towards the middle; with a force only where all straight axes can push."""
    guide = Guide()
    start: Triple = region.centre if region is not None else guide.start
    force = min([guide.force, *(0.5 * axis.force for axis in _pushed(capabilities))]) if _pushed(capabilities) else 0.0
    return replace(guide, start=start, force=force)
