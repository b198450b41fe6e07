"""`Augment`: what stands in a scene beside its robots. Quantities with marks, forces, stops, the hand, guides, words.

view.augment.show("speed", mark="sphere")           any quantity, any mark, at the places it belongs to
view.augment.layers.ellipsoid = True                 what else is drawn
view.augment.tell("temperature", [41.0, …])          a quantity that only somebody else knows
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

import numpy as np

from station.errors import StationError
from station.servo.shared import ReferenceFrame
from station.view.augment.additions import NOTHING, Additions, together
from station.view.augment.distances import Distances
from station.view.augment.ellipsoid import manipulability
from station.view.augment.forces import hand_forces, tool_force
from station.view.augment.guides import scene_guides
from station.view.augment.hand import cursor, device_workspace, seat_of
from station.view.augment.marks import DRAWN, largest_label
from station.view.augment.paths import Paths
from station.view.augment.quantities import quantity_named
from station.view.augment.reading import Reading
from station.view.augment.requests import Requests, Shown
from station.view.augment.stops import limit_tints, stop_gauges, stops_named
from station.view.augment.words import state_lines
from station.view.camera import Camera
from station.view.moment import Link, Moment
from station.view.robot import DrawnRobot

if TYPE_CHECKING:
    from station.view.scene_view import SceneView

Part = Callable[[Reading], Additions]


class Augment(Requests):
    """Keeps what stands beside the robots of a scene.

    Args:
        view: the scene.
    """

    def __init__(self, view: SceneView) -> None:
        super().__init__(view)
        self.notes: list[str] = []  # what was asked for and cannot be known, a line each
        self._moments: dict[str, Moment] = {}  # by robot
        self._paths: Paths | None = None
        self._distances = Distances()
        self._key: object = None  # what `_made` was made from
        self._made = NOTHING

    # What a station says ----------------------------------------------------------------------------------

    def put(self, robot: DrawnRobot, moment: Moment) -> None:
        """Show a moment of the station that moves a robot of the scene; one without a snapshot changes nothing.

        Raises:
            ValueError: it says a number that stands for nothing.
        """
        if moment.snapshot is None:
            return
        self._moments[robot.name] = moment
        if self._paths is None or self._paths.robot is not robot:
            self._paths = Paths(self._view, robot)
        if moment.fresh:
            self._paths.add(moment)
        self._view.status = state_lines(self._reading(robot)) if self.layers.words else []
        if moment.link is Link.ENDED:
            self._view.status.append(Link.ENDED.value)

    def restart(self) -> None:
        """Another station: begin with new paths."""
        self._paths = None
        self._moments.clear()

    def use_theme(self) -> None:
        """The scene has another theme."""
        if self._paths is not None:
            self._paths.use_theme()

    # What is drawn ----------------------------------------------------------------------------------------

    def additions(self, camera: Camera | None = None) -> Additions:
        """All that is drawn, as robots and stations are now; links of the robots are coloured on the way."""
        eye = camera or self._view.camera
        key = self._state(eye)
        if key != self._key:
            self._key, self.notes = key, []
            robots = [self._of(robot, eye) for robot in self._view.robots.values()]
            guides = self._guides() if self.layers.guides else NOTHING
            self._made = together([*robots, guides])
        return self._made

    def _state(self, camera: Camera) -> object:
        """Whatever a picture depends on: where nothing of it has changed, nothing is made anew."""
        turned = tuple(camera.axes().ravel().tolist()) if self._by_view() else ()
        numbers = tuple(
            (name, moment.snapshot.number if moment.snapshot is not None else -1)
            for name, moment in self._moments.items()
        )
        robots = tuple((id(robot), robot.version, robot.measured.stale) for robot in self._view.robots.values())
        return (
            tuple(vars(self.layers).values()),
            self.shown,
            self._changes,
            self._view.theme.name,
            numbers,
            robots,
            turned,
        )

    def _by_view(self) -> bool:
        """Whether a hand moves its robot in the axes of the camera."""
        snapshots = [moment.snapshot for moment in self._moments.values() if moment.snapshot is not None]
        return any(int(snapshot.reference_frame[0]) == ReferenceFrame.VIEW for snapshot in snapshots)

    def _reading(self, robot: DrawnRobot) -> Reading:
        moment, bench = self._moments.get(robot.name, Moment()), self._view.bench
        mechanism = bench[robot.name]
        return Reading(
            robot,
            mechanism,
            self._view.theme,
            moment.snapshot,
            moment.text,
            self._told.get(robot.name, {}),
            seat_of(bench, robot.robot, moment.text.get("device")),
            lambda: self._distances.of(bench, mechanism),
        )

    def _of(self, robot: DrawnRobot, camera: Camera) -> Additions:
        """Everything of one robot; what cannot be drawn becomes a note."""
        reading = self._reading(robot)
        parts = [self._quantity(reading, shown) for shown in self.shown if shown.robot in (None, robot.name)]
        for name, part in self._parts(camera):
            try:
                parts.append(part(reading))
            except (StationError, ValueError, np.linalg.LinAlgError) as error:
                self.notes.append(f"{self._whose(robot)}{name}: not drawn ({error})")
        made = together(parts)
        robot.tint(made.tints, made.opacities)
        return made

    def _parts(self, camera: Camera) -> Iterator[tuple[str, Part]]:
        layers, stops = self.layers, stops_named(self.layers.stops)
        yield "stops", lambda reading: stop_gauges(reading, stops)
        if layers.ellipsoid:
            yield "manipulability", manipulability
        if layers.tool_force:
            yield "force at the tool", tool_force
        if layers.cursor:
            yield "hand", cursor
        if layers.hand_forces:
            yield "forces on the hand", lambda reading: hand_forces(reading, camera)
        if layers.device_workspace:
            yield "workspace of the device", lambda reading: device_workspace(reading, camera)
        if layers.limits:
            yield "limits", limit_tints  # last: nothing paints over a joint that is held back

    def _quantity(self, reading: Reading, shown: Shown) -> Additions:
        quantity = quantity_named(shown.quantity)
        try:
            answer = quantity.read(reading, shown.full)
        except (StationError, ValueError) as error:
            answer = str(error)
        if isinstance(answer, str):
            note = f"{self._whose(reading.robot)}{quantity.words}: not known ({answer})"
            self.notes += [note] if note not in self.notes else []
            return NOTHING
        drawn = DRAWN[shown.mark](answer, reading.theme)
        return drawn._replace(labels=(*drawn.labels, *(largest_label(answer, reading.theme) if shown.number else ())))

    def _whose(self, robot: DrawnRobot) -> str:
        return f"{robot.name}, " if len(self._view.robots) > 1 else ""

    def _guides(self) -> Additions:
        return scene_guides(self._view.bench, self._view.theme, self._view.reach)
