"""Draw the pictures of docs/calibration_sensors.md: `python docs/draw_calibration_sensors.py docs/pictures`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.figure import Figure
from scipy.stats import norm

from calibration.camera import find_board
from calibration.force import calibrate_force
from calibration.hand_eye import solve_ax_yb
from calibration.timing import align, link_timing
from sim_devices.camera import pictured
from station.kernel.so3 import rotation
from tests.calibration import test_camera as pictures
from tests.calibration import test_force as forces
from tests.calibration import test_link_timing as timed
from tests.calibration import test_timing as timing
from tests.calibration import timed as links
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


def draw_clocks(axes: Any) -> None:
    """Messages back as they were held up, and the line that is laid through those that were held up least."""
    link = links.Link()
    led = links.planted(link, 3)
    clock = link_timing(led).clock
    arrival = np.array([one.arrival for one in led.heard])
    told = np.array([one.controller_time for one in led.heard])
    zero = -link.offset
    since, late = arrival - links.BEGIN, 1e3 * (arrival - told - zero)
    least = 1e3 * (0.5 * clock.trip - clock.offset - zero - clock.drift * (arrival - clock.middle))
    axes.plot(since, late, ".", color=GREY, markersize=1.5, alpha=0.5, label="messages")
    axes.plot(since, least, color=BLUE, label=f"least: {1e6 * clock.drift:.1f} ± {1e6 * clock.drift_deviation:.1f} ppm")
    axes.set_ylim(least.min() - 0.2, least.max() + 0.8)
    axes.set_xlabel("time of the station [s]")
    axes.set_ylabel("arrival less time told [ms]")
    axes.set_title("300 ppm planted; stalls, wander and waits as well", fontsize=9)
    axes.legend(frameon=False, fontsize=8, loc="upper right")


def draw_honesty(axes: Any) -> None:
    """Errors over what was stated, of a hundred seeded links."""
    link, ratios = links.Link(), []
    for seed in range(100):
        found = link_timing(links.planted(link, seed))
        stated = np.array([found.clock.drift_deviation, found.deviation])
        off = timed.errors(found, link)
        ratios.append(np.array([off.drift, off.total]) / stated)
    for name, column, colour in zip(
        ("drift", "setpoint to measurement"), np.transpose(ratios), (BLUE, RED), strict=True
    ):
        axes.plot(np.sort(np.abs(column)), np.arange(1, 101) / 100.0, color=colour, label=name)
    sizes = np.linspace(0.0, 4.0, 200)
    axes.plot(sizes, 2.0 * norm.cdf(sizes) - 1.0, color=GREY, linestyle="--", label="if stated exactly")
    axes.set_xlim(0.0, 4.0)
    axes.set_xlabel("error over stated standard deviation")
    axes.set_ylabel("share of 100 links with less")
    axes.legend(frameon=False, fontsize=8, loc="lower right")


def main(folder: Path) -> None:
    """All pictures into a folder."""
    for name, panels in (
        ("calibration-hand-eye.png", (draw_half_turns, draw_picture)),
        ("calibration-force-timing.png", (draw_force, draw_timing)),
        ("calibration-clocks.png", (draw_clocks, draw_honesty)),
    ):
        figure = Figure(figsize=(10.0, 3.8), layout="constrained")
        for axes, draw in zip(figure.subplots(1, 2), panels, strict=True):
            draw(axes)
            axes.spines[["top", "right"]].set_visible(False)
        figure.savefig(folder / name, dpi=110)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
