"""The kernels on their own: called from another kernel they do the same, and the same again every time."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from station.devices.device import Sample
from station.devices.mapping import Box, Bubble, Edge, MappingSettings, Mode
from station.devices.mapping.manual import figure, refreshed
from station.devices.mapping.mapping import LOOKING_ALONG_Y, Mapping, mapping_tick, mapping_wrench
from station.devices.mapping.state import MappingNumbers, MappingState, numbers_of
from station.devices.velocity.estimator import velocity_tick
from station.devices.velocity.history import VelocityState
from station.devices.velocity.settings import VelocityNumbers, VelocitySettings
from station.devices.velocity.settings import numbers_of as velocity_numbers_of
from station.kernel import kernel
from tests.devices.mapping.hands import BUTTONS, Array

SETTINGS = MappingSettings(engagement=BUTTONS, edge=Edge(region=Box(size=(0.1,) * 3)), bubble=Bubble(radius=0.02))
TICKS = 300
DOCS = Path(__file__).parents[3] / "docs"


@kernel
def whole_tick(
    state: MappingState,
    numbers: MappingNumbers,
    speeds: VelocityState,
    speed_numbers: VelocityNumbers,
    ways: Array,
    view: Array,
    target: Array,
    robot: Array,
    pose: Array,
    spare: Array,
) -> float:
    """A servo in small: velocity, mapping, wrench; the robot obeys."""
    place, velocity, felt = spare[0], speeds.speed, spare[1]
    total = 0.0
    for i in range(ways.shape[0]):
        now = 1e-3 * i
        pose[:3, 3] = ways[i]
        place[:3] = ways[i]
        velocity_tick(speeds, speed_numbers, now, place)
        buttons = 1 if i > 5 else 0
        mapping_tick(state, numbers, now, True, True, True, pose, velocity, buttons, now, now, i, robot, view, target)
        mapping_wrench(state, velocity, felt)
        robot[:, :] = target
        total += felt[0] + state.own_force[0]
    return total


def run() -> tuple[Array, float]:
    phases = np.linspace(0.0, 6.0, TICKS)[:, None]
    ways = 0.05 * np.concatenate([np.sin(phases), np.cos(1.3 * phases) - 1.0, np.sin(2.1 * phases)], axis=1)
    target = np.eye(4)
    state = MappingState()
    total = whole_tick(
        state,
        numbers_of(SETTINGS),
        VelocityState(),
        velocity_numbers_of(VelocitySettings()),
        ways,
        LOOKING_ALONG_Y.copy(),
        target,
        np.eye(4),
        np.eye(4),
        np.zeros((2, 6)),
    )
    assert state.mode is Mode.ENGAGED
    return target, float(total)


def test_a_kernel_can_call_the_whole_mapping_and_gets_the_same_again() -> None:
    first, total = run()
    second, again = run()
    np.testing.assert_array_equal(first, second)
    assert total == again != 0.0
    assert np.abs(first - np.eye(4)).max() > 0.01


def test_two_mappings_with_the_same_story_agree_to_the_last_bit() -> None:
    targets = []
    for _ in range(2):
        mapping, robot = Mapping(SETTINGS), np.eye(4)
        for i in range(100):
            pose = np.eye(4)
            pose[0, 3] = 0.0003 * i
            sample = Sample(pose, np.zeros(6), 1 if i > 3 else 0, 0.0, 1e-3 * i, 1e-3 * i, i)
            mapping.tick(1e-3 * i, sample, robot)
            robot = mapping.target.copy()
        assert mapping.mode is Mode.ENGAGED
        targets.append(robot)
    np.testing.assert_array_equal(targets[0], targets[1])


def test_read_only_and_strided_arrays_are_welcome() -> None:
    mapping = Mapping(SETTINGS)
    robot = np.asfortranarray(np.eye(4))
    robot.flags.writeable = False
    pose = np.eye(8)[::2, ::2]
    mapping.tick(0.0, Sample(pose, np.zeros(12)[::2], 0, 0.0, 0, 0, 0), robot)
    assert mapping.mode is Mode.WAITING


def test_tables_and_figure_of_the_manual_are_fresh() -> None:
    page = (DOCS / "mapping.md").read_text(encoding="utf8")
    assert refreshed(page) == page, "run: python -m station.devices.mapping.manual"
    assert (DOCS / "pictures" / "mapping-response.svg").read_text(encoding="utf8") == figure()
