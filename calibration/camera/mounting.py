"""Apply: a scene whose robot carries the camera where hand-eye found it, with the lens that its pictures told."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from calibration.camera.projection import Lens
from calibration.errors import DataError
from calibration.parameters import Floats
from station.mad.placement import from_position
from station.mad.scene import Calibrated, Camera, Robot, Scene, Vector
from station.mad.scene.values import Pixels
from station.mad.urdf.tidy import angles_of


def mounted(
    scene: Scene,
    robot: Robot,
    frame: int,
    x: Floats,
    lens: Lens,
    size: tuple[int, int],
    notes: tuple[Calibrated, ...] = (),
) -> Scene:
    """The scene with a camera in a frame of a robot; a camera that is in that frame already is moved.

    Args:
        scene: nominal; it stays as it is.
        robot: that carries the camera.
        frame: id of the hand, whose poses hand-eye was given.
        x: camera in that frame (4, 4) [m].
        lens: of the camera.
        size: of its pictures [px].
        notes: the results that these numbers come from.
    """
    known = {item.id for item in robot.placed()}
    if frame not in known:
        raise DataError(f"robot {robot.name} has no frame {frame}; there are: {', '.join(map(str, sorted(known)))}")
    there = [camera for camera in robot.cameras if camera.pred == frame]
    if len(there) > 1:
        raise DataError(f"{len(there)} cameras are in frame {frame} already; which one is meant cannot be told")
    place = Vector(*x[:3, 3].tolist())
    old = there[0] if there else Camera(id=max(known) + 1, name="camera", pred=frame, resolution=Pixels(*size))
    new = replace(
        old,
        pos=place,
        ori=angles_of(x[:3, :3]),
        resolution=Pixels(*map(float, size)),
        focal=Pixels(lens.fx, lens.fy),
        centre=Pixels(lens.cx, lens.cy),
        distortion=tuple(lens[4:]),
        calibrated=notes,
    )
    others = tuple(camera for camera in robot.cameras if camera is not old)
    changed = replace(robot, cameras=(*others, new))
    assert np.abs(from_position(new.pos, new.ori) - x).max() < 1e-9
    return replace(scene, robots=tuple(changed if one.name == robot.name else one for one in scene.robots))
