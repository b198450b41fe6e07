"""`SceneView`: everything of a scene that is drawn, and the drawing of it into whatever canvas is current."""

from __future__ import annotations

from dataclasses import replace
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

from station.bench import Bench
from station.mad.scene import BASE_ID
from station.view.augment import Augment
from station.view.camera import TOOL_VIEW, VIEWPOINTS, Camera, PoseCamera, viewpoint
from station.view.drawing.arrows import Arrow
from station.view.drawing.label import Label
from station.view.drawing.points import Cloud
from station.view.drawing.scene_drawing import Pane, SceneDrawing
from station.view.drawing.segments import Lines
from station.view.errors import ViewRequestError
from station.view.floor import floor_under
from station.view.geometry.mesh import Mesh
from station.view.geometry.robot import world_body
from station.view.picking import Hit, first_triangle
from station.view.robot import DrawnRobot, drawn_robot, followed
from station.view.theme import LIGHT, Theme
from station.view.trails import Trail
from station.view.viewpoints import Viewpoints


class Stereo(StrEnum):
    """Pictures for two eyes; only with the scene's own camera, and not for parallel rays."""

    OFF = "off"
    SIDE_BY_SIDE = "side by side"  # left eye on the left
    ANAGLYPH = "anaglyph"  # left eye red, right eye cyan


class SceneView:
    """A scene as it is drawn: robots, obstacles, floor, frames, trails, forces, labels; and one camera.

    It needs a current canvas only in `draw`. Several cameras may draw it one after the other.

    Args:
        bench: the scene; its robots are assembled.
        theme: colours of the surroundings.
    """

    def __init__(self, bench: Bench, theme: Theme = LIGHT) -> None:
        self.bench, self.theme = bench, theme
        self.robots = {robot.name: drawn_robot(bench, robot) for robot in bench.robots}
        self.camera: Camera = viewpoint("perspective")
        self.viewpoints = Viewpoints(bench.name)  # those that were given a name
        self.stereo = Stereo.OFF
        self.wire_ghosts = False
        self.show_commanded = False  # robots as they were told to stand, as far as a station says it
        self.show_shadows = self.show_floor = self.show_labels = True
        self.frames: list[tuple[str, int]] = [
            (robot.name, frame) for robot in bench.robots for frame in (BASE_ID, *followed(robot))
        ]
        self.arrows: list[Arrow] = []  # forces and the like
        self.trails: dict[str, Trail] = {}
        self.lines: dict[str, Lines] = {}  # anything thin, in the world; replaced, not changed
        self.solids: dict[str, Mesh] = {}  # anything else, in the world; replaced, not changed
        self.clouds: dict[str, Cloud] = {}  # points, such as a workspace; replaced, not changed
        self.eyes_apart: float = 0.04  # over the distance of the camera, for stereo
        self.labels: list[Label] = []  # beside those of the robots
        self.status: list[str] = []  # lines at the top left of the picture
        self.world = world_body(bench)
        self.augment = Augment(self)  # quantities, forces, stops, the hand, guides
        bodies = [self.world, *(robot.body for robot in self.robots.values())]
        self.problems = tuple(line for body in bodies for line in body.problems)  # what could not be drawn
        self._drawing: SceneDrawing | None = None
        self.floor = floor_under(self.points(), self.reach)

    @property
    def reach(self) -> float:
        """Of the largest robot [m]."""
        return max((robot.body.reach for robot in self.robots.values()), default=1.0)

    def carrier_of(self, robot: DrawnRobot) -> DrawnRobot | None:
        """The robot on which another one stands; None: it stands in the world."""
        on = robot.robot.base.on
        return None if on is None or on.part is None else self.robots.get(on.part.robot)

    def points(self) -> NDArray[np.float64]:
        """Corners of everything that has an end [m]."""
        robots = [robot.extent() for robot in self.robots.values() if len(robot.body.mesh.points)]
        tips = [arrow.start + arrow.vector for name, frame in self.frames for arrow in self.robots[name].axes(frame)]
        robots += [np.array(tips)] if tips else []
        obstacles = self.world.mesh.points
        near = obstacles[np.abs(obstacles).max(axis=1, initial=0.0) < 4.0]
        return np.concatenate([*robots, near, np.zeros((1, 3))] if not robots else [*robots, near])

    def fit(self, aspect: float) -> None:
        """Let everything fill the picture."""
        points = self.points()
        self.floor = floor_under(points, self.reach)
        self._floor_changed()
        if not isinstance(self.camera, PoseCamera):
            self.camera.fit(np.concatenate([points, self._added_points()]), aspect)

    def _added_points(self) -> NDArray[np.float64]:
        """Corners of what is put beside the robots: arrows of forces, spheres, guides, clouds [m]."""
        added = self.augment.additions()
        tips = [arrow.start + arrow.vector for arrow in (*self.arrows, *added.arrows)]
        ends = [lines.ends for lines in (*self.lines.values(), *added.lines)]
        ends += [
            part(cloud.places, axis=0)[None]
            for cloud in self.clouds.values()
            for part in (np.min, np.max)
            if len(cloud.places)
        ]
        return np.concatenate([np.array(tips).reshape(-1, 3), added.mesh.points, *ends])

    def look(self, name: str, aspect: float) -> None:
        """Look from a named viewpoint, everything in the picture; `tool`: through the camera or along the tool.

        A viewpoint that was saved is taken as it was.
        """
        if name not in (*VIEWPOINTS, TOOL_VIEW):
            self.camera = self._saved(name)
            return
        self.camera = self.tool_camera() if name == TOOL_VIEW else viewpoint(name)
        self.fit(aspect)

    def save_viewpoint(self, name: str) -> None:
        """Keep where the camera is, under a name, for this scene; `look` goes back there, also another day."""
        self.viewpoints.save(name, self.camera)

    def _saved(self, name: str) -> Camera:
        found = self.viewpoints.camera(name)
        if isinstance(found, PoseCamera) and found.carrier is not None:
            robot, frame = found.carrier
            if robot not in self.robots or frame not in self.robots[robot].body.ids:
                raise ViewRequestError(
                    f"viewpoint '{name}' rides on part {frame} of {robot}, which is not in this scene"
                )
        return found

    def tool_camera(self, robot: str | None = None) -> PoseCamera:
        """The camera that a robot carries or, where it has none, a place behind its tool."""
        for drawn in [self.robots[robot]] if robot else self.robots.values():
            for camera in drawn.robot.cameras:
                opening = 0.9
                if camera.focal is not None:
                    opening = 2.0 * float(np.arctan2(0.5 * camera.resolution.y, camera.focal.y))
                return self._riding(drawn.name, camera.id, 0.3 * drawn.body.reach, opening, np.eye(4))
            for frame in followed(drawn.robot):
                back = 0.45 * drawn.body.reach
                return self._riding(drawn.name, frame, back, 0.8, _behind(back))
        raise ViewRequestError("no robot has a camera, a tool or a followed frame to look from")

    def _riding(
        self, robot: str, frame: int, distance: float, opening: float, mount: NDArray[np.float64]
    ) -> PoseCamera:
        eye = PoseCamera(distance=distance, opening=opening, carrier=(robot, frame), mount=mount)
        self._carry(eye)
        return eye

    def _carry(self, camera: Camera) -> None:
        """A camera that rides on a robot goes where the robot is."""
        if isinstance(camera, PoseCamera) and camera.carrier is not None:
            robot, frame = camera.carrier
            if robot in self.robots and frame in self.robots[robot].body.ids:  # else it stays where it was
                camera.put(self.robots[robot].pose(frame) @ camera.mount)

    def use_theme(self, theme: Theme) -> None:
        """Change the colours of the surroundings."""
        self.theme = theme
        self.augment.use_theme()
        self._floor_changed()

    def hit(self, x: float, y: float, aspect: float, camera: Camera | None = None) -> Hit | None:
        """What is at a place of the picture of a camera; x right and y up from -1 to 1."""
        ray = (camera or self.camera).ray(x, y, aspect)
        found: Hit | None = None
        for robot in self.robots.values():
            if not robot.body.may_be_met(ray, robot.predicted.poses):
                continue
            met = first_triangle(ray, robot.points(), robot.body.mesh.faces)
            if met is not None and (found is None or met[1] < found.distance):
                face, distance = met
                owner = int(robot.body.owners[robot.body.mesh.faces[face, 0]])
                found = Hit(robot.name, robot.body.ids[owner], ray.origin + distance * ray.direction, distance)
        return found

    def draw(self, pane: Pane, camera: Camera | None = None) -> None:
        """Draw into the current frame buffer, seen by the scene's own camera or another."""
        if self._drawing is None:
            self._drawing = SceneDrawing(self)
        eye = camera or self.camera
        self._carry(eye)
        if self.stereo is Stereo.OFF or not eye.opening or camera is not None:
            self._drawing.draw(eye, pane)
            return
        pane = pane._replace(still=False)
        left, right = (replace(eye, beside=side * 0.5 * self.eyes_apart * eye.distance) for side in (-1.0, 1.0))
        if self.stereo is Stereo.ANAGLYPH:
            self._drawing.draw(left, pane._replace(mask=(True, False, False)))
            self._drawing.draw(right, pane._replace(mask=(False, True, True), clear=False))
            return
        (width, height), (x, y) = pane.size, pane.corner
        half = (max(width // 2, 1), height)
        self._drawing.draw(left, pane._replace(size=half))
        self._drawing.draw(right, pane._replace(size=half, corner=(x + width - half[0], y), clear=False))

    def forget_canvas(self) -> None:
        """The canvas is gone, or another one will draw."""
        self._drawing = None
        for robot in self.robots.values():
            robot.forget_canvas()

    def _floor_changed(self) -> None:
        if self._drawing is not None:
            self._drawing.put_floor(self.floor)


def _behind(back: float) -> NDArray[np.float64]:
    """A place behind and over a tool that looks at its tip, in the frame of the tool [m]."""
    pose = np.eye(4)
    pose[:3, 3] = 0.0, -0.4 * back, -back
    pose[:3, 2] = -pose[:3, 3] / np.linalg.norm(pose[:3, 3])
    pose[:3, 1] = np.cross(pose[:3, 2], pose[:3, 0])
    return pose
