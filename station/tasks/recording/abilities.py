"""What the recorded device could do: `replay:` gives its axes and buttons to the station again.

A servo that tells the capabilities of its device in its text is believed. Otherwise they are found by the device's
model; forces do not matter, since a recording cannot be pushed.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from station.devices.device import Axis, AxisKind, Capabilities
from station.devices.falcon.geometry import falcon_capabilities
from station.devices.replay.description import from_text, to_text
from station.devices.software.deflection import cap_capabilities
from station.devices.syntaxer.geometry import Syntaxer

SPRUNG = ("space", "magellan", "panel", "keyboard")  # words in the models of devices that spring back


def abilities_of(text: Mapping[str, Any]) -> str:
    """Capabilities as text, from what a servo says of itself; empty if they are not known."""
    told = text.get("capabilities")
    if isinstance(told, str):
        try:
            return to_text(from_text(told))
        except ValueError:
            return ""
    found = _of_model(text)
    return to_text(found) if found is not None else ""


def _of_model(text: Mapping[str, Any]) -> Capabilities | None:
    model, serial = str(text.get("device_model", "")), str(text.get("device_serial_number", ""))
    buttons = tuple(str(name) for name in text.get("buttons") or ())
    rate = float(text.get("rate") or 1000.0)
    if model == "syntaxer":
        geometry = Syntaxer()
        cylinder, angle = geometry.cylinder, geometry.paramat.range
        across = Axis(kind=AxisKind.ABSOLUTE, low=-cylinder.radius, high=cylinder.radius)
        turn = Axis(kind=AxisKind.INCREMENTAL, low=-angle, high=angle)
        axes = (Axis(kind=AxisKind.ABSOLUTE, low=cylinder.near, high=cylinder.far), across, across, turn, turn, turn)
        return Capabilities(model=model, serial_number=serial, axes=axes, buttons=buttons, grip=True, rate=rate)
    falcon = falcon_capabilities(serial)
    if model == falcon.model:
        return falcon
    if any(word in model.lower() for word in SPRUNG):
        return cap_capabilities(model, buttons, rate, serial)
    return None
