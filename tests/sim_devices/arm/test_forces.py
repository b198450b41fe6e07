"""Forces at the tool: weight, contact with a wall, pushes; and their signs."""

from __future__ import annotations

import numpy as np
import pytest

from sim_devices.arm import ArmSettings, ArmState
from sim_devices.arm.model import GRAVITY
from tests.sim_devices.arm.benches import QUIET, Floats, Live, lever, rise, shipped

TABLE = "obstacle table { box { 400 400 100 } pos { 700 0 -250 } }"  # its top is 200 mm under the shoulder


def forces(bench: Live) -> tuple[Floats, Floats]:
    """Means of the measured force and of the true contact force over 100 ms, in world axes [N]."""
    measured, true = [], []
    q = bench.arm.reading().q
    for _ in range(100):
        bench.arm.setpoint(bench.last if bench.last is not None else q, None, None, 0)
        bench.wait(0.001)
        measured.append(bench.arm.body.tool_pose[:3, :3] @ bench.arm.reading().wrench[:3])
        true.append(bench.arm.body.contact_force)
    return np.mean(measured, axis=0), np.mean(true, axis=0)


def test_a_tool_at_rest_feels_nothing_but_noise_and_bias() -> None:
    bench = Live(shipped("panda"), ArmSettings(**QUIET))
    bench.wait(0.3)
    assert np.abs(bench.arm.reading().wrench).max() < 1e-3


@pytest.mark.parametrize("mass", [0.2, 2.0])
@pytest.mark.parametrize("name", ["ur5e", "panda", "stewart"])
def test_a_load_at_rest_is_measured_as_its_weight(name: str, mass: float) -> None:
    bench = Live(shipped(name), ArmSettings(payload=mass, **QUIET))
    bench.wait(1.5)
    assert forces(bench)[0] == pytest.approx([0.0, 0.0, -mass * GRAVITY], abs=0.002 * mass * GRAVITY)


def test_a_load_off_the_tool_gives_its_moment() -> None:
    bench = Live(lever(), ArmSettings(payload=1.0, payload_at=(0.1, 0.0, 0.0), **QUIET))
    bench.wait(1.5)
    # At rest x of the tool points forward, y up, z to the right: 1 kg 100 mm in front turns it about -z.
    assert bench.arm.reading().wrench == pytest.approx([0.0, -GRAVITY, 0.0, 0.0, 0.0, -0.1 * GRAVITY], abs=0.02)


def test_a_load_that_the_controller_does_not_know_makes_the_arm_sink_at_first_and_come_back() -> None:
    bench = Live(shipped("ur5e"), ArmSettings(payload=3.0, **QUIET))
    begin = bench.arm.body.q
    bench.wait(0.05)
    assert np.abs(bench.arm.body.q - begin).max() > 5e-4
    bench.wait(3.0)
    assert np.abs(bench.arm.body.q - begin).max() < 2e-4


def test_a_table_pushes_the_tool_up_with_the_force_of_the_contact() -> None:
    bench = Live(lever(TABLE), ArmSettings(bandwidth=4.0, **QUIET)).active()
    begin = bench.arm.reading().q
    down = np.array([-0.31, 0.0])  # to a little behind the surface, which is at -0.29
    bench.follow(rise(begin, down, 1.0), 1.5)
    assert bench.arm.state is ArmState.ACTIVE
    measured, true = forces(bench)
    assert true[2] > 5.0
    assert measured == pytest.approx(true, abs=0.02 * true[2] + 0.05)
    assert bench.arm.body.tool_pose[2, 3] > -0.205  # it does not go through


def test_force_on_the_tool_grows_with_the_depth_of_the_setpoint() -> None:
    forces = []
    for depth in (0.30, 0.31, 0.32):
        bench = Live(lever(TABLE), ArmSettings(bandwidth=4.0, integral=0.0, **QUIET)).active()
        bench.follow(rise(bench.arm.reading().q, np.array([-depth, 0.0]), 1.0), 1.3)
        forces.append(float(bench.arm.body.contact_force[2]))
    assert forces[0] < forces[1] < forces[2]


def test_somebody_who_pushes_the_tool_is_felt_with_sign() -> None:
    bench = Live(shipped("ur5e"), ArmSettings(**QUIET))
    bench.wait(0.1)
    bench.arm.body.push(np.array([0.0, 20.0, 0.0, 0.0, 0.0, 0.0]))
    bench.wait(0.5)
    assert forces(bench)[0] == pytest.approx([0.0, 20.0, 0.0], abs=0.1)


def test_noise_and_bias_are_as_told_and_depend_on_the_seed() -> None:
    settings = ArmSettings(force_noise=0.2, force_bias=2.0)
    biases = []
    for seed in (1, 2):
        bench = Live(lever(), settings, seed=seed)
        bench.wait(0.3)
        said = []
        for _ in range(400):
            bench.wait(0.001)
            said.append(bench.arm.reading().wrench[:3])
        assert np.std(said, axis=0) == pytest.approx([0.2] * 3, rel=0.25)
        biases.append(np.mean(said, axis=0))
    assert np.abs(biases[0] - biases[1]).max() > 0.2


def test_efforts_at_rest_are_the_weight_of_the_arm() -> None:
    bench = Live(lever())
    bench.wait(0.5)
    # Lying flat: links of 2 and 1 kg at 200 and 550 mm, tool of 0.5 kg at 680 mm.
    shoulder = GRAVITY * (2.0 * 0.2 + 1.0 * 0.55 + 0.5 * 0.68)
    assert bench.arm.reading().effort[0] == pytest.approx(shoulder, abs=0.15)  # friction holds the rest
