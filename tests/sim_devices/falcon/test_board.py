"""The emulated boot loader and firmware."""

from __future__ import annotations

from firmware_bridge.falcon import wire
from firmware_bridge.falcon.frames import Request, encode_request
from firmware_bridge.falcon.wire import HELLO, START, WELCOMES
from sim_devices.falcon.board import Board, Mode
from sim_devices.falcon.encoders import INNER_MARK, OUTER_MARK, Encoders
from sim_devices.faults import FaultScript, parse_faults


def board(reluctance: int = 0, image: bytes | None = None, seed: int = 0) -> Board:
    return Board(seed, running=False, reluctance=reluctance, image=image)


def hear(made: Board, data: bytes, divisor: int) -> list[bytes]:
    return made.hear(data, divisor, lambda _: b"reply")


def start(made: Board, image: bytes) -> None:
    """All the way to running."""
    assert hear(made, HELLO, wire.BAUD_9600)[0] in WELCOMES
    assert hear(made, START, wire.BAUD_UPLOAD) == [START]
    assert hear(made, image, wire.BAUD_UPLOAD) == [image]
    made.baud_changed(wire.BAUD_FRAMES, rejects=False)


def test_the_way_from_boot_loader_to_firmware() -> None:
    made = board()
    start(made, b"image")
    assert made.mode is Mode.RUNNING
    assert hear(made, encode_request(Request()), wire.BAUD_FRAMES) == [b"reply"]


def test_both_welcomes_are_said() -> None:
    said = {hear(board(seed=seed), HELLO, wire.BAUD_9600)[0] for seed in range(10)}
    assert said == set(WELCOMES)


def test_at_the_wrong_rate_nothing_is_understood() -> None:
    assert hear(board(), HELLO, wire.BAUD_UPLOAD) == []
    made = board()
    start(made, b"image")
    assert hear(made, encode_request(Request()), wire.BAUD_9600) == []


def test_another_image_does_not_run() -> None:
    made = board(image=b"image")
    start(made, b"other")
    assert made.mode is Mode.DEAD
    assert hear(made, encode_request(Request()), wire.BAUD_FRAMES) == []


def test_a_reset_forgets_the_firmware() -> None:
    made = board()
    start(made, b"image")
    made.reset()
    assert made.mode is Mode.BOOT
    assert made.uploaded == 0


def test_a_reluctant_one_ignores_greetings() -> None:
    made = board(reluctance=2)
    assert [bool(hear(made, HELLO, wire.BAUD_9600)) for _ in range(3)] == [False, False, True]


def test_frames_in_pieces_are_answered_once_they_are_whole() -> None:
    made = board()
    start(made, b"image")
    frame = encode_request(Request())
    assert hear(made, frame[:9], wire.BAUD_FRAMES) == []
    assert hear(made, frame[9:] + frame, wire.BAUD_FRAMES) == [b"reply", b"reply"]


# Encoders ------------------------------------------------------------------------------------------------


def test_counts_are_relative_until_a_leg_has_been_out_and_in() -> None:
    encoders, faults = Encoders(homed=False), FaultScript()
    encoders.switch_on([100, 100, 100])
    assert encoders.read([150, 100, 100], faults) == (50, 0, 0)
    encoders.watch([OUTER_MARK + 1] * 3)
    encoders.watch([INNER_MARK - 1, 0, 0])
    assert encoders.homed == 0b001
    assert encoders.read([-950, 100, 100], faults) == (-950, 0, 0)


def test_an_axis_beyond_the_third_is_one_of_the_three() -> None:
    faults = FaultScript(parse_faults("encoder-offset axis=7 counts=10"))
    faults.update(0.0, {})
    assert Encoders(homed=True).read([0, 0, 0], faults) == (0, 10, 0)
