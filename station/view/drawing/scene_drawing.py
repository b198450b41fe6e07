"""`SceneDrawing`: what a scene has on the graphics card, and the order in which it is drawn."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from station.view.camera import Camera, PoseCamera, Sight
from station.view.drawing.arrows import arrows_mesh
from station.view.drawing.ground import Ground
from station.view.drawing.label import Label
from station.view.drawing.library import gloo
from station.view.drawing.lighting import Lamp, Lighting
from station.view.drawing.loose import LooseMesh
from station.view.drawing.points import Points
from station.view.drawing.robot_visual import PUSH, LinkStates, RobotVisual
from station.view.drawing.segments import Lines, Segments
from station.view.drawing.state import State
from station.view.drawing.text import Labels
from station.view.floor import Floor
from station.view.geometry.mesh import Mesh
from station.view.labels import robot_labels
from station.view.robot import DrawnRobot
from station.view.theme import Theme

if TYPE_CHECKING:
    from station.view.augment.additions import Additions
    from station.view.scene_view import SceneView

TEXT_SIZE = 13  # [px]


class Pane(NamedTuple):
    """Where in a frame buffer a picture goes."""

    size: tuple[int, int]  # [device px]
    scale: float = 1.0  # device pixels per pixel of lines and letters
    corner: tuple[int, int] = (0, 0)  # lower left [device px]
    clear: bool = True  # whether the whole frame buffer is cleared first
    texts: bool = True  # whether labels and status lines are drawn
    title: str = ""  # a line at its top left
    mask: tuple[bool, bool, bool] = (True, True, True)  # whether red, green and blue are drawn
    still: bool = False  # whether it is worth while to keep what does not move; only in a buffer of our own


class SceneDrawing:
    """What a scene has on the graphics card, and the order in which it is drawn."""

    def __init__(self, scene: SceneView) -> None:
        self._scene = scene
        self._lines, self._through, self._text = Segments(), Segments(), Labels()
        self._titles: dict[str, Labels] = {}  # of panes
        self._world, self._still = _fixed(scene.world.mesh), LinkStates(1)
        self._state, self._lamp = State(), Lamp()
        self._ground = Ground(self._state)
        self._lighting: Lighting  # of the picture that is being drawn
        self._arrows, self._added = LooseMesh(), LooseMesh()
        self._clouds: dict[str, Points] = {}
        self._extra: dict[str, tuple[Mesh, RobotVisual | None]] = {}
        self._mask = (True, True, True, True)
        self._shown_arrows: object = None  # what the arrows on the graphics card were made from
        self._shown_trails: object = None
        self.put_floor(scene.floor)

    def put_floor(self, floor: Floor) -> None:
        """Another floor, or another theme."""
        self._ground.put(floor, self._scene.theme)

    def draw(self, camera: Camera, pane: Pane) -> None:
        """Everything, as a camera sees it, into a pane of the current frame buffer."""
        scene, size, scale = self._scene, pane.size, pane.scale
        floor = scene.floor
        radius = 1.6 * floor.radius + float(np.linalg.norm(camera.centre - floor.centre))
        sight = camera.sight(size[0] / size[1], floor.centre, radius)
        self._mask = (*pane.mask, True)
        gloo.set_viewport(*pane.corner, *size)
        self._state.begin()  # all of the state is set here
        self._state.set(
            depth_test=True, depth_mask=True, depth_func="less", blend=False, cull_face=False, color_mask=(True,) * 4
        )
        self._ground.draw(sight, pane, scene.theme, scene.show_floor)
        added = scene.augment.additions(camera)
        visuals = [(robot, robot.visual()) for robot in scene.robots.values()]
        self._lighting = self._lamp.of(sight, scene.theme)
        for _, visual in visuals:
            visual.light(self._lighting)
        if scene.show_floor and scene.show_shadows:
            self._draw_shadows(visuals)
        self._draw_solids(visuals, not isinstance(camera, PoseCamera), added)
        self._draw_clouds(sight, scale)
        self._state.set(blend=True)
        self._put_lines(added)
        self._lines.draw(sight, size, scale)
        self._draw_ghosts(visuals)
        self._state.set(depth_test=False)
        self._through.draw(sight, size, scale)
        if pane.texts:
            self._text.draw(list(self._labels(added)), TEXT_SIZE, scale, sight, size)
        if pane.title:
            title = self._titles.setdefault(pane.title, Labels())
            title.draw([_line(0, pane.title, scene.theme)], TEXT_SIZE, scale, sight, size)
        self._state.set(color_mask=(True,) * 4, depth_test=True)

    def _draw_shadows(self, visuals: list[tuple[DrawnRobot, RobotVisual]]) -> None:
        scene = self._scene
        casters = [(visual, robot.predicted.states, robot.body.closed) for robot, visual in visuals]
        if self._world is not None and scene.world.closed:
            self._world.light(self._lighting)
            casters.append((self._world, self._still, False))
        self._ground.draw_shadows(casters, scene.floor.height, scene.theme)

    def _draw_solids(self, visuals: list[tuple[DrawnRobot, RobotVisual]], frames: bool, added: Additions) -> None:
        for robot, visual in visuals:
            if robot.predicted.shown:
                self._state.set(cull_face=robot.body.closed)
                visual.draw(robot.predicted.states)
        self._state.set(cull_face=False)
        self._put_arrows(frames, added)
        self._added.put(added.mesh)
        self._put_extra()
        for still in (self._world, *(visual for _, visual in self._extra.values())):
            if still is not None:
                still.light(self._lighting)
                still.draw(self._still)
        for loose in (self._arrows, self._added):
            loose.light(self._lighting)
            loose.draw()

    def _draw_clouds(self, sight: Sight, scale: float) -> None:
        """Points, each cloud in one call; one that is another object than before is sent anew."""
        clouds = self._scene.clouds
        self._clouds = {name: drawn for name, drawn in self._clouds.items() if clouds.get(name) is drawn.cloud}
        for name, cloud in clouds.items():
            if len(cloud.places):
                if name not in self._clouds:
                    self._clouds[name] = Points(cloud)
                self._clouds[name].draw(sight, scale)

    def _draw_ghosts(self, visuals: list[tuple[DrawnRobot, RobotVisual]]) -> None:
        """Translucent parts, then commanded and measured robots, these depth first: only their outside is seen."""
        if self._world is not None:
            self._state.set(cull_face=self._scene.world.closed)
            self._world.draw_clear(self._still)
        for robot, visual in visuals:
            if robot.predicted.shown:
                self._state.set(cull_face=robot.body.closed)
                visual.draw_clear(robot.predicted.states)
        self._state.set(cull_face=False)
        for _, extra in self._extra.values():
            if extra is not None:
                extra.draw_clear(self._still)
        self._state.set(cull_face=True)  # all of it is closed: one looks through each surface once
        self._added.draw_clear()
        self._state.set(cull_face=False)
        for robot, visual in visuals:
            if robot.commanded.shown:
                visual.draw_wire(robot.commanded.states, self._scene.theme.commanded_trail)
            look = robot.measured
            if not look.shown:
                continue
            # Where both robots coincide the solid one is seen, but never one that nobody knows any more.
            push = -PUSH if look.stale else PUSH
            paint = self._scene.theme.stale if look.stale else self._scene.theme.ghost
            if self._scene.wire_ghosts:
                visual.draw_wire(look.states, paint, push)
                continue
            self._state.set(color_mask=(False,) * 4, cull_face=robot.body.closed)
            visual.draw_depth(look.states, push)
            self._state.set(color_mask=self._mask, depth_func="lequal")
            visual.draw_glass(look.states, paint, push)
            self._state.set(depth_func="less", cull_face=False)

    def _put_arrows(self, frames: bool, added: Additions) -> None:
        """Forces, and frames unless the camera sits in the middle of one."""
        scene = self._scene
        shown = scene.frames if frames else []
        arrows = [arrow for name, frame in shown for arrow in scene.robots[name].axes(frame)]
        arrows += [*scene.arrows, *added.arrows]
        key = tuple((*arrow.start, *arrow.vector, arrow.radius, *arrow.colour) for arrow in arrows)
        if key != self._shown_arrows:
            self._shown_arrows = key
            self._arrows.put(arrows_mesh(arrows))

    def _put_extra(self) -> None:
        """Solids that were added to the scene; one that is another object than before is sent anew."""
        known, self._extra = self._extra, {}
        for name, mesh in self._scene.solids.items():
            old = known.get(name)
            if old is not None and old[0] is mesh:
                self._extra[name] = old
            elif old is not None and old[1] is not None and old[1].replace(mesh):
                self._extra[name] = (mesh, old[1])
            else:
                self._extra[name] = (mesh, _fixed(mesh))

    def _put_lines(self, added: Additions) -> None:
        scene = self._scene
        trails = ((trail, trail.count, trail.colour) for trail in scene.trails.values())
        key = (*trails, *map(id, scene.lines.values()), id(added))
        if key == self._shown_trails:
            return
        self._shown_trails = key
        lines = [*scene.lines.values(), *added.lines]
        for trail in scene.trails.values():
            points = trail.points()
            if len(points) > 1:
                lines.append(Lines(points[:-1], points[1:], trail.colours(), trail.width))
        for segments, through in ((self._lines, False), (self._through, True)):
            chosen = [one for one in lines if one.through is through and len(one.starts)]
            if not chosen:
                segments.put([], [], [], [])
                continue
            segments.put(
                np.concatenate([one.starts for one in chosen]),
                np.concatenate([one.ends for one in chosen]),
                np.concatenate([one.colours for one in chosen]),
                np.concatenate([np.full(len(one.starts), one.width) for one in chosen]),
            )

    def _labels(self, added: Additions) -> Iterator[Label]:
        scene, theme = self._scene, self._scene.theme
        if scene.show_labels:
            for robot in scene.robots.values():
                yield from robot_labels(robot, theme)
            yield from (*scene.labels, *added.labels)
        for number, line in enumerate([*scene.status, *scene.augment.notes]):
            yield _line(number, line, theme)


def _line(number: int, text: str, theme: Theme) -> Label:
    """One of the lines at the top left of a picture."""
    return Label(text, (6.0, 16.0 + 22.0 * number), theme.text, theme.text_back)


def _fixed(mesh: Mesh) -> RobotVisual | None:
    """Something that does not move as a robot of one link."""
    if not len(mesh.faces):
        return None
    none = np.zeros(len(mesh.points), np.int32)
    return RobotVisual(mesh, none, none, np.empty((0, 2), np.int64), 1)
