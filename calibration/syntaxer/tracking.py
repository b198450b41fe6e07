"""What measures the handle from outside: an instrument at an address, a tracker beside an emulator, or a person."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager

import numpy as np

from calibration.errors import DataError, PoseError
from calibration.instrument import PERSON, SKIP, Instrument, instrument_at
from firmware_bridge.instrument import About, Reading
from firmware_bridge.instrument.lines import POSE
from sim_devices.instrument import TrackerSettings
from sim_devices.syntaxer import SyntaxerEmulator
from sim_devices.syntaxer.tracker import HandleTracker
from station.clock import Clock, VirtualClock
from station.devices.address import parse_address
from station.kernel.so3 import rotation

TRACKER = "sim:tracker"
AWAY = 1.5  # where the emulated tracker stands [m]
Ask = Callable[[str], str]


class TypedPoses:
    """Somebody who reads full poses off an instrument and types them."""

    def __init__(self, ask: Ask, noise: float, turn_noise: float) -> None:
        """Take somebody.

        Args:
            ask: shows a question and returns what was typed.
            noise: of a position, standard deviation per axis [m].
            turn_noise: of a rotation, standard deviation per axis [rad].
        """
        self._ask = ask
        self.about = About(PERSON, PERSON, POSE, noise, turn_noise)

    def measure(self) -> Reading:
        """Ask until six numbers are typed."""
        question = f"tracker: x y z [mm], then the rotation vector [°]; or {SKIP}"
        while True:
            typed = self._ask(question).replace(",", " ").split()
            if typed == [SKIP]:
                raise PoseError("skipped by the person")
            try:
                numbers = np.array([float(word) for word in typed])
            except ValueError:
                numbers = np.zeros(0)
            if numbers.shape == (6,) and np.isfinite(numbers).all():
                return Reading(1e-3 * numbers[:3], rotation(np.radians(numbers[3:])))
            question = f"six numbers by spaces [mm, °], or {SKIP}"

    def close(self) -> None:
        """Nothing to do."""


@contextmanager
def tracker_at(
    url: str, emulator: SyntaxerEmulator | None, clock: Clock, ask: Ask, noise: tuple[float, float] = (1e-5, 2e-4)
) -> Iterator[Instrument]:
    """Open what measures the handle.

    Args:
        url: `tcp://host:port`, `person`, or `sim:tracker` with options such as `?noise=2e-05&turns=1`.
        emulator: of the device, if it lives in this process: `sim:tracker` stands beside it.
        clock: that both live by.
        ask: asks a person.
        noise: of what a person reads off, standard deviations per axis [m, rad].
    """
    if url == PERSON:
        yield TypedPoses(ask, *noise)
        return
    if url.partition("?")[0] != TRACKER:
        with closing(instrument_at(url, ask, clock=clock)) as instrument:
            yield instrument
        return
    if emulator is None or not isinstance(clock, VirtualClock):
        raise DataError(f"{url}: stands beside an emulated syntaxer only; give tcp://host:port, or {PERSON}")
    with closing(emulated_tracker(url, emulator)) as tracker:
        detach = clock.attach(lambda _: tracker.step())
        try:
            with closing(instrument_at(tracker.address, ask, clock=clock)) as instrument:
                yield instrument
        finally:
            detach()


def emulated_tracker(url: str, emulator: SyntaxerEmulator) -> HandleTracker:
    """The tracker of an address such as `sim:tracker?noise=2e-05`, as good as the emulator's table says if not told."""
    address, errors = parse_address(url), emulator.table.errors
    address.allow({"noise", "turn_noise", "turns", "unseen", "blunders", "seed"})
    settings = TrackerSettings(
        noise=address.number("noise", errors.tracker, 0.0, 0.01),
        turn_noise=address.number("turn_noise", errors.tracker_turn, 0.0, 0.1),
        away=AWAY,
        blunders=address.number("blunders", 0.0, 0.0, 1.0),
        unseen=address.number("unseen", 0.0, 0.0, 1.0),
        turns=address.number("turns", 1.0, 0.0, 1.0) > 0.0,
    )
    return HandleTracker(emulator.plant, settings, round(address.number("seed", 0, 0, 2**31)))
