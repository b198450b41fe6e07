"""How an emulator is started from another process. Loads nothing that emulators or drivers need: others have to wait.

It says lines on its standard output: `note: …` while it gets ready, then its address. It ends when its standard input
closes, and with the process that started it.
"""

from __future__ import annotations

import contextlib
import subprocess
import time
from collections.abc import Callable, Iterator, Sequence
from types import TracebackType
from typing import TYPE_CHECKING, Self
from urllib.parse import quote

from firmware_bridge.syntaxer.protocol import RATES
from station.child import Lines, environment, python_module
from station.devices.address import Address, parse_address
from station.devices.errors import AddressError, DeviceSilentError
from station.errors import StationError

if TYPE_CHECKING:
    from sim_devices.kinds import Wishes

START_TIMEOUT = 600.0  # the first start on a machine compiles the plant [s]
END_WITHIN = 2.0  # [s]
NOTE = "note: "  # begins a line that is no address yet
AT = "at"  # option of an address: the port or bus of the emulator, if it runs already

Tell = Callable[[str], object]


class Launched:
    """A module of ours in a process of its own; many can be started before the first is waited for.

    Args:
        arguments: of the module.
        module: its name.
        what: how it is called in messages.
        error: what is raised if it does not start.
    """

    def __init__(self, arguments: Sequence[str], module: str, what: str, error: type[StationError]) -> None:
        self._what, self._error = what, error
        self._process = subprocess.Popen(  # noqa: S603 our own program
            python_module(module, *arguments),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env=environment(),
            start_new_session=True,  # Ctrl-C is for who started it, and may still need it to come to rest
        )

    def address(self, tell: Tell = lambda _: None) -> str:
        """Wait until it is ready; returns its address, or raises the error in one line. `tell` hears its notes."""
        process, end = self._process, time.monotonic() + START_TIMEOUT
        assert process.stdout is not None
        assert process.stderr is not None
        lines = Lines(process.stdout)
        while line := lines.next(end - time.monotonic()):
            if not line.startswith(NOTE):
                return line.strip()
            tell(line.strip().removeprefix(NOTE))
        process.kill()
        words = process.stderr.read().strip().splitlines()
        raise self._error(f"{self._what} did not start: {words[-1] if words else 'no reason given'}")

    def close(self) -> None:
        """End it; may be called twice."""
        process = self._process
        assert process.stdin is not None
        process.stdin.close()  # it ends by itself …
        try:
            process.wait(END_WITHIN)
        except subprocess.TimeoutExpired:  # … or else
            process.kill()
            process.wait()
        for stream in (process.stdout, process.stderr):
            assert stream is not None
            stream.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


@contextlib.contextmanager
def announced(arguments: Sequence[str], module: str, what: str, error: type[StationError]) -> Iterator[str]:
    """Run a module of ours that announces its address and ends when its standard input closes; gives the address."""
    with Launched(arguments, module, what, error) as launched:
        yield launched.address()


def wishes_of(address: Address) -> Wishes:
    """What the emulator at an address is to be like; an AddressError for what is not allowed."""
    from sim_devices.kinds import SERIAL, Wishes  # to start an arm takes none of them
    from sim_devices.usb_kinds import USB

    kind = address.place
    if kind not in SERIAL and kind not in USB:
        known = ", ".join((*SERIAL, *USB))
        raise AddressError(f"{address.url}: there is no emulator {kind!r}; there are: {known}")
    return Wishes(
        hand=address.options.get("hand", "default"),
        faults=address.options.get("faults", ""),
        seed=round(address.number("seed", 0, 0, 2**31)),
        rate=address.number("rate", 1000.0, *RATES),
        patient=address.number("patient", 0.0, 0.0, 1.0) > 0.0,
        wrong=round(address.number("wrong", 0, 0, 2**31)) if "wrong" in address.options else None,
        ideal=address.number("ideal", 0.0, 0.0, 1.0) > 0.0,
        serial=address.options.get("serial", ""),
    )


def launched_at(url: str) -> Launched:
    """The emulator of an address, which gets ready while others do."""
    address = parse_address(url)
    return launched(address.place, wishes_of(address))


def beside(url: str, emulator: str) -> str:
    """The address `url` for who opens it beside its emulator, which runs already at the address `emulator`."""
    found = parse_address(emulator)
    return f"{url}{'&' if '?' in url else '?'}{AT}={quote(found.options.get('bus', found.place))}"


def launched(kind: str, wishes: Wishes) -> Launched:
    """An emulated device that gets ready in a process of its own."""
    arguments = ["--hand", wishes.hand, "--faults", wishes.faults, "--seed", str(wishes.seed)]
    arguments += ["--rate", str(wishes.rate), "--with-parent", *(["--patient"] if wishes.patient else [])]
    arguments += ["--serial", wishes.serial, *(["--ideal"] if wishes.ideal else [])]
    arguments += [] if wishes.wrong is None else ["--wrong", str(wishes.wrong)]
    return Launched([kind, *arguments], "sim_devices", f"emulator {kind}", DeviceSilentError)


@contextlib.contextmanager
def started(kind: str, wishes: Wishes) -> Iterator[str]:
    """Start an emulated device in a process of its own, hand out its address, and end it afterwards."""
    with launched(kind, wishes) as emulator:
        yield emulator.address()
