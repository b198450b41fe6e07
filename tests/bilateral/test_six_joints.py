"""Every architecture on the default bench: an arm of six joints meets a stand that only it knows of, 50 ms away."""

from __future__ import annotations

from pathlib import Path

import pytest

from sim_devices.arm import ArmState
from station.bilateral import Architecture, BilateralMethod
from station.run.places import BENCH_HAND, BENCH_WORLD
from station.servo.rig import Wanted
from station.servo.shared import Cause, ServoState
from tests.servo.arm_benches import arm_bench

BOTH = "serial:?couples=yes"
CASES = [
    (BilateralMethod.PASSIVITY, Architecture.POSITION_FORCE, "serial:"),
    (BilateralMethod.PASSIVITY, Architecture.POSITION_POSITION, BOTH),
    (BilateralMethod.PASSIVITY, Architecture.FOUR_CHANNEL, BOTH),
    (BilateralMethod.WAVES, Architecture.POSITION_FORCE, BOTH),
]


@pytest.mark.parametrize(("method", "architecture", "link"), CASES)
def test_contact_is_felt_and_gives_no_energy(
    tmp_path: Path, method: BilateralMethod, architecture: Architecture, link: str
) -> None:
    wanted = Wanted(bilateral=method, architecture=architecture)
    touched = felt = lowest = 0.0
    with arm_bench(
        tmp_path,
        hand=BENCH_HAND.read_text(encoding="utf-8"),
        world=str(BENCH_WORLD),
        settings="tip_time=0.1,contact_force=500",
        link=link,
        delay=0.05,
        wanted=wanted,
    ) as bench:
        while bench.servo.clock.now() < 7.5:  # down to the stand, onto it for two seconds, and on the way back
            bench.ticks()
            touched = max(touched, float(bench.shared.measured_wrench[2]))
            felt = max(felt, float(bench.shared.wrench_parts[Cause.CONTACT, 2]))
            lowest = min(lowest, float(bench.shared.energy_parts[Cause.CONTACT]))
        assert bench.servo.part.rig.reflection.two_port == (link == BOTH)
        assert bench.state() is ServoState.ENGAGED
        assert bench.arm.state is ArmState.ACTIVE, bench.arm.reason
        assert not bench.arm.refused
    assert touched > 10.0
    assert felt > 0.3
    assert lowest > -0.005
