"""The arm's half of the conversation: who commands, what is let through, what is refused and counted."""

from __future__ import annotations

from zlib import crc32

import numpy as np
import pytest

from firmware_bridge.arm.messages import PAYLOAD, text_of
from firmware_bridge.arm.protocol import HEADER_SIZE, RefusalCode, Refused, Request, Role, State, Type
from sim_devices.arm.machine import ArmState
from sim_devices.arm_links.desk import Desk
from sim_devices.arm_links.seats import FORGOTTEN, MOST_SESSIONS, SILENT
from tests.controllers.double import DoubleArm
from tests.controllers.talking import PEER, acknowledged, admitted, hello, read, request, said, setpoint


@pytest.fixture
def arm() -> DoubleArm:
    return DoubleArm()


@pytest.fixture
def desk(arm: DoubleArm) -> Desk:
    return Desk(arm)


HERE = [0.0, 0.0, 0.1, 0.0]
THERE = [0.5, 0.0, 0.1, 0.0]


def active(desk: Desk) -> int:
    session = admitted(desk)
    assert acknowledged(desk.hear(request(session, 1, Request.ACTIVATE), PEER, 0.0))
    return session


def test_a_setpoint_is_followed_while_active(desk: Desk, arm: DoubleArm) -> None:
    session = active(desk)
    assert desk.hear(setpoint(desk, session, 1, THERE), "any way", 0.0) == []
    assert arm.q.tolist() == THERE
    assert desk.setpoints == 1
    assert not desk.refused


def test_a_replayed_setpoint_is_refused_and_counted(desk: Desk, arm: DoubleArm) -> None:
    session = active(desk)
    old = setpoint(desk, session, 1, THERE)
    desk.hear(old, PEER, 0.0)
    desk.hear(setpoint(desk, session, 2, HERE), PEER, 0.0)
    desk.hear(old, PEER, 0.0)
    assert arm.q.tolist() == HERE
    assert desk.refused == {Refused.REPLAY: 1}


def test_a_setpoint_of_an_earlier_session_is_refused(desk: Desk, arm: DoubleArm) -> None:
    session = active(desk)
    desk.hear(said(Type.BYE, session, 1), PEER, 0.0)
    assert arm.state is ArmState.READY
    new = admitted(desk, nonce=8)
    assert new != session
    desk.hear(request(new, 1, Request.ACTIVATE), PEER, 0.0)
    desk.hear(setpoint(desk, session, 99, THERE), PEER, 0.0)
    assert arm.q.tolist() == HERE
    assert desk.refused == {Refused.SESSION: 1}


def test_a_setpoint_that_carries_nan_is_refused(desk: Desk, arm: DoubleArm) -> None:
    session = active(desk)
    body = bytearray(setpoint(desk, session, 1, THERE)[:-4])
    body[HEADER_SIZE : HEADER_SIZE + 8] = np.float64(np.nan).tobytes()
    desk.hear(bytes(body) + crc32(body).to_bytes(4, "little"), PEER, 0.0)
    assert arm.q.tolist() == HERE
    assert desk.refused == {Refused.NOT_FINITE: 1}


@pytest.mark.parametrize("sequence", [2**63, 2**64 - 1])
def test_a_setpoint_whose_number_no_echo_can_repeat_is_refused_and_counted(
    desk: Desk, arm: DoubleArm, sequence: int
) -> None:
    session = admitted(desk)
    arm.activate()
    body = bytearray(setpoint(desk, session, 1, THERE)[:-4])
    body[16:24] = sequence.to_bytes(8, "little")
    assert desk.hear(bytes(body) + crc32(body).to_bytes(4, "little"), PEER, 0.0) == []
    assert desk.refused == {Refused.RANGE: 1}
    assert arm.echo == -1
    desk.hear(setpoint(desk, session, 2**63 - 1, THERE), PEER, 0.0)
    assert arm.echo == 2**63 - 1
    measured = desk.measurement(0.0)
    assert measured is not None
    said = desk.codec.read_measurement(measured)
    assert said is not None
    assert said.echo == 2**63 - 1


def test_a_setpoint_out_of_range_is_refused_by_the_arm(desk: Desk, arm: DoubleArm) -> None:
    session = active(desk)
    desk.hear(setpoint(desk, session, 1, [9.0, 0.0, 0.1, 0.0]), PEER, 0.0)
    assert arm.q.tolist() == HERE
    assert (desk.refused_setpoints, arm.refused) == (1, 1)


def test_a_setpoint_for_another_number_of_joints_is_refused(desk: Desk, arm: DoubleArm) -> None:
    session = active(desk)
    other = Desk(DoubleArm(joints=arm.capabilities.joints[:2]))
    desk.hear(setpoint(other, session, 1, [0.5, 0.0]), PEER, 0.0)
    assert arm.q.tolist() == HERE
    assert desk.refused == {Refused.LENGTH: 1}


def test_a_second_station_may_observe_and_never_command(desk: Desk, arm: DoubleArm) -> None:
    session = active(desk)
    (refusal,) = read(desk.hear(hello(nonce=8, name="intruder"), "other", 0.1))
    code, nonce, reason = PAYLOAD[Type.REFUSAL].unpack(refusal.payload)
    assert (refusal.type, code, nonce) == (Type.REFUSAL, RefusalCode.BUSY, 8)
    assert "another station commands the arm: tester" in text_of(reason)
    observer = admitted(desk, Role.OBSERVE, "other", nonce=9)
    (refusal,) = read(desk.hear(request(observer, 1, Request.DEACTIVATE), "other", 0.1))
    assert PAYLOAD[Type.REFUSAL].unpack(refusal.payload)[0] == RefusalCode.NOT_COMMANDER
    desk.hear(setpoint(desk, observer, 1, THERE), "other", 0.1)
    desk.hear(request(session, 2, Request.DEACTIVATE), "other", 0.1)  # with the session of another
    assert arm.state is ArmState.ACTIVE
    assert arm.q.tolist() == HERE
    assert desk.refused[Refused.SESSION] == 3


def test_a_silent_commander_loses_its_seat_and_the_arm_holds(desk: Desk, arm: DoubleArm) -> None:
    session = active(desk)
    assert admitted(desk, peer="other", nonce=8, now=SILENT + 0.1) != session
    assert arm.state is ArmState.READY


def test_a_commander_that_comes_back_takes_its_own_seat(desk: Desk) -> None:
    session = admitted(desk)
    (message,) = read(desk.hear(hello(nonce=8, session=session), "new way", 0.1))
    assert message.type == Type.WELCOME
    assert list(desk.seats.sessions) == [message.session]


def test_a_hello_that_comes_twice_is_one_session(desk: Desk) -> None:
    assert admitted(desk) == admitted(desk)
    assert len(desk.seats.sessions) == 1


def test_a_request_that_comes_twice_is_done_once_and_answered_twice(desk: Desk, arm: DoubleArm) -> None:
    session = admitted(desk)
    first, second = (desk.hear(request(session, 1, Request.ACTIVATE), PEER, 0.0) for _ in range(2))
    assert first == second
    assert arm.log == ["activate"]
    desk.hear(request(session, 2, Request.DEACTIVATE), PEER, 0.0)
    assert desk.hear(request(session, 1, Request.ACTIVATE), PEER, 0.0) == []
    assert arm.state is ArmState.READY
    assert desk.refused == {Refused.REPLAY: 1}


def test_a_request_that_cannot_be_granted_is_answered_with_the_reason(desk: Desk, arm: DoubleArm) -> None:
    session = admitted(desk)
    arm.stop()
    arm.stuck_fault = True
    assert not acknowledged(desk.hear(request(session, 1, Request.ACTIVATE), PEER, 0.0))
    (answer,) = read(desk.hear(request(session, 2, Request.RESET), PEER, 0.0))
    assert text_of(PAYLOAD[Type.ACK].unpack(answer.payload)[4]) == "the cause is still there"
    assert desk.hear(said(Type.REQUEST, session, 3, bytes([99]) + bytes(7)), PEER, 0.0) == []
    assert desk.refused == {Refused.RANGE: 1}


def test_an_arm_without_an_end_of_a_bilateral_link_has_nothing_to_tare(desk: Desk, arm: DoubleArm) -> None:
    session = admitted(desk)
    assert not acknowledged(desk.hear(request(session, 1, Request.TARE), PEER, 0.0))
    assert arm.log == []


def test_anybody_may_stop(desk: Desk, arm: DoubleArm) -> None:
    active(desk)
    (answer,) = read(desk.hear(said(Type.STOP, 0, 1), "a stranger", 0.0))
    assert answer.type == Type.STOPPED
    assert PAYLOAD[Type.STOPPED].unpack(answer.payload)[0] == State.STOPPED
    assert arm.state is ArmState.STOPPED


def test_a_station_of_another_version_is_told_so(desk: Desk) -> None:
    body = bytearray(hello()[:-4])
    body[2] = 9
    (answer,) = read(desk.hear(bytes(body) + crc32(body).to_bytes(4, "little"), PEER, 0.0))
    code, nonce, reason = PAYLOAD[Type.REFUSAL].unpack(answer.payload)
    assert (code, nonce) == (RefusalCode.VERSION, 7)
    assert text_of(reason) == "the arm speaks version 1 of the protocol, the station 9; update the older"
    assert desk.refused == {Refused.VERSION: 1}


def test_what_only_an_arm_says_is_refused(desk: Desk) -> None:
    session = admitted(desk)
    measured = desk.measurement(0.0)
    assert measured is not None
    assert desk.hear(measured, PEER, 0.0) == []
    assert desk.hear(said(Type.ECHO, session, 1, bytes(PAYLOAD[Type.ECHO].size)), PEER, 0.0) == []
    assert desk.refused == {Refused.TYPE: 2}


def test_a_heartbeat_is_answered_once_with_the_times_of_both(desk: Desk) -> None:
    session = admitted(desk)
    beat = said(Type.HEARTBEAT, session, 1, time=123)
    (echo,) = read(desk.hear(beat, PEER, 0.0))
    heard, heard_at, state, role, _ = PAYLOAD[Type.ECHO].unpack(echo.payload)
    assert (heard, state, role) == (123, State.READY, Role.COMMAND)
    assert heard_at == pytest.approx(100e9)
    assert desk.hear(beat, PEER, 0.0) == []
    assert desk.refused == {Refused.REPLAY: 1}


def test_a_change_of_state_is_told_to_every_session(desk: Desk, arm: DoubleArm) -> None:
    admitted(desk)
    admitted(desk, Role.OBSERVE, "other", nonce=8)
    desk.measurement(0.0)
    assert desk.events(0.0) == []
    arm.stop()
    desk.measurement(0.0)
    events = desk.events(0.0)
    assert [peer for peer, _ in events] == [PEER, "other"]
    assert text_of(PAYLOAD[Type.EVENT].unpack(read(events)[0].payload)[1]) == "emergency stop"
    assert desk.events(0.0) == []


def test_sessions_are_bounded_and_the_commander_is_kept(desk: Desk) -> None:
    session = admitted(desk)
    for number in range(3 * MOST_SESSIONS):
        admitted(desk, Role.OBSERVE, f"watcher {number}", nonce=100 + number, now=0.01 * number)
    assert len(desk.seats.sessions) == MOST_SESSIONS
    assert session in desk.seats.sessions
    admitted(desk, Role.OBSERVE, "late", nonce=9, now=2.0 * FORGOTTEN)
    assert len(desk.seats.sessions) == 2  # a commander's seat is kept until another wants it


def test_physics_that_has_gone_astray_is_not_published(desk: Desk, arm: DoubleArm) -> None:
    arm.v[:] = 1e300
    assert desk.measurement(0.0) is None
