"""Signs: what the hand does, and where the robot is asked to go. x to the operator, y right, z up."""

from __future__ import annotations

import numpy as np
import pytest

from firmware_bridge.spacemouse.axes import MAGELLAN, SPACEBALL, SPACENAVD, USB, NativeAxes
from station.devices.software.deflection import TRAVEL, TURN, pose_of

FULL = 10_000  # more than any device counts

# Motion of the hand → place of the maker's axis and sign of its counts.
MOTIONS = {
    "pull to the operator": ("x", 1),
    "push away": ("x", -1),
    "push to the right": ("y", 1),
    "lift": ("z", 1),
    "push down": ("z", -1),
}
COUNTED = {
    "magellan": (MAGELLAN, {"x": (2, 1), "y": (0, 1), "z": (1, 1)}),  # x right, y up, z to the operator
    "spaceball": (SPACEBALL, {"x": (2, -1), "y": (0, 1), "z": (1, 1)}),  # x right, y up, z away
    "spacenavd": (SPACENAVD, {"x": (2, -1), "y": (0, 1), "z": (1, 1)}),
    "usb": (USB, {"x": (1, 1), "y": (0, 1), "z": (2, -1)}),  # x right, y to the operator, z down
}


@pytest.mark.parametrize("device", COUNTED)
@pytest.mark.parametrize("motion", MOTIONS)
def test_the_cap_and_the_robot_go_the_same_way(device: str, motion: str) -> None:
    axes, counted = COUNTED[device]
    axis, direction = MOTIONS[motion]
    place, sign = counted[axis]
    counts = [0] * 6
    counts[place] = FULL * sign * direction
    expected = np.zeros(6)
    expected["xyz".index(axis)] = TRAVEL * direction
    np.testing.assert_allclose(axes.deflection(counts), expected)


@pytest.mark.parametrize("axes", [MAGELLAN, USB])
def test_makers_with_right_handed_frames_become_right_handed(axes: NativeAxes) -> None:
    matrix = np.zeros((3, 3))
    for axis, (place, sign) in enumerate(zip(axes.places, axes.signs, strict=True)):
        matrix[axis, place] = sign
    assert np.linalg.det(matrix) == pytest.approx(1.0)


def test_twisting_the_cap_to_the_left_as_seen_from_above_turns_about_up() -> None:
    assert MAGELLAN.deflection((0, 0, 0, 0, FULL, 0))[5] == pytest.approx(TURN)
    assert USB.deflection((0, 0, 0, 0, 0, -FULL))[5] == pytest.approx(TURN)


@pytest.mark.parametrize("axes", [MAGELLAN, SPACEBALL, SPACENAVD, USB])
def test_shares_of_travel_survive_the_way_to_counts_and_back(axes: NativeAxes) -> None:
    shares = (0.5, -0.25, 1.0, -1.0, 0.125, 0.0)
    deflection = axes.deflection(axes.counts(shares))
    np.testing.assert_allclose(deflection, np.array(shares) * ((TRAVEL,) * 3 + (TURN,) * 3), atol=TURN / 300)


def test_spacenavd_and_a_spaceball_agree_as_the_daemon_passes_its_counts_on() -> None:
    assert (SPACEBALL.places, SPACEBALL.signs) == (SPACENAVD.places, SPACENAVD.signs)


def test_a_pose_is_a_rotation_about_the_deflection() -> None:
    turn = np.array((0.01, -0.02, 0.03))
    pose = pose_of(np.concatenate(((0.001, 0.0, -0.001), turn)))
    rotation = pose[:3, :3]
    np.testing.assert_allclose(rotation @ rotation.T, np.eye(3), atol=1e-15)
    np.testing.assert_allclose(rotation @ turn, turn, atol=1e-15)
    assert np.arccos((np.trace(rotation) - 1.0) / 2.0) == pytest.approx(np.linalg.norm(turn))
