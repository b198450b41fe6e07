"""Waking a Falcon that has just been switched on: into its boot loader, and the firmware into it.

The entry fails at random on real devices, so it is tried many times; what went wrong each time is counted, so that the
person gets a reason and not just 'failed'.
"""

from __future__ import annotations

from collections import Counter

from firmware_bridge.falcon import wire
from firmware_bridge.falcon.frames import Framer, Request, encode_request
from firmware_bridge.falcon.ftdi import FtdiLink
from firmware_bridge.falcon.steps import Report, Steps, at_least, pause, read_until
from station.clock import Clock
from station.devices.errors import DeviceError, DeviceMismatchError, DeviceSilentError

MOST_TRIES = 100  # of entering the boot loader
MOST_UPLOADS = 5  # each takes seconds
PIECE = wire.PAYLOAD  # bytes sent at a time: their echo fills one packet

WELCOME_TIME = 0.050  # for the welcome: 12 bytes at 9600 baud and the latency timer [s]
START_TIME = 0.050  # [s]
ECHO_TIME = 0.250  # for the echo of a piece, which takes 5 ms [s]
FRAME_TIME = 0.030  # for an answer of running firmware, which takes 1 ms [s]
FRAME_TRIES = 3
START_UP_TIME = 0.050  # between upload and first question [s]


def normal_mode(link: FtdiLink) -> None:
    """Set the chip up for frames."""
    link.request(wire.LATENCY, 1)
    link.request(wire.BAUD, wire.BAUD_FRAMES)
    link.purge()


def answers_frames(link: FtdiLink, clock: Clock) -> Steps[bool]:
    """Whether firmware is running: it answers a request without force."""
    normal_mode(link)
    for _ in range(FRAME_TRIES):
        link.write(encode_request(Request()))
        answer = yield from read_until(link, clock, lambda data: bool(Framer().feed(data)), FRAME_TIME)
        if Framer().feed(answer):
            return True
    return False


class Boot:
    """One boot: `run` is the procedure, `reasons` what went wrong on the way."""

    def __init__(self, link: FtdiLink, clock: Clock, image: bytes, report: Report) -> None:
        self._link = link
        self._clock = clock
        self._image = image
        self._report = report
        self.reasons: Counter[str] = Counter()

    def run(self) -> Steps[None]:
        """Bring the firmware to life or raise the DeviceError that says why not."""
        uploads = 0
        for attempt in range(1, MOST_TRIES + 1):
            self._report(f"{self._link.name}: waking the boot loader, try {attempt} of {MOST_TRIES}")
            if not (yield from self._enter()):
                continue
            uploads += 1
            if (yield from self._upload()):
                yield from pause(self._clock, START_UP_TIME)
                if (yield from answers_frames(self._link, self._clock)):
                    return
                self._fails("firmware taken but it does not run")
            if uploads == MOST_UPLOADS:
                break
        raise self._verdict()

    def _enter(self) -> Steps[bool]:
        link = self._link
        link.purge()
        for number, value in (
            (wire.LATENCY, 16),
            (wire.BAUD, wire.BAUD_9600),
            (wire.LINE_FORMAT, wire.EIGHT_BITS),
            (wire.FLOW_CONTROL, 0),
            (wire.MODEM_CONTROL, wire.RTS_LOW),
            (wire.MODEM_CONTROL, wire.DTR_LOW),
            (wire.MODEM_CONTROL, wire.DTR_HIGH),  # this edge resets the device
        ):
            link.request(number, value)
        if not link.write(wire.HELLO):
            return self._fails("greeting not taken by the USB chip")
        answer = yield from read_until(link, self._clock, lambda data: data in wire.WELCOMES, WELCOME_TIME)
        if answer not in wire.WELCOMES:
            return self._fails(f"wrong welcome ({_hex(answer)})" if answer else "no answer to the greeting")
        link.request(wire.MODEM_CONTROL, wire.DTR_LOW)
        link.request(wire.BAUD, wire.BAUD_UPLOAD)
        if not link.write(wire.START):
            return self._fails("start byte not taken by the USB chip")
        answer = yield from read_until(link, self._clock, bool, START_TIME)
        if answer != wire.START:
            return self._fails(
                f"wrong echo of the start byte ({_hex(answer)})" if answer else "no echo of the start byte"
            )
        return True

    def _upload(self) -> Steps[bool]:
        size, told = len(self._image), -1
        for start in range(0, size, PIECE):
            piece = self._image[start : start + PIECE]
            if not self._link.write(piece):
                return self._fails(f"USB chip full at byte {start}")
            answer = yield from read_until(self._link, self._clock, at_least(len(piece)), ECHO_TIME)
            if answer != piece:
                return self._fails(_what_is_wrong(answer, piece, start))
            percent = 100 * (start + len(piece)) // size
            if percent // 5 > told:
                told = percent // 5
                self._report(f"{self._link.name}: sending the firmware, {percent} %")
        return True

    def _fails(self, reason: str) -> bool:
        self.reasons[reason] += 1
        return False

    def _verdict(self) -> DeviceError:
        said = ", ".join(f"{count}× {reason}" for reason, count in self.reasons.most_common(3))
        text = f"{self._link.name}: it could not be started ({said}); {self._advice()}"
        silent = all(reason.startswith("no ") for reason in self.reasons)
        return DeviceSilentError(text) if silent else DeviceMismatchError(text)

    def _advice(self) -> str:
        if any("does not run" in reason for reason in self.reasons):
            return "is this Novint's image for the Falcon?"
        if self._link.behind_hub:
            return "it is behind a hub: plug it into the computer itself"
        return "switch its power supply off and on, then try another USB port"


def _what_is_wrong(answer: bytes, piece: bytes, start: int) -> str:
    for place, (got, sent) in enumerate(zip(answer, piece, strict=False)):
        if got != sent:
            return f"wrong echo at byte {start + place} ({got:02x} instead of {sent:02x})"
    if len(answer) > len(piece):
        return f"too long an echo at byte {start + len(piece)}"
    return f"time-out at byte {start + len(answer)}"


def _hex(data: bytes) -> str:
    return data[:8].hex(" ") + (" …" if len(data) > 8 else "")
