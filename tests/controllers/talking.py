"""Words that tests say to an arm by hand."""

from __future__ import annotations

import numpy as np

from firmware_bridge.arm.messages import PAYLOAD, Message, pack, payload, unpack
from firmware_bridge.arm.protocol import Request, Role, Type
from sim_devices.arm_links.desk import Desk

PEER = "peer"


def said(kind: Type, session: int, sequence: int, data: bytes = b"", time: int = 1) -> bytes:
    return pack(Message(kind, 0, 0, session, sequence, time, data))


def hello(role: Role = Role.COMMAND, nonce: int = 7, name: str = "tester", session: int = 0) -> bytes:
    return said(Type.HELLO, session, 1, payload(Type.HELLO, int(role), nonce, name))


def request(session: int, sequence: int, wanted: Request) -> bytes:
    return said(Type.REQUEST, session, sequence, payload(Type.REQUEST, int(wanted)))


def setpoint(desk: Desk, session: int, sequence: int, q: list[float]) -> bytes:
    data = desk.codec.setpoint(session, sequence, 1, np.array(q), None, None)
    assert data is not None
    return data


def read(answers: list[tuple[object, bytes]]) -> list[Message]:
    messages = [unpack(data) for _, data in answers]
    assert all(isinstance(message, Message) for message in messages)
    return messages  # type: ignore[return-value]


def admitted(desk: Desk, role: Role = Role.COMMAND, peer: str = PEER, nonce: int = 7, now: float = 0.0) -> int:
    """Session of a station that was welcomed."""
    (message,) = read(desk.hear(hello(role, nonce), peer, now))
    assert message.type == Type.WELCOME
    return message.session


def acknowledged(answers: list[tuple[object, bytes]]) -> bool:
    (message,) = read(answers)
    assert message.type == Type.ACK
    return bool(PAYLOAD[Type.ACK].unpack(message.payload)[2])
