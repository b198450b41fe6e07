"""What the language lets people write."""

from __future__ import annotations

import math

import pytest

import station
from station import mad
from station.mad.scene import Auto, Axis, ClosureKind, HapticStability, Interval, JointValue, StabilityMethod, Target
from station.mad.units import JointType, LengthUnit

ARM = """
RAFF v1.2 Bench   // a comment to the end of the line
sensor 1 { port "/dev/ttyS0" type spaceball translation 2 rotation 0.5 }
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
    assert (scene.devices[0].port, scene.devices[0].translation, scene.devices[0].rotation) == ("/dev/ttyS0", 2, 0.5)
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
