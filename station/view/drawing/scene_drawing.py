"""`SceneDrawing`: what a scene has on the graphics card, and the order in which it is drawn."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from station.view.camera import Camera, PoseCamera, Sight
from station.view.drawing.arrows import arrows_mesh
from station.view.drawing.library import gloo
from station.view.drawing.robot_visual import PUSH, LinkStates, RobotVisual
from station.view.drawing.segments import Segments
from station.view.drawing.text import Label, Labels
from station.view.floor import Floor, floor_lines
from station.view.geometry.mesh import Mesh
from station.view.labels import robot_labels
from station.view.robot import DrawnRobot

if TYPE_CHECKING:
    from station.view.scene_view import SceneView

TEXT_SIZE = 13  # [px]
TRAIL_WIDTH = 2.5  # [px]


class Pane(NamedTuple):
    """Where in a frame buffer a picture goes."""

    size: tuple[int, int]  # [device px]
    scale: float = 1.0  # device pixels per pixel of lines and letters
    corner: tuple[int, int] = (0, 0)  # lower left [device px]
    clear: bool = True  # whether the whole frame buffer is cleared first
    texts: bool = True  # whether labels and status lines are drawn
    mask: tuple[bool, bool, bool] = (True, True, True)  # whether red, green and blue are drawn


class SceneDrawing:
    """What a scene has on the graphics card, and the order in which it is drawn."""

    def __init__(self, scene: SceneView) -> None:
        self._scene = scene
        self._grid, self._lines, self._text = Segments(), Segments(), Labels()
        self._world, self._still = _fixed(scene.world.mesh), LinkStates(1)
        self._arrows: RobotVisual | None = None
        self._arrow_visuals: dict[int, RobotVisual | None] = {}  # by number of corners: a new one costs milliseconds
        self._extra: dict[str, tuple[Mesh, RobotVisual | None]] = {}
        self._mask = (True, True, True, True)
        self._shown_arrows: object = None  # what the arrows on the graphics card were made from
        self._shown_trails: object = None
        self.put_floor(scene.floor)

    def put_floor(self, floor: Floor) -> None:
        """Another floor, or another theme."""
        starts, ends, colours = floor_lines(floor, self._scene.theme)
        self._grid.put(starts, ends, colours, np.ones(len(starts)))
        self._grid.fade(floor.centre, floor.radius)

    def draw(self, camera: Camera, pane: Pane) -> None:
        """Everything, as a camera sees it, into a pane of the current frame buffer."""
        scene, size, scale = self._scene, pane.size, pane.scale
        floor = scene.floor
        radius = 1.6 * floor.radius + float(np.linalg.norm(camera.centre - floor.centre))
        sight = camera.sight(size[0] / size[1], floor.centre, radius)
        self._mask = (*pane.mask, True)
        gloo.set_viewport(*pane.corner, *size)
        # All of the state is set here: whatever drew last, vispy or Qt, may have left anything behind.
        gloo.set_state(
            depth_test=True, depth_mask=True, depth_func="less", blend=False, cull_face=False, color_mask=(True,) * 4
        )
        gloo.set_blend_func("src_alpha", "one_minus_src_alpha", "one", "one_minus_src_alpha")
        if pane.clear:
            gloo.clear(color=scene.theme.background, depth=True)
        elif not all(pane.mask):
            gloo.clear(color=False, depth=True)  # the other eye has drawn here
        gloo.set_state(color_mask=self._mask)
        visuals = [(robot, robot.visual()) for robot in scene.robots.values()]
        for _, visual in visuals:
            visual.light(sight, scene.theme)
        if scene.show_floor:
            self._draw_floor(visuals, sight, size, scale)
        self._draw_solids(visuals, sight, not isinstance(camera, PoseCamera))
        gloo.set_state(blend=True)
        self._put_lines()
        self._lines.draw(sight, size, scale)
        self._draw_ghosts(visuals)
        if pane.texts:
            gloo.set_state(depth_test=False)
            self._text.put(list(self._labels()), TEXT_SIZE, scale)
            self._text.draw(sight, size)
        gloo.set_state(color_mask=(True,) * 4, depth_test=True)

    def _draw_floor(
        self, visuals: list[tuple[DrawnRobot, RobotVisual]], sight: Sight, size: tuple[int, int], scale: float
    ) -> None:
        """Shadows, then lines over them; nothing of it is ever in front of anything."""
        gloo.set_state(depth_test=False)
        if self._scene.show_shadows and self._world is not None and self._scene.world.closed:
            self._world.light(sight, self._scene.theme)
            self._world.draw_shadow(self._still, self._scene.floor.height, self._scene.theme.shadow)
        if self._scene.show_shadows:
            for robot, visual in visuals:
                gloo.set_state(cull_face=robot.body.closed)
                visual.draw_shadow(robot.predicted.states, self._scene.floor.height, self._scene.theme.shadow)
        gloo.set_state(blend=True, cull_face=False)
        self._grid.draw(sight, size, scale)
        gloo.set_state(blend=False, depth_test=True)

    def _draw_solids(self, visuals: list[tuple[DrawnRobot, RobotVisual]], sight: Sight, frames: bool) -> None:
        for robot, visual in visuals:
            if robot.predicted.shown:
                gloo.set_state(cull_face=robot.body.closed)
                visual.draw(robot.predicted.states)
        gloo.set_state(cull_face=False)
        self._put_arrows(frames)
        self._put_extra()
        for still in (self._world, self._arrows, *(visual for _, visual in self._extra.values())):
            if still is not None:
                still.light(sight, self._scene.theme)
                still.draw(self._still)

    def _draw_ghosts(self, visuals: list[tuple[DrawnRobot, RobotVisual]]) -> None:
        """Translucent parts, then the measured robots: depth first, so that only their outside is seen."""
        if self._world is not None:
            gloo.set_state(cull_face=self._scene.world.closed)
            self._world.draw_clear(self._still)
        for robot, visual in visuals:
            if robot.predicted.shown:
                gloo.set_state(cull_face=robot.body.closed)
                visual.draw_clear(robot.predicted.states)
        gloo.set_state(cull_face=False)
        for _, extra in self._extra.values():
            if extra is not None:
                extra.draw_clear(self._still)
        for robot, visual in visuals:
            look = robot.measured
            if not look.shown:
                continue
            # Where both robots coincide the solid one is seen, but never one that nobody knows any more.
            push = -PUSH if look.stale else PUSH
            paint = self._scene.theme.stale if look.stale else self._scene.theme.ghost
            if self._scene.wire_ghosts:
                visual.draw_wire(look.states, paint, push)
                continue
            gloo.set_state(color_mask=(False,) * 4, cull_face=robot.body.closed)
            visual.draw_depth(look.states, push)
            gloo.set_state(color_mask=self._mask, depth_func="lequal")
            visual.draw_glass(look.states, paint, push)
            gloo.set_state(depth_func="less", cull_face=False)

    def _put_arrows(self, frames: bool) -> None:
        """Forces, and frames unless the camera sits in the middle of one."""
        scene = self._scene
        shown = scene.frames if frames else []
        arrows = [arrow for name, frame in shown for arrow in scene.robots[name].axes(frame)]
        arrows += scene.arrows
        key = tuple((*arrow.start, *arrow.vector, arrow.radius, *arrow.colour) for arrow in arrows)
        if key != self._shown_arrows:
            self._shown_arrows = key
            mesh = arrows_mesh(arrows)
            self._arrows = self._arrow_visuals.get(len(mesh.points))
            if self._arrows is None:
                self._arrows = self._arrow_visuals[len(mesh.points)] = _fixed(mesh)
            else:
                self._arrows.replace(mesh)

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

    def _put_lines(self) -> None:
        scene = self._scene
        key = (*((trail, trail.count, trail.colour) for trail in scene.trails.values()), *map(id, scene.lines.values()))
        if key == self._shown_trails:
            return
        self._shown_trails = key
        starts, ends, colours, widths = [], [], [], []
        for lines in scene.lines.values():
            starts.append(lines.starts)
            ends.append(lines.ends)
            colours.append(lines.colours)
            widths.append(np.full(len(lines.starts), lines.width))
        for trail in scene.trails.values():
            points = trail.points()
            if len(points) > 1:
                starts.append(points[:-1])
                ends.append(points[1:])
                colours.append(trail.colours())
                widths.append(np.full(len(points) - 1, TRAIL_WIDTH))
        if starts:
            self._lines.put(*(np.concatenate(parts) for parts in (starts, ends, colours, widths)))
        else:
            self._lines.put([], [], [], [])

    def _labels(self) -> Iterator[Label]:
        scene, theme = self._scene, self._scene.theme
        if scene.show_labels:
            for robot in scene.robots.values():
                yield from robot_labels(robot, theme)
            yield from scene.labels
        for number, line in enumerate(scene.status):
            yield Label(line, (6.0, 16.0 + 22.0 * number), theme.text, theme.text_back)


def _fixed(mesh: Mesh) -> RobotVisual | None:
    """Something that does not move as a robot of one link."""
    if not len(mesh.faces):
        return None
    none = np.zeros(len(mesh.points), np.int32)
    return RobotVisual(mesh, none, none, np.empty((0, 2), np.int64), 1)
