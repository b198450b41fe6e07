"""Sweeps: what is found, bounded, within stops, loops closed; in a process that can be ended; written to files."""

from __future__ import annotations

import math
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import trimesh

import robots
import station
from station.bench import loads
from station.view.design import sweeping as sweeping_module
from station.view.design.cloud import MOST_DRAWN, cloud, colours, export
from station.view.design.errors import DesignError
from station.view.design.leading import led_frame
from station.view.design.sweep import Cells, Reachable, Sampler, SweepRequest, sweep
from station.view.design.sweeping import State, Sweeping

PLANE = """\
RAFF v2.0 Plane
robot plane {
  base { }
  link 1 { parameters { 0 0 0 0 } type revolute pred 0 limits { -90 90 } }
  link 2 { parameters { 10 0 0 300 } type revolute pred 1 limits { 5 170 } }
  frame 3 { pred 2 pos { 200 0 0 } }
}
"""


def request(text: str = PLANE, frame: int = 3, **more: Any) -> SweepRequest:
    return SweepRequest(robot=loads(text).robots[0], frame=frame, **more)


def last(asked: SweepRequest) -> Reachable:
    *_, found = sweep(asked)
    return found


def test_an_arm_of_two_links_reaches_a_ring_within_its_stops() -> None:
    found = last(request(samples=4000))
    far = np.linalg.norm(found.points, axis=1)
    assert far.max() <= 0.5 + 1e-9
    assert far.max() > 0.49
    nearest = math.sqrt(0.3**2 + 0.2**2 + 2 * 0.3 * 0.2 * math.cos(math.radians(170.0)))
    assert far.min() >= nearest - 1e-9
    assert far.min() < nearest + 0.03
    assert np.abs(found.points[:, 2]).max() < 1e-12


def test_dexterity_is_that_of_the_jacobian() -> None:
    asked = request(samples=100)
    sampler, mechanism = Sampler(asked), station.mechanism.Mechanism(asked.robot)
    for _ in range(50):
        found = sampler.sample()
        assert found is not None
        point, dexterity = found
        reached = mechanism.reach(3, _at(point), axes="x y")
        assert reached.position_error < 1e-6
        gains = np.linalg.svd(mechanism.jacobian(3)[:2], compute_uv=False)
        assert dexterity == pytest.approx(gains[1] / gains[0], abs=1e-4)


def _at(point: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    pose = np.eye(4)
    pose[:3, 3] = point
    return pose


def test_it_is_always_the_same() -> None:
    one, two = (last(request(samples=300)) for _ in range(2))
    assert (one.points == two.points).all()
    assert (one.dexterity == two.dexterity).all()


@pytest.mark.parametrize("name", robots.names())
def test_every_shipped_robot_can_be_swept_with_loops_closed_and_stops_kept(name: str) -> None:
    robot = station.load(robots.path(name)).robots[0]
    asked = SweepRequest(robot=robot, frame=led_frame(robot)[0], samples=100)
    sampler = Sampler(asked)
    mechanism, places = sampler._mechanism, 0
    for _ in range(40):
        found = sampler.sample()
        if found is None:
            continue
        places += 1
        assert np.isfinite(found[0]).all()
        assert 0.0 <= found[1] <= 1.0 + 1e-9
        if mechanism.report.closure_rows:
            assert mechanism.closure_error.metres < 1e-6
            assert mechanism.pose(asked.frame)[:3, 3] == pytest.approx(found[0], abs=1e-9)
            for joint, value in zip(mechanism.joints, mechanism.q, strict=True):
                if joint.limits is not None:
                    assert joint.limits[0] - 1e-9 <= value <= joint.limits[1] + 1e-9
    assert places > 20


def test_of_each_cell_the_most_dexterous_is_kept() -> None:
    cells = Cells()
    generator = np.random.default_rng(1)
    for _ in range(200):
        cells.add(generator.uniform(-1.0, 1.0, 3), 0.5)
    assert cells.size == pytest.approx(2.0 / 36.0, rel=0.05)
    middle = cells.size * np.array([0.5, 0.5, 0.5]) + 20.0
    for dexterity in (0.2, 0.9, 0.3):
        cells.add(middle, dexterity)
    points, found = cells.all()
    assert found[(points == middle).all(axis=1)].tolist() == [0.9]


@pytest.mark.parametrize(
    ("more", "said"), [({"samples": 99}, "99 samples; allowed: 100 to"), ({"frame": 9}, "no part 9")]
)
def test_what_makes_no_sense_is_refused(more: dict[str, Any], said: str) -> None:
    with pytest.raises(DesignError, match=said):
        request(**more)


def test_a_robot_without_joints_is_refused() -> None:
    text = "RAFF v2.0 Stone robot stone { base { } frame 1 { pred 0 } }"
    with pytest.raises(DesignError, match="has no joint to move"):
        last(request(text, 1, samples=100))


# The process -----------------------------------------------------------------------------------------------


def ended(sweeping: Sweeping) -> State:
    end = time.monotonic() + 60.0
    while sweeping.running and time.monotonic() < end:
        time.sleep(0.01)
    return sweeping.state


def test_a_sweep_in_a_process_of_its_own_finds_the_same() -> None:
    asked = request(samples=300)
    sweeping = Sweeping(asked)
    assert ended(sweeping) is State.DONE
    assert sweeping.share == 1.0
    assert (sweeping.found.points == last(asked).points).all()
    sweeping.cancel()
    assert sweeping.state is State.DONE


def test_a_sweep_that_is_cancelled_ends_at_once() -> None:
    sweeping = Sweeping(request(samples=500_000))
    sweeping.cancel()
    sweeping.cancel()
    assert sweeping.state is State.CANCELLED
    assert sweeping._process.poll() is not None


def test_a_process_that_is_killed_is_told() -> None:
    sweeping = Sweeping(request(samples=500_000))
    sweeping._process.kill()
    assert ended(sweeping) is State.FAILED
    assert "its process ended (-9)" in sweeping.trouble


def test_what_it_refuses_is_told_in_its_words() -> None:
    text = "RAFF v2.0 Stone robot stone { base { } frame 1 { pred 0 } }"
    sweeping = Sweeping(request(text, 1, samples=100))
    assert ended(sweeping) is State.FAILED
    assert sweeping.trouble == "robot stone has no joint to move"


def test_a_process_that_cannot_be_started_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", "/nowhere/python")
    with pytest.raises(OSError, match="nowhere"):
        Sweeping(request())


def test_nonsense_from_the_process_is_not_unpickled() -> None:
    import io

    with pytest.raises(ValueError, match="a message of -1 bytes"):
        sweeping_module.receive(io.BytesIO(sweeping_module.LENGTH.pack(-1)))
    assert sweeping_module.receive(io.BytesIO(b"")) is None
    assert sweeping_module.receive(io.BytesIO(sweeping_module.LENGTH.pack(10) + b"abc")) is None


# What is made of it ----------------------------------------------------------------------------------------


def test_points_are_drawn_in_the_colours_of_their_dexterity_and_no_more_than_can_be() -> None:
    points = np.random.default_rng(1).uniform(-1.0, 1.0, (MOST_DRAWN + 500, 3))
    found = Reachable(points, np.linspace(0.0, 1.0, len(points)), 1, 1, 0.05)
    mesh = cloud(found)
    assert len(mesh.points) == 6 * MOST_DRAWN
    assert mesh.faces.max() < len(mesh.points)
    assert mesh.colours[0, :3] == pytest.approx(colours(np.array([0.0]))[0], abs=1e-6)
    cut = cloud(found, 1, 0.25)
    assert cut.points[:, 1].min() >= 0.25 - 0.05
    assert not len(cloud(Reachable()).faces)


def test_lightness_grows_with_dexterity() -> None:
    lightness = colours(np.linspace(0.0, 1.0, 50)) @ [0.2126, 0.7152, 0.0722]
    assert (np.diff(lightness) > 0.0).all()


def test_a_table_and_a_point_cloud_are_written(tmp_path: Path) -> None:
    found = last(request(samples=300))
    export(found, tmp_path / "a.csv")
    rows = (tmp_path / "a.csv").read_text().splitlines()
    assert rows[0] == "x [m],y [m],z [m],dexterity"
    assert np.loadtxt(rows[1:], delimiter=",")[:, :3] == pytest.approx(found.points, abs=1e-6)
    export(found, tmp_path / "a.PLY")
    read: Any = trimesh.load(tmp_path / "a.PLY", file_type="ply")
    assert np.asarray(read.vertices) == pytest.approx(found.points, abs=1e-5)
    assert np.asarray(read.colors)[:, :3] / 255.0 == pytest.approx(colours(found.dexterity), abs=0.003)
    assert sorted(item.name for item in tmp_path.iterdir()) == ["a.PLY", "a.csv"]


def test_what_cannot_be_written_is_told(tmp_path: Path) -> None:
    found = last(request(samples=300))
    with pytest.raises(DesignError, match=r"points are written as \.csv or \.ply"):
        export(found, tmp_path / "a.xyz")
    with pytest.raises(DesignError, match="no points to write; start a sweep first"):
        export(Reachable(), tmp_path / "a.csv")
    with pytest.raises(DesignError, match="cannot be written: No such file or directory"):
        export(found, tmp_path / "nowhere" / "a.csv")
