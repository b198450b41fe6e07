"""Quantities with marks at the places they belong to, words, faults; and what cannot be known."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import numpy as np
import pytest

from station.servo.shared import Acting, BilateralStatus, Cause, ControllerCode, Event, ServoState
from station.view import moment
from station.view.augment import reading
from station.view.errors import ViewRequestError
from station.view.moment import Link, Moment
from station.view.staged import staged
from station.view.theme import DARK, LIGHT
from tests.view.pictures import picture, scene
from tests.view.staging import panda, words


def test_speed_is_shown_by_spheres_that_grow_with_it() -> None:
    view, robot = panda(measured_v=(0.0, 2.17, -0.5, 0.0, 0.0, 0.0, 0.0))
    view.augment.layers.cursor = False
    view.augment.show("speed", mark="sphere")
    points = view.augment.additions().mesh.points
    assert len(points) % 2 == 0
    ends = points.reshape(2, -1, 3)  # a sphere each for the two joints that move
    sizes = np.ptp(ends, axis=1).max(axis=1)
    joint = robot.body.joints[2]
    assert sizes[0] == pytest.approx(2.0 * 2.8 * joint.radius, rel=0.05)
    assert sizes[1] < 0.6 * sizes[0]
    assert words(view) == ["joint 2: 2.17 rad/s"]


def test_speed_is_full_at_each_joints_own_limit() -> None:
    view, robot = panda(measured_v=[0.5 * link.speed for link in panda()[1].robot.links if link.speed])
    links = [link for link in robot.robot.links if link.speed]
    assert len({link.speed for link in links}) > 1
    view.augment.show("speed", "transparency")
    shown = view.augment.additions().opacities
    assert [shown[link.id] for link in links] == pytest.approx([shown[links[0].id]] * len(links))
    assert shown[links[0].id] == pytest.approx(1.0 - 0.85 * 0.5, abs=1e-6)


def test_every_quantity_has_every_mark() -> None:
    view, robot = panda(measured_v=np.linspace(-1.0, 1.0, 7), measured_wrench=(5.0, 0.0, 0.0, 0.0, 0.0, 0.0))
    view.augment.tell("temperature", np.linspace(30.0, 80.0, 7))
    view.augment.tell("effort", np.linspace(-50.0, 50.0, 7))
    view.augment.layers.cursor = view.augment.layers.tool_force = False
    for quantity in ("speed", "effort", "load", "temperature"):
        view.augment.hide()
        view.augment.show(quantity, "sphere")
        assert len(view.augment.additions().mesh.points), quantity
        view.augment.hide(quantity, "sphere")
        view.augment.show(quantity, "arrow")
        assert view.augment.additions().arrows, quantity
        view.augment.hide()
        view.augment.show(quantity, "colour")
        assert view.augment.additions().tints
        assert robot.tints
        view.augment.hide()
        view.augment.show(quantity, "transparency")
        assert min(view.augment.additions().opacities.values()) < 1.0
        assert robot.predicted.states.faded
        assert not view.augment.notes
    view.augment.hide()
    view.augment.additions()
    assert not robot.tints
    assert not robot.predicted.states.faded


def test_arrows_point_along_the_axis_of_the_joint_by_the_sign() -> None:
    view, _robot = panda(measured_v=(-2.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0))
    view.augment.show("speed", "arrow")
    (arrow,) = view.augment.additions().arrows
    assert arrow.vector[2] < 0.0  # the first axis is upright


def test_efforts_are_those_that_the_arm_measures() -> None:
    efforts = np.array([1.0, -30.0, 2.0, np.nan, 0.0, 3.0, 1.0])
    view, _robot = panda(measured_effort=efforts)
    view.augment.show("effort", "colour", full=60.0)
    assert set(view.augment.additions().tints) == {1, 2, 3, 5, 6, 7}
    assert words(view)[0] == "joint 2: -30 N·m"
    view.augment.tell("effort", np.full(7, 12.0))  # who tells it knows better
    assert words(view)[0].endswith(": 12 N·m")


def test_temperatures_are_those_that_the_arm_measures() -> None:
    view, _robot = panda(measured_temperature=np.array([31.0, 72.0, 40.0, np.nan, 35.0, 33.0, 30.0]))
    view.augment.show("temperature", "sphere")
    assert words(view)[0] == "joint 2: 72 °C"


def test_what_cannot_be_known_is_said_and_never_drawn() -> None:
    view, _robot = panda()
    view.augment.layers.cursor = False
    for quantity in ("effort", "temperature"):
        view.augment.show(quantity, "colour")
        view.augment.show(quantity, "sphere")
    added = view.augment.additions()
    assert view.augment.notes == [
        "joint effort: not known (no effort is measured)",
        "temperature: not known (no temperature is measured)",
    ]
    assert not added.tints
    assert not len(added.mesh.points)
    picture(view)


def test_one_joint_that_is_not_known_has_no_mark_beside_those_that_are() -> None:
    view, _ = panda()
    view.augment.tell("temperature", [50.0, np.nan, 60.0, np.inf, 50.0, 50.0, 50.0])
    view.augment.show("temperature", "colour")
    assert set(view.augment.additions().tints) == {1, 3, 5, 6, 7}


@pytest.mark.parametrize(
    ("fields", "why"),
    [
        ({"controller_status": ControllerCode.NONE}, "there is no controller"),
        ({"measured_age": 1e9}, "nothing has been measured yet"),
        ({"measured_q": np.full(7, np.nan)}, "nothing has been measured yet"),
        ({"commanded_age": 1e9}, "nothing has been commanded yet"),
    ],
)
def test_a_tracking_error_without_measurement_is_not_known(fields: dict[str, Any], why: str) -> None:
    view, _ = panda(**fields)
    view.augment.show("tracking", "sphere")
    view.augment.additions()
    assert view.augment.notes == [f"tracking error: not known ({why})"]


def test_a_stale_measurement_is_no_measurement() -> None:
    view, robot = panda(measured_v=np.ones(7))
    robot.measure(robot.q, age=3.0)
    view.augment.show("tracking")
    view.augment.additions()
    assert view.augment.notes == ["tracking error: not known (the measurement is too old)"]


def test_the_tracking_error_is_the_gap_between_commanded_and_measured() -> None:
    view, robot = panda()
    view.augment.put(robot, staged(robot, 2, measured_q=robot.q - [0.0, 0.0, 0.03, 0.0, 0.0, 0.0, 0.0]))
    view.augment.show("tracking", "arrow", full=0.06)
    (arrow,) = view.augment.additions().arrows
    assert words(view) == ["joint 3: 0.03 rad"]
    assert np.linalg.norm(arrow.vector) == pytest.approx(0.5 * 9.0 * robot.body.joints[3].radius)


def test_the_state_is_said_in_words() -> None:
    parts, acting = np.zeros((12, 6)), np.zeros(7)
    parts[Cause.STOPS, :3] = 0.0, 6.2, 0.0
    acting[2], acting[4] = 1, 2
    view, _ = panda(
        wrench_parts=parts, joint_acting=acting, acting=Acting.JOINT_STOP | Acting.JOINT_SPEED | Acting.REACH
    )
    assert view.status == [
        "engaged",
        "joint 3 at its upper stop, 6.2 N",
        "joint 5 at its speed limit",
        "limits: reach",
    ]
    view.augment.additions()
    assert set(view.robots["panda"].tints) == {3, 5}


def test_a_fault_is_said_with_its_cause_and_an_end_as_well() -> None:
    view, robot = panda()
    told = staged(robot, 2, {"measures_wrench": False}, state=ServoState.FAULT, fault=Event.ARM_LOST)
    view.augment.put(robot, Moment(told.snapshot, link=Link.ENDED, text=told.text, fresh=True, joints=7))
    assert view.status == ["fault, cause: arm lost", "force at the tool: not measured", Link.ENDED.value]


def test_signs_of_the_force_sensor_are_in_the_state_lines() -> None:
    view, robot = panda()

    def lines(number: int, time: float, bits: int) -> list[str]:
        told = staged(robot, number, {}, reflection_status=bits, time=time)
        view.augment.put(robot, told)
        return view.status

    untared = "sensor not tared: press t with the arm at rest"
    assert lines(2, 1.0, BilateralStatus.UNTARED) == ["engaged"]  # it may be looked for just now
    assert lines(3, 2.1, BilateralStatus.UNTARED) == ["engaged", untared]
    both = lines(5, 2.3, BilateralStatus.UNTARED | BilateralStatus.PRESSING)
    assert both == ["engaged", "arm presses as hard as it may", untared]
    assert list(view.augment.signs) == both[1:]
    assert lines(6, 2.5, BilateralStatus.GOOD) == both  # one that flickers can be read
    assert lines(7, 2.7, BilateralStatus.GOOD) == ["engaged"]
    lines(8, 2.8, BilateralStatus.PRESSING)
    view.augment.restart()  # another station
    assert view.augment.signs == ()


FIELDS = (
    *("predicted_q", "predicted_v", "measured_q", "measured_v", "measured_wrench", "wrench", "wrench_parts"),
    *("target_pose", "hand_pose", "measured_pose", "predicted_pose", "commanded_q", "scale", "measured_age"),
)


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_no_number_in_a_snapshot_is_survived_and_draws_nothing_senseless(value: float) -> None:
    view, robot = panda()
    layers = view.augment.layers
    layers.ellipsoid = layers.device_workspace = True
    for quantity in ("speed", "load", "tracking", "nearness"):
        for mark in ("sphere", "colour", "arrow", "transparency"):
            view.augment.show(quantity, mark)
    for number, wrong in enumerate([*((field,) for field in FIELDS), FIELDS], 2):
        text = {"travel": [[-0.1, 0.1]] * 3}
        view.augment.put(robot, staged(robot, number, text, **dict.fromkeys(wrong, value)))
        added = view.augment.additions()
        assert np.isfinite(added.mesh.points).all(), wrong
        assert all(np.isfinite(lines.ends).all() for lines in added.lines), wrong
        assert all(np.isfinite(arrow.vector).all() for arrow in added.arrows), wrong
        assert not {"nan", "inf"} & set(" ".join([*words(view), *view.status]).split()), wrong
    picture(view)


@pytest.mark.parametrize(
    ("ask", "said"),
    [
        (lambda a: a.show("charm"), "no quantity 'charm'; there are: speed, effort, load, nearness"),
        (lambda a: a.show("speed", "smell"), "no mark 'smell'; there are: sphere, colour, transparency, arrow"),
        (lambda a: a.show("speed", robot="hal"), "no robot 'hal' in this scene; there are: panda"),
        (lambda a: a.show("speed", full=-1.0), "speed is full at -1; allowed: more than 0"),
        (lambda a: a.hide("charm"), "no quantity 'charm'"),
        (lambda a: a.tell("speed", [0.0] * 7), "'speed' cannot be told; what can: effort, temperature"),
        (lambda a: a.tell("effort", [0.0] * 6), "robot panda takes 7 values, one per joint"),
    ],
)
def test_what_there_is_not_is_one_clear_line(ask: Any, said: str) -> None:
    with pytest.raises(ViewRequestError, match=said):
        ask(scene("panda").augment)


def test_stops_that_cannot_be_shown_so_are_refused_in_the_picture() -> None:
    view = scene("panda")
    view.augment.layers.stops = "some"
    with pytest.raises(ViewRequestError, match="stops cannot be shown as 'some'; there are: off, near, all"):
        view.augment.additions()


def test_what_was_told_can_be_taken_back() -> None:
    view, _ = panda()
    view.augment.tell("temperature", [50.0] * 7)
    view.augment.show("temperature")
    view.augment.additions()
    assert not view.augment.notes
    view.augment.tell("temperature", None)
    view.augment.additions()
    assert view.augment.notes == ["temperature: not known (no temperature is measured)"]


def test_nothing_is_made_anew_while_nothing_has_changed() -> None:
    view, robot = panda(measured_v=np.ones(7))
    view.augment.show("speed")
    first = view.augment.additions()
    assert view.augment.additions() is first
    robot.predict(robot.q + 0.01)
    assert view.augment.additions() is not first
    again = view.augment.additions()
    view.use_theme(DARK if view.theme is LIGHT else LIGHT)
    assert view.augment.additions() is not again


def test_commanded_and_measured_paths_are_drawn_beside_the_predicted_one() -> None:
    view, _ = panda()
    assert set(view.trails) == {"predicted", "commanded", "measured"}
    light = view.trails["commanded"].colour
    view.use_theme(DARK)
    assert view.trails["commanded"].colour != light


def test_numbers_of_shared_state_that_are_written_down_here_are_those_of_shared_state() -> None:
    assert reading.NO_CONTROLLER == ControllerCode.NONE
    assert reading.NEVER == moment.NEVER


def test_a_picture_without_a_station_loads_no_shared_state() -> None:
    code = "import sys, station.view.png; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "station.view.augment" in done.stdout.split()
    assert not [name for name in done.stdout.split() if name.startswith(("station.servo", "station.haptics"))]
