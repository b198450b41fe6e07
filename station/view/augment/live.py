"""What a running station puts beside its robot. Loaded with the first station: shared state takes a second to load."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from station.servo.shared import ReferenceFrame, Snapshot
from station.servo.shared.signs import Signs
from station.view.augment.additions import Additions
from station.view.augment.forces import hand_forces, tool_force
from station.view.augment.hand import cursor, device_workspace, seat_of
from station.view.augment.paths import Paths
from station.view.augment.reading import Reading
from station.view.augment.requests import Layers
from station.view.augment.stops import limit_tints
from station.view.augment.words import state_lines
from station.view.camera import Camera
from station.view.moment import Link, Moment

__all__ = ["Paths", "Signs", "follow_signs", "live_parts", "moved_by_view", "seat_of", "status_lines"]


def live_parts(layers: Layers, camera: Camera) -> Iterator[tuple[str, Callable[[Reading], Additions], bool]]:
    """Everything that stands at a robot which a station moves, by what it is called in notes; True: for each hand."""
    if layers.tool_force:
        yield "force at the tool", tool_force, False
    if layers.cursor:
        yield "hand", cursor, True
    if layers.hand_forces:
        yield "forces on the hand", lambda reading: hand_forces(reading, camera), True
    if layers.device_workspace:
        yield "workspace of the device", lambda reading: device_workspace(reading, camera), True
    if layers.limits:
        yield "limits", limit_tints, False  # last: nothing paints over a joint that is held back


def moved_by_view(snapshot: Snapshot | None) -> bool:
    """Whether a hand moves its robot in the axes of the camera."""
    return snapshot is not None and int(snapshot.reference_frame[0]) == ReferenceFrame.VIEW


def follow_signs(signs: Signs, moment: Moment) -> tuple[str, ...]:
    """Signs of the arm's force sensor that stand after a moment, in words."""
    if moment.armless:
        return ()
    if moment.fresh and len(moment.records):
        signs.add(moment.recorded("reflection_status")[:, 0], moment.recorded("time")[:, 0])
    elif moment.fresh and moment.snapshot is not None:  # all that there is of the first tick that is seen
        signs.add(moment.snapshot.reflection_status, moment.snapshot.time)
    return tuple(sign.told for sign in signs.standing)


def status_lines(reading: Reading, moment: Moment, signs: Sequence[str] = (), who: str = "") -> list[str]:
    """The state of the station in words, of whose part if there are several, and its end."""
    first, *lines = state_lines(reading, signs)
    ended = [Link.ENDED.value] if moment.link is Link.ENDED else []
    return [f"{who}: {first}" if who else first, *lines, *ended]
