"""The physics is where the mechanism is, weighs what the file says and holds its loops together."""

from __future__ import annotations

import struct
from pathlib import Path
from typing import Any

import mujoco  # type: ignore[import-untyped]
import numpy as np
import pytest

import robots
import station
from sim_devices.arm import ArmError, World, mujoco_model
from sim_devices.arm.masses import physical
from sim_devices.arm.model import Built, build, set_start
from station.mad.placement import world_poses
from station.mad.units import JointType
from tests.sim_devices.arm.benches import LEVER, lever, shipped

NEAR = 1e-9  # [m], and of the entries of a rotation
ROBOTS = pytest.mark.parametrize("name", robots.names())


def compiled(built: Built) -> tuple[Any, Any]:
    model = built.spec.compile()
    data = mujoco.MjData(model)
    set_start(built, model, data)
    return model, data


def put(model: Any, data: Any, robot: str, values: dict[int, float]) -> None:
    for link, value in values.items():
        data.qpos[model.joint(f"{robot}/{link}").qposadr[0]] = value
    mujoco.mj_kinematics(model, data)


@ROBOTS
def test_every_frame_is_where_the_file_puts_it_at_random_joint_values(name: str) -> None:
    scene = shipped(name)
    random = np.random.default_rng(1)
    for robot in scene.robots:
        model, data = compiled(build(scene, [robot.name]))
        for _ in range(20):
            values = {
                link.id: float(random.uniform(*(link.stops or (-3.0, 3.0))))
                for link in robot.links
                if link.joint is not JointType.FIXED
            }
            put(model, data, robot.name, values)
            for item, pose in world_poses(robot, values).items():
                site = data.site(f"{robot.name}/{item}")
                assert np.abs(site.xpos - pose[:3, 3]).max() < NEAR
                assert np.abs(site.xmat.reshape(3, 3) - pose[:3, :3]).max() < NEAR


@ROBOTS
def test_every_frame_is_where_the_mechanism_has_it_with_loops_closed(name: str) -> None:
    scene = shipped(name)
    random = np.random.default_rng(2)
    for robot in scene.robots:
        mechanism = scene[robot.name]
        model, data = compiled(build(scene, [robot.name]))
        start = mechanism.q
        for _ in range(5):
            spread = [0.2 if joint.type is JointType.REVOLUTE else 0.02 for joint in mechanism.joints]
            mechanism.q = start + random.uniform(-1.0, 1.0, len(start)) * spread
            put(model, data, robot.name, dict(zip([j.id for j in mechanism.joints], mechanism.q, strict=True)))
            for item in (part.id for part in robot.placed()):
                pose, site = mechanism.pose(item), data.site(f"{robot.name}/{item}")
                assert np.abs(site.xpos - pose[:3, 3]).max() < NEAR
                assert np.abs(site.xmat.reshape(3, 3) - pose[:3, :3]).max() < NEAR
        mechanism.q = start


@ROBOTS
def test_it_starts_with_its_loops_closed_and_touches_nothing(name: str) -> None:
    scene = shipped(name)
    _, data = compiled(build(scene))
    assert np.abs(data.efc_pos[: data.ne]).max(initial=0.0) < 1e-6
    assert data.ncon == 0


def test_masses_are_those_of_the_file() -> None:
    scene = shipped("ur5e")
    model = mujoco_model(scene, "ur5e").compile()
    for link in scene.robots[0].links:
        assert model.body(f"ur5e/{link.id}").mass[0] == link.mass
    assert model.body("ur5e/2").ipos == pytest.approx(scene.robots[0].links[1].com)


def test_a_hand_on_a_frame_before_the_tool_is_part_of_the_tool() -> None:
    model = mujoco_model(shipped("panda")).compile()
    assert model.body("panda/tool").mass[0] == pytest.approx(0.73)
    assert model.body("panda/7").mass[0] == pytest.approx(0.735522)


def test_what_the_file_does_not_say_is_estimated_and_noted() -> None:
    notes = build(shipped("macdac")).notes
    assert any("estimated from its length" in note for note in notes)
    assert any("effort of 5 joints is estimated" in note for note in notes)
    assert not any("kg" in note for note in build(shipped("ur5e")).notes)
    assert any("mobile base stands still" in note for note in build(shipped("robuter-ulm")).notes)


def test_friction_and_rotors_of_the_file_are_taken() -> None:
    model = mujoco_model(lever()).compile()
    dof = model.joint("lever/1").dofadr[0]
    assert model.dof_damping[dof] == 0.2
    assert model.dof_frictionloss[dof] == 0.1
    assert model.dof_armature[dof] == 0.1


def test_stops_are_a_little_behind_the_limits() -> None:
    low, high = mujoco_model(lever()).compile().joint("lever/1").range
    assert low == pytest.approx(-np.pi / 2 - 0.02)
    assert high == pytest.approx(np.pi / 2 + 0.02)


def test_an_inertia_that_no_body_can_have_is_mended() -> None:
    values = np.linalg.eigvalsh(physical(np.diag([0.001, 0.002, 0.5]), 1.0))
    assert values[2] < values[0] + values[1]


def test_obstacles_are_there_and_robots_do_not_touch_themselves() -> None:
    scene = lever(
        "obstacle wall { box { 100 1000 1000 } pos { 720 0 0 } }\nobstacle ball { sphere 50 pos { 0 0 900 } }"
    )
    model, data = compiled(build(scene))
    assert model.geom("obstacle/wall").size == pytest.approx([0.05, 0.5, 0.5])
    touching = {frozenset(model.geom(g).name for g in contact.geom) for contact in data.contact}
    assert touching  # the lever starts inside the wall …
    assert all(any(name.startswith("obstacle/") for name in pair) for pair in touching)  # … and touches only that


def test_a_guessed_capsule_that_starts_in_the_floor_is_not_pushed_out_of_it() -> None:
    built = build(lever("obstacle floor { plane pos { 0 0 -10 } }"))
    _, data = compiled(built)
    assert data.ncon == 0
    assert any("lever/1 touch at the start" in note for note in built.notes)


def test_every_kind_of_shape_is_felt() -> None:
    shapes = "sphere 10", "box { 10 20 30 }", "cylinder { 10 50 }", "capsule { 10 50 }", "plane"
    for shape in shapes:
        model = mujoco_model(lever(f"obstacle thing {{ {shape} pos {{ 0 0 -2000 }} }}")).compile()
        assert model.geom("obstacle/thing").contype[0] == 1


def pyramid(file: Path, size: float) -> None:
    """A binary STL: four corners, four faces."""
    corners = size * np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], dtype="<f4")
    faces = [corners[list(face)] for face in ((0, 2, 1), (0, 1, 3), (0, 3, 2), (1, 2, 3))]
    with file.open("wb") as out:
        out.write(bytes(80) + struct.pack("<I", len(faces)))
        for face in faces:
            out.write(bytes(12) + face.tobytes() + bytes(2))


@pytest.mark.parametrize(("said", "unit"), [("", 0.001), ("scale { 10 10 10 }", 0.01)])
def test_a_mesh_is_felt_in_the_unit_of_the_scene_or_its_own(tmp_path: Path, said: str, unit: float) -> None:
    pyramid(tmp_path / "part.stl", 50.0)
    (tmp_path / "scene.mad").write_text(LEVER + f'obstacle part {{ mesh "part.stl" {said} pos {{ 0 0 -2000 }} }}')
    model = mujoco_model(station.load(tmp_path / "scene.mad")).compile()
    size = np.ptp(model.mesh_vert, axis=0)
    assert np.sort(size)[-1] == pytest.approx(50.0 * unit * np.sqrt(2), rel=0.5)
    assert model.geom("obstacle/part").contype[0] == 1


def test_a_mesh_that_is_none_is_refused_in_one_line(tmp_path: Path) -> None:
    (tmp_path / "part.stl").write_bytes(b"this is not a mesh, whatever it is called")
    (tmp_path / "scene.mad").write_text(LEVER + 'obstacle part { mesh "part.stl" }')
    with pytest.raises(ArmError, match="cannot be emulated") as refused:
        mujoco_model(station.load(tmp_path / "scene.mad"))
    assert "\n" not in str(refused.value)


def test_a_mesh_that_cannot_be_read_is_noted() -> None:
    notes = build(lever('obstacle part { mesh "part.dxf" pos { 0 0 -2000 } }')).notes
    assert any("part.dxf is not felt" in note for note in notes)


def test_a_robot_without_joints_is_refused_in_one_line() -> None:
    scene = station.loads("RAFF v2.0 None\nrobot post { base { } frame 1 { pred 0 } }")
    with pytest.raises(ArmError, match="no joint that moves"):
        World(scene)


def test_a_robot_that_is_not_there_is_refused_with_the_names_there_are() -> None:
    with pytest.raises(ArmError, match="there are: ur5e"):
        mujoco_model(shipped("ur5e"), "ur10")


def test_a_joint_that_moves_next_to_nothing_is_refused_in_one_line() -> None:
    """MuJoCo only warns, in words of its own, and then computes anything."""
    links = "\n".join(
        f"link {n} {{ parameters {{ theta 0 r 0 alpha 0 d 0 }} type 2 pred {n - 1} mass {mass} com {{ 0 0 0 }} "
        f"inertia {{ {moment} {moment} {moment} }} armature 0 }}"
        for n, mass, moment in ((1, "1e-5", "1e-12"), (2, "1e9", "1e9"))
    )
    scene = station.loads(f"RAFF v2.0 A robot a {{ base {{ }} {links} tool 3 {{ pos {{ 100 0 0 }} pred 2 }} }}")
    with pytest.raises(ArmError, match="joint a/1 moves next to no mass beside the others; give its link a mass"):
        build(scene)
