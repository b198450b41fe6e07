"""Draw the pictures of docs/calibration_sensors.md: `python docs/draw_calibration_sensors.py docs/pictures`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.figure import Figure

from calibration.camera import find_board
from calibration.force import calibrate_force
from calibration.hand_eye import solve_ax_yb
from calibration.timing import align
from calibration.turning import rotation
from sim_devices.camera import pictured
from tests.calibration import test_camera as pictures
from tests.calibration import test_force as forces
from tests.calibration import test_timing as timing
from tests.calibration.test_hand_eye import CAMERA, angle_between, by_axis_and_angle, inverse, seen_from

BLUE, RED, GREY = "#3b6ea5", "#c0492b", "#666666"
NOISE = (5e-4, 2e-3)  # of places and turns that a camera sees [m], [rad]


def hands() -> Any:
    """Stations of the arm of RobuTER/ULM."""
    import robots
    import station

    arm = station.load(robots.path("robuter-ulm"))["robuter-ulm"]
    random, found = np.random.default_rng(3), []
    middle = np.radians([0.0, 60.0, 30.0, 20.0, -15.0, 0.0])
    low, high = np.array([joint.limits for joint in arm.joints]).T
    for _ in range(12):
        arm.q = np.clip(middle + random.uniform(-0.5, 0.5, 6), low, high)
        found.append(arm.pose(arm.robot.tools[0].id if arm.robot.tools else arm.robot.links[-1].id))
    return np.array(found)


def draw_half_turns(axes: Any) -> None:
    """Errors of the linear method and of axis and angle while the camera's rotation goes to half a turn."""
    hand, angles = hands(), np.array([90, 150, 170, 178, 179, 179.5, 179.9, 180.0])
    ours, theirs = [], []
    for angle in angles:
        camera = CAMERA.copy()
        camera[:3, :3] = rotation(np.array([0.0, 0.0, np.radians(angle)]))
        errors = []
        for seed in range(20):
            seen = seen_from(hand, camera, NOISE, seed)
            first = solve_ax_yb(hand, inverse(seen)).x[:3, :3]
            errors.append([angle_between(one, camera[:3, :3]) for one in (first, by_axis_and_angle(hand, seen)[0])])
        a, b = np.degrees(np.median(errors, axis=0))
        ours.append(a)
        theirs.append(b)
    left = np.maximum(180.0 - angles, 0.05)
    axes.loglog(left, theirs, "o-", color=RED, label="axis and angle")
    axes.loglog(left, ours, "o-", color=BLUE, label="null space (ours)")
    axes.invert_xaxis()
    axes.set_xlabel("rotation of the camera, short of half a turn [°] (last: exactly 180°)")
    axes.set_ylabel("error of the rotation [°]")
    axes.legend(frameon=False)


def draw_picture(axes: Any) -> None:
    """A picture of the emulated camera with the corners that were found."""
    random = np.random.default_rng(3)
    board = pictures.BOARD
    picture = pictured(board.picture(80), board.size, pictures.poses(2)[1], pictures.SMALL, random)
    view = find_board(picture, board)
    axes.imshow(picture, cmap="gray", vmin=0, vmax=255)
    axes.plot(view.pixels[:, 0], view.pixels[:, 1], "+", color=RED, markersize=7)
    axes.set_axis_off()
    axes.set_title(f"{len(view.numbers)} corners in a picture of the emulated camera", fontsize=9)


def draw_force(axes: Any) -> None:
    """Forces in orientations before and after."""
    data = forces.readings(24, 1.0, gain=forces.GAIN, loads=forces.LOADS)
    found = calibrate_force(data, forces.Gains.FULL)
    masses, moments = data.known()
    before = np.linalg.norm(data.wrenches[:, :3] - forces.weights(data.down, masses, moments)[:, :3], axis=1)
    after = []
    for number, turn in enumerate(data.turns):
        away = found.correction.external(data.wrenches[number], turn)
        away[:3] -= forces.weights(data.down[number], masses[number], moments[number])[:3]
        after.append(float(np.linalg.norm(away[:3])))
    axes.semilogy(before, "o", color=RED, label="as told")
    axes.semilogy(after, "o", color=BLUE, label="corrected")
    axes.axhline(data.force_noise, color=GREY, linewidth=0.8, linestyle="--")
    axes.set_xlabel("orientation, with and without known loads")
    axes.set_ylabel("force that is not there [N]")
    axes.legend(frameon=False)


def draw_timing(axes: Any) -> None:
    """A motion as it was seen later, and on the reference after it was aligned."""
    first, second = timing.reference(), timing.seen_later(3e-4)
    found = align(first, second)
    axes.plot(first.times, 1e3 * first.values[:, 0], color=GREY, linewidth=3.0, alpha=0.4, label="predicted")
    axes.plot(
        second.times - timing.DELAY + 0.15,
        1e3 * second.values[:, 0],
        color=RED,
        linewidth=0.9,
        label="as it came (−12.2 s)",
    )
    axes.plot(found.by_reference(second.times), 1e3 * second.values[:, 0], color=BLUE, linewidth=0.9, label="aligned")
    axes.set_xlim(1.0, 3.0)
    axes.set_xlabel("time of the station [s]")
    axes.set_ylabel("joint [mrad]")
    axes.legend(frameon=False, fontsize=8)


def main(folder: Path) -> None:
    """All pictures into a folder."""
    for name, panels in (
        ("calibration-hand-eye.png", (draw_half_turns, draw_picture)),
        ("calibration-force-timing.png", (draw_force, draw_timing)),
    ):
        figure = Figure(figsize=(10.0, 3.8), layout="constrained")
        for axes, draw in zip(figure.subplots(1, 2), panels, strict=True):
            draw(axes)
            axes.spines[["top", "right"]].set_visible(False)
        figure.savefig(folder / name, dpi=110)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
