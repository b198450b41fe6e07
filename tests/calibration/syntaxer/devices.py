"""An emulated syntaxer that is not what it says, its real driver, and an emulated person."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import pytest

from calibration.instrument import Instrument
from calibration.syntaxer.bench import Bench
from calibration.syntaxer.collecting import Collecting, Table
from calibration.syntaxer.emulated import EmulatedPerson
from firmware_bridge.syntaxer.driver import SyntaxerDevice
from sim_devices.scheme import EmulatedDevice
from sim_devices.syntaxer import SyntaxerEmulator
from station.cli import main
from station.clock import VirtualClock
from station.devices import open_device


class AtTable(NamedTuple):
    """Everything at one table."""

    bench: Bench
    person: EmulatedPerson
    driver: SyntaxerDevice
    emulator: SyntaxerEmulator

    def collecting(self, folder: Path, table: Table | None = None, instrument: Instrument | None = None) -> Collecting:
        """Collect there."""
        return Collecting(self.bench, self.person, folder, lambda _: None, table, instrument)

    def live(self, seconds: float) -> None:
        """Let time pass."""
        for _ in range(round(1000.0 * seconds)):
            self.bench.tick()


@contextmanager
def at_table(options: str) -> Iterator[AtTable]:
    """Open `sim:syntaxer?options` on a virtual clock."""
    clock = VirtualClock()
    device = open_device(f"sim:syntaxer?hand=none&{options}", clock)
    assert isinstance(device, EmulatedDevice)
    driver, emulator = device.device, device.emulator
    assert isinstance(driver, SyntaxerDevice)
    assert isinstance(emulator, SyntaxerEmulator)
    bench = Bench(driver, clock)
    try:
        yield AtTable(bench, EmulatedPerson(emulator.table, bench), driver, emulator)
    finally:
        device.close()


def station(*arguments: str) -> int:
    """Run the `station` command as a user would; its exit code."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("sys.argv", ["station", *arguments])
        with pytest.raises(SystemExit) as ended:
            main()
    return int(ended.value.code or 0)
