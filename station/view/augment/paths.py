"""`Paths`: where the tool was, as predicted, as commanded and as measured."""

from __future__ import annotations

from typing import TYPE_CHECKING

from station.view.moment import Moment
from station.view.robot import DrawnRobot
from station.view.trails import Trail

if TYPE_CHECKING:
    from station.view.scene_view import SceneView

EVERY = 8  # records from one place of a trail to the next
STEP = 2e-3  # way after which a place is kept, over the reach of the robot
FIELDS = {"predicted": "predicted_pose", "commanded": "commanded_pose", "measured": "measured_pose"}


class Paths:
    """Trails of the followed frame in a scene.

    Args:
        view: the scene that shows them.
        robot: whose they are.
        who: whose hand leads it; empty: there is no other.
    """

    def __init__(self, view: SceneView, robot: DrawnRobot, who: str = "") -> None:
        self.robot, self._view = robot, view
        step = STEP * robot.body.reach
        self._trails = {name: Trail(colour, step=step) for name, colour in self._colours().items()}
        self._shown = {f"{who} {name}".strip(): trail for name, trail in self._trails.items()}
        view.trails.update(self._shown)

    def add(self, moment: Moment) -> None:
        """The ticks since the last moment."""
        for name, trail in self._trails.items():
            poses = moment.recorded(FIELDS[name])[::EVERY]
            if len(poses):
                filled = poses[:, 3, 3] == 1.0  # one that was never filled is all zero
                trail.extend(poses[filled, :3, 3])

    def remove(self) -> None:
        """Show them no longer."""
        for name in self._shown:
            self._view.trails.pop(name, None)

    def use_theme(self) -> None:
        """Colours of another theme."""
        for name, colour in self._colours().items():
            self._trails[name].colour = colour

    def _colours(self) -> dict[str, tuple[float, float, float, float]]:
        theme = self._view.theme
        return {
            "predicted": theme.predicted_trail,
            "commanded": theme.commanded_trail,
            "measured": theme.measured_trail,
        }
