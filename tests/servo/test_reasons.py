"""Why a station holds is told until somebody leads again, also if the trouble was over at once."""

from __future__ import annotations

from pathlib import Path

import pytest

from station.devices.device import DeviceStatus
from station.servo.shared import ServoState, StateReader
from tests.servo.arm_benches import arm_bench
from tests.servo.test_light import AT_REST, LOOKING


@pytest.mark.parametrize(
    ("fault", "words"), [("silence", "no sample for"), ("watchdog-trip", "its watchdog took the force away")]
)
def test_why_a_device_was_lost_for_a_moment_stays_to_be_read(tmp_path: Path, fault: str, words: str) -> None:
    faults, script = f"{fault} at {AT_REST} for 0.04", tmp_path / "hand"
    script.write_text(LOOKING, encoding="utf-8")  # its address is in the reason, and there is no room for all of it
    with (
        arm_bench(tmp_path, device_faults=faults, hand=f"@{script}") as bench,
        StateReader(bench.servo.part.writer.path) as reader,
    ):

        def told() -> tuple[ServoState, str]:
            snapshot = reader.read()
            assert snapshot is not None
            return bench.state(), snapshot.reason_text

        bench.until(AT_REST)
        assert told() == (ServoState.ENGAGED, "")
        bench.until(AT_REST + 0.5)
        state, reason = told()
        assert (state, bench.device.status) == (ServoState.HOLD, DeviceStatus.READY)
        assert words in reason
        bench.until(AT_REST + 2.5)
        assert told() == (ServoState.ENGAGED, "")
