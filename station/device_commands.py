"""`station devices` and `station emulate`: what is plugged in, what is emulated, and a first look at a device."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from station.clock import WALL
from station.devices import Capabilities, Device, Found, open_device, schemes
from station.devices.device import Sample

AXES = ("x", "y", "z", "turn x", "turn y", "turn z")
LINE = 0.1  # time between two lines about a device [s]


def found_devices() -> tuple[list[Found], list[str]]:
    """All that the known schemes see, and what kept one of them from looking."""
    found: list[Found] = []
    troubles: list[str] = []
    for name, entry in schemes().items():
        try:
            found += entry.load().find()
        except Exception as error:  # a third party's scheme must not hide the others
            troubles.append(f"{name}: {type(error).__name__}: {error}")
    return found, troubles


def found_data(found: Iterable[Found], troubles: list[str]) -> dict[str, Any]:
    """For programs."""
    return {"devices": [device._asdict() for device in found], "troubles": troubles}


def found_text(found: list[Found], troubles: list[str]) -> str:
    """For people: real and emulated devices apart."""
    lines = []
    for title, emulated in (("real", False), ("emulated", True)):
        group = [device for device in found if device.emulated is emulated]
        lines.append(f"{title}:")
        width = max((len(device.url) for device in group), default=0)
        lines += [f"  {device.url:<{width}}  {device.model}  {device.detail}".rstrip() for device in group]
        if not group:
            lines.append("  none found; is it plugged in and switched on?")
    lines += [f"could not look: {trouble}" for trouble in troubles]
    return "\n".join([*lines, "", "look at one with: station devices URL"])


def capabilities_data(capabilities: Capabilities) -> dict[str, Any]:
    """For programs; SI units."""
    axes = [
        {"axis": name, **{key: getattr(axis, key) for key in ("kind", "low", "high", "force", "peak", "stiffness")}}
        for name, axis in zip(AXES, capabilities.axes, strict=True)
    ]
    keys = ("model", "serial_number", "rate", "grip", "homing", "dead_man")
    return {**{key: getattr(capabilities, key) for key in keys}, "buttons": list(capabilities.buttons), "axes": axes}


def capabilities_text(capabilities: Capabilities) -> str:
    """For people; mm and degrees."""
    number = f" {capabilities.serial_number}" if capabilities.serial_number else ""
    lines = [f"{capabilities.model}{number}, {capabilities.rate:g} samples/s"]
    for index, (name, axis) in enumerate(zip(AXES, capabilities.axes, strict=True)):
        if axis.kind != "none":
            scale, unit, push = (1000.0, "mm", "N") if index < 3 else (180.0 / np.pi, "°", "N·m")
            ends = f"{scale * axis.low:.4g} … {scale * axis.high:.4g} {unit}"
            force = (
                f", {axis.force:.3g} {push} for long, {axis.peak:.3g} for a moment"
                if axis.actuated
                else ", not actuated"
            )
            lines.append(f"  {name:<6}  {axis.kind:<11}  {ends}{force}")
    lines.append(f"  buttons {', '.join(capabilities.buttons) or 'none'}; grip {'yes' if capabilities.grip else 'no'}")
    if capabilities.dead_man is not None:
        lines.append(f"  hold {capabilities.button_words(capabilities.dead_man)} to engage, unless a file says another")
    return "\n".join(lines)


def sample_text(sample: Sample) -> str:
    """A sample on one line."""
    place = " ".join(f"{1000.0 * value:8.2f}" for value in sample.pose[:3, 3])
    speed = float(np.linalg.norm(sample.velocity[:3]))
    return f"{place} mm  {1000.0 * speed:7.1f} mm/s  buttons {sample.buttons:04b}  grip {sample.grip:.2f}"


def watch(device: Device, seconds: float, say: Callable[[str], object]) -> int:
    """Show samples for so long [s], without force; returns how many came."""
    count, end, next_line, status = 0, WALL.now() + seconds, 0.0, None
    while WALL.now() < end:
        sample = device.newest()
        device.command(np.zeros(6))
        if device.status is not status:
            status = device.status
            say(f"{status}{': ' if device.reason else ''}{device.reason}")
        if sample is not None:
            count += 1
            if sample.arrival >= next_line:
                next_line = sample.arrival + LINE
                say(sample_text(sample))
        WALL.sleep_until(WALL.now() + 0.0005)
    return count


__all__ = [
    "capabilities_data",
    "capabilities_text",
    "found_data",
    "found_devices",
    "found_text",
    "open_device",
    "watch",
]
