"""`Augment`: what stands in a scene beside its robots. Quantities with marks, forces, stops, the hand, guides, words.

view.augment.show("speed", mark="sphere")           any quantity, any mark, at the places it belongs to
view.augment.layers.ellipsoid = True                 what else is drawn
view.augment.tell("temperature", [41.0, …])          a quantity that only somebody else knows
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from types import ModuleType
from typing import TYPE_CHECKING

import numpy as np

from station.errors import StationError
from station.view.augment.additions import NOTHING, Additions, together
from station.view.augment.distances import Distances
from station.view.augment.ellipsoid import manipulability
from station.view.augment.guides import scene_guides
from station.view.augment.marks import DRAWN, largest_label
from station.view.augment.quantities import quantity_named
from station.view.augment.reading import Reading
from station.view.augment.requests import Requests, Shown
from station.view.augment.stops import stop_gauges, stops_named
from station.view.camera import Camera
from station.view.robot import DrawnRobot

if TYPE_CHECKING:
    from station.collision import Surroundings
    from station.servo.shared.signs import Signs
    from station.view.augment.paths import Paths
    from station.view.moment import Moment
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
        self._moments: dict[tuple[str, str], Moment] = {}  # by robot, and by the hand that leads it
        self.signs: tuple[str, ...] = ()  # of the arm's force sensor, in words
        self._signs: dict[str, Signs] = {}  # by hand
        self._paths: dict[str, Paths] = {}
        self._live: ModuleType | None = None  # loaded with the first station
        self._distances = Distances()
        self._key: object = None  # what `_made` was made from
        self._made = NOTHING

    # What a station says ----------------------------------------------------------------------------------

    def put(self, robot: DrawnRobot, moment: Moment, who: str = "", chosen: bool = True) -> None:
        """Show a moment of the station that moves a robot of the scene; one without a snapshot changes nothing.

        Args:
            robot: that is moved.
            moment: of the part that moves it.
            who: name of that part; empty: there is no other.
            chosen: whether the words in the picture are about it.

        Raises:
            ValueError: it says a number that stands for nothing.
        """
        from station.view.augment import live  # takes a second to load; pictures without a station need none of it

        if moment.snapshot is None:
            return
        self._live = live
        self._moments[robot.name, who] = moment
        paths = self._paths.get(who)
        if paths is None or paths.robot is not robot:
            paths = self._paths[who] = live.Paths(self._view, robot, who)
        if moment.fresh:
            paths.add(moment)
        signs = live.follow_signs(self._signs.setdefault(who, live.Signs()), moment)
        if chosen:
            self.signs = signs
            lines = live.status_lines(self._reading(robot, moment), moment, signs, who) if self.layers.words else []
            self._view.status = lines

    def restart(self) -> None:
        """Another station: begin with new paths."""
        for paths in self._paths.values():
            paths.remove()
        self._paths.clear()
        self._signs.clear()
        self.signs = ()
        self._moments.clear()

    def use_theme(self) -> None:
        """The scene has another theme."""
        for paths in self._paths.values():
            paths.use_theme()

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
        snapshots = {name: moment.snapshot for name, moment in self._moments.items()}
        by_view = self._live is not None and any(map(self._live.moved_by_view, snapshots.values()))
        turned = tuple(camera.axes().ravel().tolist()) if by_view else ()
        numbers = tuple((name, item.number) for name, item in snapshots.items() if item is not None)
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

    def _readings(self, robot: DrawnRobot) -> tuple[list[Reading], list[Reading]]:
        """What is known of a robot, at least one; and by the hands that are there, several on one robot."""
        parts = [(who, moment) for (name, who), moment in self._moments.items() if name == robot.name]
        known = [self._reading(robot, moment) for _who, moment in parts] or [self._reading(robot)]
        led = [reading for reading, (who, moment) in zip(known, parts, strict=False) if not who or moment.leads]
        return known, led

    def _reading(self, robot: DrawnRobot, moment: Moment | None = None) -> Reading:
        bench, told = self._view.bench, self._told.get(robot.name, {})
        mechanism, theme = bench[robot.name], self._view.theme

        def around() -> Surroundings | str:
            return self._distances.of(bench, mechanism)

        if moment is None or self._live is None:
            return Reading(robot, mechanism, theme, told=told, surroundings=around)
        seat = self._live.seat_of(bench, robot.robot, moment.text.get("device"))
        return Reading(robot, mechanism, theme, moment.snapshot, moment.text, told, seat, around)

    def _of(self, robot: DrawnRobot, camera: Camera) -> Additions:
        """Everything of one robot; what cannot be drawn becomes a note."""
        known, led = self._readings(robot)
        parts = [self._quantity(known[0], shown) for shown in self.shown if shown.robot in (None, robot.name)]
        for name, part, each_hand in self._parts(camera):
            for reading in led if each_hand else known[:1]:
                try:
                    parts.append(part(reading))
                except (StationError, ValueError, np.linalg.LinAlgError) as error:
                    self.notes.append(f"{self._whose(robot)}{name}: not drawn ({error})")
        made = together(parts)
        robot.tint(made.tints, made.opacities)
        return made

    def _parts(self, camera: Camera) -> Iterator[tuple[str, Part, bool]]:
        """What stands at a robot, with its name; True: for each hand."""
        layers, stops = self.layers, stops_named(self.layers.stops)
        yield "stops", lambda reading: stop_gauges(reading, stops), False
        if layers.ellipsoid:
            yield "manipulability", manipulability, False
        if self._live is not None:
            yield from self._live.live_parts(layers, camera)

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
