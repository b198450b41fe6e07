"""What a program may ask of a served bus: its questions checked, put to the backend, and answered."""

from __future__ import annotations

import errno
import itertools
import secrets
import threading
from array import array
from types import SimpleNamespace
from typing import NamedTuple

from usb.core import USBError  # type: ignore[import-untyped]

from firmware_bridge.usb_bus.messages import LARGEST_TRANSFER, LONGEST_WAIT, Message
from sim_devices.usb.backend import IN, Handle
from sim_devices.usb.bus import Attachment, Bus
from sim_devices.usb.errors import no_device

MOST_HANDLES = 32  # of one session
LARGEST_NUMBER = 0xFFFF  # all numbers of USB requests have 16 bits at most
# How many numbers each verb takes.
AT_ONCE = {
    "set_configuration": 1,
    "get_configuration": 0,
    "set_interface_altsetting": 2,
    "claim_interface": 1,
    "release_interface": 1,
    "is_kernel_driver_active": 1,
    "detach_kernel_driver": 1,
    "attach_kernel_driver": 1,
    "reset_device": 0,
    "clear_halt": 1,
}
# … and then the size of the transfer [bytes] and its time [ms].
TRANSFERS = {"ctrl_transfer": 6, "bulk_read": 4, "bulk_write": 4, "intr_read": 4, "intr_write": 4}
VERBS = {"devices": 0, "open": 1, "close": 0} | AT_ONCE | TRANSFERS


class Question(NamedTuple):
    """A question whose shape is right."""

    verb: str
    handle: int
    numbers: tuple[int, ...]
    data: bytes


class Questions:
    """The questions of one session, from any of its connections; it owns the handles."""

    def __init__(self, bus: Bus) -> None:
        self._bus = bus
        self._backend = bus.backend
        self._handles: dict[int, Handle] = {}
        self._lock = threading.Lock()
        # A handle of a server that was here before must not fit one of this server.
        self._numbers = itertools.count(secrets.randbits(48))

    def answer(self, message: Message) -> Message:
        """The answer; what goes wrong is told, never raised."""
        try:
            return self._do(_question(message))
        except USBError as error:
            number = error.errno or errno.EIO
            return {"errno": number, "code": error.backend_error_code, "text": error.strerror}
        except Exception as error:  # a mistake in an emulator must reach the person, and not end the connection
            return {"errno": errno.EIO, "code": -1, "text": f"the emulator failed: {type(error).__name__}: {error}"}

    def close(self) -> None:
        """Let go of everything, as the system does for a program that has ended."""
        with self._lock:
            handles, self._handles = self._handles, {}
        for handle in handles.values():
            self._backend.close_device(handle)

    def _do(self, question: Question) -> Message:
        verb, _, numbers, _ = question
        if verb == "devices":
            return {"value": [self._describe(attachment) for attachment in self._bus.attachments]}
        if verb == "open":
            return {"value": self._open(numbers[0])}
        with self._lock:
            handle = self._handles.get(question.handle)
            if verb == "close":
                self._handles.pop(question.handle, None)
        if handle is None:
            raise no_device()
        if verb == "close":
            self._backend.close_device(handle)
            return {"value": None}
        if verb in TRANSFERS:
            return self._transfer(question, handle)
        return {"value": getattr(self._backend, verb)(handle, *numbers)}

    def _open(self, address: int) -> int:
        attachment = next((each for each in self._bus.attachments if each.address == address), None)
        if attachment is None:
            raise no_device()
        handle = self._backend.open_device(attachment)
        with self._lock:
            if len(self._handles) >= MOST_HANDLES:
                raise USBError("Insufficient memory", -11, errno.ENOMEM)
            number = next(self._numbers)
            self._handles[number] = handle
        return number

    def _transfer(self, question: Question, handle: Handle) -> Message:
        verb, _, (*numbers, size, timeout), data = question
        incoming = bool(numbers[0] & IN)
        buffer = array("B", bytes(size) if incoming else data)
        count = getattr(self._backend, verb)(handle, *numbers, buffer, timeout)
        return {"value": count, "data": buffer[:count].tobytes().hex() if incoming else ""}

    def _describe(self, attachment: Attachment) -> Message:
        identity = attachment.device.identity
        interfaces = range(len(identity.interfaces))
        return {
            "number": attachment.address,
            "device": _plain(identity.device_descriptor(self._bus.number, attachment.address, attachment.ports)),
            "configuration": _plain(identity.configuration_descriptor()),
            "interfaces": [_plain(identity.interface_descriptor(number)) for number in interfaces],
            "endpoints": [
                [
                    _plain(identity.endpoint_descriptor(number, place))
                    for place in range(len(identity.interfaces[number].endpoints))
                ]
                for number in interfaces
            ],
        }


def _plain(descriptor: SimpleNamespace) -> dict[str, object]:
    """A descriptor as JSON has it."""
    return {name: list(value) if isinstance(value, bytes) else value for name, value in vars(descriptor).items()}


def _question(message: Message) -> Question:
    """The question, or USBError with errno 22: everything about it may be wrong."""
    verb, handle, numbers = message.get("do"), message.get("handle"), message.get("with")
    if not (isinstance(verb, str) and isinstance(handle, int) and isinstance(numbers, list) and verb in VERBS):
        raise _refused()
    if len(numbers) != VERBS[verb] or not all(type(each) is int and 0 <= each <= LARGEST_NUMBER for each in numbers):
        raise _refused()
    try:
        data = bytes.fromhex(message.get("data", ""))
    except (TypeError, ValueError):
        raise _refused() from None
    if verb in TRANSFERS:
        *about, size, timeout = numbers
        wrong_way = verb != "ctrl_transfer" and bool(about[0] & IN) != verb.endswith("read")
        if size > LARGEST_TRANSFER or not 1 <= timeout <= LONGEST_WAIT or wrong_way:
            raise _refused()
        if len(data) != (0 if about[0] & IN else size):
            raise _refused()
    return Question(verb, handle, tuple(numbers), data)


def _refused() -> OSError:
    error: OSError = USBError("Invalid parameter", -2, errno.EINVAL)
    return error
