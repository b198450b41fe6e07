"""`Redraw`: keeps the picture as the design is."""

from __future__ import annotations

from station.errors import StationError
from station.mad.scene import BASE_ID
from station.view.design.model import Design
from station.view.geometry.robot import world_body
from station.view.robot import DrawnRobot, drawn_robot, followed, poses_of, stand
from station.view.scene_view import SceneView


class Redraw:
    """Puts what has changed in a design into a scene.

    New bodies take longer than a frame: while geometry changes, the bodies that are there go along with their links,
    and are made anew by `settle`.

    Args:
        view: the scene.
        design: the design.
    """

    def __init__(self, view: SceneView, design: Design) -> None:
        self._view, self._design = view, design
        self.unsettled: set[str] = set()  # robots whose bodies are not those of their geometry

    def update(self) -> bool:
        """Put robots where they are; returns whether the picture has changed."""
        design, view = self._design, self._view
        if design.rebuilt or design.bench is not view.bench:
            self._adopt()
        moved, design.moved = design.moved, set()
        for name in moved:
            if name in view.robots:
                stand(view.robots[name], design.bench[name])
        return bool(moved)

    def _adopt(self) -> None:
        """Another scene: robots of the same parts keep their bodies for now."""
        design, view = self._design, self._view
        if design.bench.obstacles != view.bench.obstacles:
            view.world = world_body(design.bench)
            view.forget_canvas()
        view.bench = design.bench
        robots: dict[str, DrawnRobot] = {}
        for robot in design.bench.robots:
            drawn = view.robots.get(robot.name)
            if drawn is None or drawn.robot != robot:
                ids = (BASE_ID, *(item.id for item in robot.placed()))
                if drawn is not None and tuple(drawn.body.ids) == ids:
                    drawn.robot, drawn.kinematics = robot, poses_of(design.bench, robot)
                    self.unsettled.add(robot.name)
                else:
                    drawn = self._new(robot.name)
            robots[robot.name] = drawn
        view.robots = robots
        view.frames = [(robot.name, frame) for robot in design.bench.robots for frame in (BASE_ID, *followed(robot))]
        design.moved |= design.rebuilt & robots.keys()
        design.rebuilt = set()

    def take_over(self) -> None:
        """Let the design go on from where robots are seen, as after a station has ended."""
        for name, drawn in self._view.robots.items():
            try:
                self._design.put(name, drawn.q)
            except (StationError, KeyError):
                continue  # then it stays where the design had it

    def settle(self) -> bool:
        """Make bodies anew where geometry has changed; returns whether the picture has changed."""
        names, self.unsettled = self.unsettled & self._view.robots.keys(), set()
        for name in names:
            self._view.robots[name] = self._new(name)
        bodies = [self._view.world, *(robot.body for robot in self._view.robots.values())]
        self._view.problems = tuple(line for body in bodies for line in body.problems)
        return bool(names)

    def _new(self, name: str) -> DrawnRobot:
        bench, old = self._design.bench, self._view.robots.get(name)
        drawn = drawn_robot(bench, self._design.robot(name))
        if old is not None:
            known = set(drawn.body.ids)
            drawn.emulated = old.emulated
            drawn.select(*(old.selected & known))
            drawn.mark({part: colour for part, colour in old.marks.items() if part in known})
        return drawn
