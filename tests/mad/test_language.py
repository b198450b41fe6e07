"""What the language lets people write."""

from __future__ import annotations

import math

import numpy as np
import pytest

import station
from station import mad
from station.mad.curve import moved_to, slopes_of
from station.mad.scene import Auto, Axis, ClosureKind, HapticStability, Interval, JointValue, StabilityMethod, Target
from station.mad.units import JointType, LengthUnit

ARM = """
RAFF v1.2 Bench   // a comment to the end of the line
sensor 1 { port "/dev/ttyS0" type spaceball translation 2 rotation 0 }
sensor 2 { type panel port "Mover" }
robot 6dof {
  path "meshes/"
  frame 7 { pred 6 ori { 0 0 90 } pos { 800 0 0.5 } filename ( "tip.nff" auto ) } /* before
     the link it stands on */
  base { ori { 0 90 0 } pos { 1 2 3 } filename ( ) }
  link 6 { type 2 pred 0 limits { -160 160 } parameters { d 5 alpha -90 theta +45 r 1e1 gamma 10 epsil .5 } }
  link 8 { filename ( auto ) range { -10. 10 } pred 7 type 1 parameters { 0 20 0 0 } }
  constraint { frame 7 sensor ( 0 1 2 ) }
  constraint { link 8 sensor ( 2 ) }
  ball { frame 7 link 8 }
}
robot second { base { } }
"""


def test_everything_of_version_1() -> None:
    scene = station.loads(ARM)
    assert (scene.name, scene.version, scene.unit) == ("Bench", (1, 2), LengthUnit.MM)
    assert [device.id for device in scene.devices] == [1, 2]
    assert scene.devices[0].port == "/dev/ttyS0"
    assert (scene.devices[0].straight_freedoms, scene.devices[0].turning_freedoms) == (2, 0)
    assert scene.warnings == ()
    robot = scene.robot("6dof")
    assert robot.path == "meshes/"
    assert tuple(robot.base.pos) == (0.001, 0.002, 0.003)
    assert tuple(robot.base.ori) == (0.0, math.pi / 2, 0.0)
    assert robot.base.filename == ()
    turning, sliding = robot.links
    assert tuple(turning.parameters) == (math.pi / 4, 0.01, -math.pi / 2, 0.005, math.radians(10), 0.0005)
    assert (turning.joint, turning.pred) == (JointType.REVOLUTE, 0)
    assert turning.stops == Interval(math.radians(-160), math.radians(160))
    assert (sliding.joint, sliding.initial) == (JointType.PRISMATIC, 0.02)
    assert sliding.range == Interval(-0.01, 0.01)
    assert sliding.stops == Interval(0.01, 0.03)
    assert robot.frames[0].filename == ("tip.nff", Auto.AUTO)
    assert [constraint.devices for constraint in robot.constraints] == [(0, 1, 2), (2,), ()]
    assert robot.constraints[2].kind is ClosureKind.BALL
    assert robot.constraints[2].targets == (Target("frame", 7), Target("link", 8))
    assert scene.robots[1].links == ()


FREEDOMS = [  # version and word of the block, what is written, freedoms, scales, hints
    ("v1.0", "translation 3 rotation 3", (3, 3), (1.0, 1.0), 0),
    ("v1.0", "translation 0 rotation 3", (0, 3), (1.0, 1.0), 0),
    ("v1.0", "translation 1.5 rotation 4", (3, 3), (1.5, 4.0), 2),
    ("v1.0", "translation -1", (3, 3), (-1.0, 1.0), 1),
    ("v1.0", "translation 2 straight_scale 2", (2, 3), (2.0, 1.0), 0),
    ("v2.0", "translation 2 rotation 0", (2, 0), (1.0, 1.0), 0),
    ("v2.0 device", "translation 2 rotation 3", (3, 3), (2.0, 3.0), 2),
    ("v2.0 device", "translation 1", (3, 3), (1.0, 1.0), 1),
    ("v2.0 device", "straight_freedoms 2 turning_freedoms 0 turning_scale 2", (2, 0), (1.0, 2.0), 0),
]


@pytest.mark.parametrize(("version", "text", "freedoms", "scales", "hints"), FREEDOMS)
def test_freedoms_of_a_device_and_what_older_files_meant_by_these_words(
    version: str, text: str, freedoms: tuple[int, int], scales: tuple[float, float], hints: int
) -> None:
    major, _, word = version.partition(" ")
    scene = mad.loads(f"RAFF {major} Bench\n{word or 'sensor'} 1 {{ {text} }}")
    device = scene.devices[0]
    assert (device.straight_freedoms, device.turning_freedoms) == freedoms
    assert (device.straight_scale, device.turning_scale) == scales
    assert len(scene.warnings) == hints
    for warning in scene.warnings:
        assert (warning.line, warning.column > 10) == (2, True)
        assert "write that" in warning.text
    assert mad.loads(mad.dumps(scene)).devices == scene.devices


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("straight_freedoms 4", "'straight_freedoms' takes a number of freedoms, 0 to 3, not 4"),
        ("straight_freedoms 0.5", "takes whole numbers"),
        ("translation far", "'translation' takes a number of freedoms, 0 to 3"),
        ("translation 0.5 straight_scale 2", "is given twice"),
    ],
)
def test_freedoms_that_are_none_are_refused(text: str, said: str) -> None:
    with pytest.raises(station.MadError, match=said):
        mad.loads(f"RAFF v1.0 Bench\nsensor 1 {{ {text} }}")


def test_the_version_may_be_left_out() -> None:
    scene = station.loads("RAFF 6dof")
    assert (scene.name, scene.version, scene.major) == ("6dof", None, 1)


def test_line_ends_of_every_system_and_a_byte_order_mark_do_not_matter() -> None:
    assert station.loads(ARM) == station.loads(ARM.replace("\n", "\r\n")) == station.loads(ARM.replace("\n", "\r"))


def test_source_positions_point_at_the_keywords() -> None:
    link = station.loads(ARM).robot("6dof").links[0]
    assert link.source.place == (10, 3)
    assert link.source.of("limits") == (10, 26)
    assert link.source.of("parameters") == (10, 46)


@pytest.mark.parametrize(("unit", "metres"), [("", 0.25), ("unit mm", 0.25), ("unit m", 250.0)])
def test_the_unit_of_lengths_holds_wherever_it_stands(unit: str, metres: float) -> None:
    robot = "robot a { base { pos { 250 0 0 } } }"
    for text in (f"RAFF v2.0 A {unit} {robot}", f"RAFF v2.0 A {robot} {unit}"):
        assert station.loads(text).robots[0].base.pos.x == metres


@pytest.mark.parametrize(
    ("kind", "rows"),
    [("weld", 6), ("revolute", 5), ("prismatic", 5), ("cylindrical", 4), ("universal", 4), ("ball", 3), ("planar", 3)],
)
def test_closures_by_kind(kind: str, rows: int) -> None:
    constraint = constraint_of(f"link 1 link 2 type {kind}")
    assert (constraint.kind, constraint.rows) == (ClosureKind[kind.upper()], rows)


def test_closures_by_axes() -> None:
    constraint = constraint_of("link 1 link 2 axes ( x rz )")
    assert (constraint.axes, constraint.rows) == ((Axis.X, Axis.RZ), 2)


def constraint_of(inside: str) -> station.mad.scene.Constraint:
    joint = "type 2 pred 0 parameters { 0 0 0 0 }"
    text = f"RAFF v2.0 A robot a {{ base {{ }} link 1 {{ {joint} }} link 2 {{ {joint} }} constraint {{ {inside} }} }}"
    return station.loads(text).robots[0].constraints[0]


def test_couplings_and_postures_are_in_the_units_of_their_joints() -> None:
    scene = station.loads(
        """RAFF v2.0 A robot a { base { }
        link 1 { type revolute  pred 0 parameters { 0 0 0 0 } }
        link 2 { type prismatic pred 1 parameters { 0 0 0 0 } }
        link 3 { type revolute  pred 2 parameters { 0 0 0 0 } }
        coupling { link 2 equals ( link 1 2 ) offset 5 }              // 2 mm per degree
        coupling { link 3 equals ( link 1 -1  link 2 90 ) offset 90 } // an adder
        posture home { joints ( link 1 90 link 2 10 ) } }"""
    )
    robot = scene.robots[0]
    first, second = robot.couplings
    assert [value.link for value in first.equals + second.equals] == [1, 1, 2]
    assert first.equals[0].value == pytest.approx(0.002 * 180 / math.pi, rel=1e-15)
    assert first.offset == 0.005
    assert second.equals[0].value == -1.0
    assert second.equals[1].value == pytest.approx(math.pi / 2 / 0.001, rel=1e-15)
    assert second.offset == math.pi / 2
    assert robot.postures[0].joints == (JointValue(1, math.pi / 2), JointValue(2, 0.01))


def test_old_labels_of_parameters_mean_the_same() -> None:
    text = "RAFF A robot a {{ base {{ }} link 1 {{ type 2 pred 0 parameters {{ {} }} }} }}"
    old = "alpha 90 theta 10 rpara 73 dpara 122 gamma 5 epsil 6"
    scene = station.loads(text.format(old))
    assert scene == station.loads(text.format("theta 10 r 73 alpha 90 d 122 gamma 5 epsil 6"))
    assert scene == station.loads(text.format("theta 10 rpara 73 alpha 90 d 122 gamma 5 epsil 6"))
    assert "r 73 alpha 90 d 122" in station.dumps(scene)


def test_cams_and_polynomials_are_in_the_units_of_their_joints() -> None:
    scene = station.loads(
        """RAFF v2.0 A robot a { base { }
        link 1 { type revolute  pred 0 parameters { 0 0 0 0 } }
        link 2 { type prismatic pred 0 parameters { 0 0 0 0 } }
        link 3 { type revolute  pred 0 parameters { 0 0 0 0 } }
        coupling { leader 1 link 2 cam ( -90 10  90 20 ) periodic offset 1 }
        coupling { polynomial ( 90 1.5 0.01 ) link 3 leader 2 } }"""
    )
    cam, lever = scene.robots[0].couplings
    assert cam.cam == ((-math.pi / 2, 0.01), (math.pi / 2, 0.02))
    assert (cam.leaders, cam.periodic, cam.offset) == ((1,), True, 0.001)
    degree = math.pi / 180
    assert lever.polynomial == pytest.approx((math.pi / 2, 1.5 * degree / 1e-3, 0.01 * degree / 1e-6), rel=1e-15)
    assert float(moved_to(lever, {2: np.float64(0.020)})) == pytest.approx((90 + 1.5 * 20 + 0.01 * 400) * degree)
    assert float(slopes_of(lever, {2: np.float64(0.020)})[2]) == pytest.approx((1.5 + 0.02 * 20) * degree / 1e-3)


def test_speeds_turn_or_slide_with_the_joint_and_forces_stay() -> None:
    scene = station.loads(
        """RAFF v2.0 A robot a { base { }
        link 1 { type revolute  pred 0 parameters { 0 0 0 0 } speed 180 acceleration 360 effort 87 }
        link 2 { type prismatic pred 1 parameters { 0 0 0 0 } speed 180 friction { coulomb 2 viscous 3 } passive } }"""
    )
    turning, sliding = scene.robots[0].links
    assert (turning.speed, turning.acceleration, turning.effort) == (math.pi, 2 * math.pi, 87)
    assert (sliding.speed, sliding.friction, sliding.passive) == (0.18, (3.0, 2.0), True)


def test_a_fixed_row_has_no_joint_value() -> None:
    text = "RAFF v2.0 A robot a { base { } link 1 { type fixed pred 0 parameters { 90 113 -90 402 } } }"
    link = station.loads(text).robots[0].links[0]
    assert (link.joint, link.initial, link.stops) == (JointType.FIXED, 0.0, None)


def test_a_file_of_version_1_is_unchanged_under_the_header_of_version_2() -> None:
    old, new = station.loads(ARM), station.loads(ARM.replace("v1.2", "v2.0"))
    assert (old.devices, old.robots) == (new.devices, new.robots)
    assert "sensor ( 0 1 2 )" in station.dumps(old)
    assert "device ( 0 1 2 )" in station.dumps(new)


def test_asking_for_a_robot_that_is_not_there_lists_those_that_are() -> None:
    with pytest.raises(KeyError, match="there are: 6dof, second"):
        station.loads(ARM).robot("ur5")


def test_what_is_trusted_of_a_device_is_read_in_si_and_written_as_it_was() -> None:
    text = (
        "RAFF v2.0 Bench device 1 { haptics { stability { type observer_controller trust 0.4 } "
        "body { damping 0.3 turn_damping 0.001 friction 0.08 mass 0.35 "
        "resolution 0.02 turn_resolution 1 delay 0.0008 } } }"
    )
    scene = station.loads(text)
    haptics = scene.devices[0].haptics
    assert haptics is not None
    assert haptics.stability == HapticStability(type=StabilityMethod.OBSERVER_CONTROLLER, trust=0.4)
    body = haptics.body
    assert body is not None
    assert (body.damping, body.turn_damping, body.friction, body.mass) == (0.3, 0.001, 0.08, 0.35)
    assert body.resolution == pytest.approx(20e-6)
    assert body.turn_resolution == pytest.approx(math.radians(1.0))
    assert body.delay == 0.0008
    assert mad.loads(mad.dumps(mad.loads(text))) == mad.loads(text)


def test_an_unknown_method_of_stability_is_refused_with_its_place() -> None:
    with pytest.raises(station.MadError, match=r"1:51: .*coupling_only, observer_controller, energy_bounding"):
        station.loads("RAFF v2.0 A device 1 { haptics { stability { type hope } } }")
