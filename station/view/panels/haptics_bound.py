"""How stiff the coupling may be, worked out as the servo does it: from the file, the device's model and the rate."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from station.bench import Bench
from station.devices.device import Axis, AxisKind, Capabilities
from station.errors import StationError
from station.haptics import Method, gains_from_device
from station.servo.shared import Cause, Snapshot


class Spring(NamedTuple):
    """The coupling's spring against its bound."""

    stiffness: float  # as designed [N/m]
    bound: float  # largest that damping, period and encoders allow [N/m]
    text: str  # both, with the formula
    method: Method

    def told(self, gain: float) -> str:
        """The spring at a gain, and what that means."""
        now = gain * self.stiffness
        if now <= self.bound:
            return f"now {now:.0f} N/m, largest stable {self.bound:.0f} N/m"
        if self.method is Method.COUPLING_ONLY:
            return f"now {now:.0f} N/m, BEYOND the largest stable {self.bound:.0f} N/m: it may tremble"
        return f"now {now:.0f} N/m, beyond {self.bound:.0f} N/m: {self.method} takes the difference away"

    def is_beyond(self, gain: float) -> bool:
        """Whether a gain makes it stiffer than the bound."""
        return gain * self.stiffness > self.bound


def spring_of(bench: Bench, text: Mapping[str, Any]) -> Spring | None:
    """The spring of the station that said `text`; None if it is not known what device it has.

    What the device says of its own stiffest spring is not in the text; where that is the limit, the spring is softer.
    """
    from station.mad.leading import leads_of
    from station.servo.rig import robot_of  # loads much that a plain window never needs

    if not text.get("device_model") or not text.get("rate"):
        return None
    pushes = Axis(kind=AxisKind.ABSOLUTE, force=1.0)
    capabilities = Capabilities(
        model=str(text["device_model"]),
        axes=(pushes, pushes, pushes, pushes, pushes, pushes),
        rate=float(text["rate"]),
    )
    try:
        method = Method(text["method"])
        leads, _ = leads_of(bench, [robot_of(bench, text.get("robot")).name])
        haptics = next((lead for lead in leads if lead.name == text.get("part")), leads[0]).device.haptics
        gains = gains_from_device(haptics, capabilities, method=method)
    except (StationError, ValueError, KeyError):  # another release says what this one does not know
        return None
    return Spring(gains.straight.chosen, gains.straight.bound, gains.text, method)


def passivity_told(snapshot: Snapshot) -> list[str]:
    """What the method of stability lets through and took, and what energy is left."""
    ratio, taken = float(snapshot.passivity_ratio[0]), float(snapshot.energy_parts[Cause.PASSIVITY])
    generated = max(0.0, -float(snapshot.energy_lowest[0]))
    return [
        f"passivity lets {100.0 * ratio:.0f} % of the force through and took {1e3 * taken:.2f} mJ so far",
        f"{1e3 * float(snapshot.energy_available[0]):.2f} mJ may be given back to the hand; "
        + (f"{1e3 * generated:.3f} mJ were generated" if generated > 0.0 else "none was ever generated"),
    ]
