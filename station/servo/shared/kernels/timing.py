"""Times of the clockwork into the fields of shared state."""

from __future__ import annotations

from station.servo.pacing.kernels.block import (
    AWAY,
    CAUSES,
    LATE,
    LATE_WAITING,
    MEASURES,
    PERIOD,
    RESULTS,
    SKIPPED,
    SPENT,
    STAGES,
    SUMMARY,
    words,
)
from station.servo.shared import at
from station.servo.shared.kernels.atomic import Address
from station.servo.shared.kernels.cache import kernel

NANO = 1e-9  # [s/ns]


@kernel
def fill_timing(mem: Address, block: Address) -> None:
    """Fill `period`, `spent`, `percentiles` and the counts of late ticks from the block of a `Pace`."""
    numbers, spent, percentiles = words(block), at.spent(mem), at.percentiles(mem)
    at.period(mem)[0] = numbers[PERIOD] * NANO
    at.late_ticks(mem)[0], at.skipped_ticks(mem)[0] = numbers[LATE], numbers[SKIPPED]
    at.away(mem)[0] = numbers[AWAY] * NANO
    at.late_waiting(mem)[0] = numbers[LATE_WAITING]
    causes = at.late_by_stage(mem)
    for stage in range(STAGES):
        causes[stage] = numbers[CAUSES + stage]
    for measure in range(MEASURES):
        spent[measure] = numbers[SPENT + measure] * NANO
        for place in range(RESULTS):
            percentiles[measure, place] = numbers[SUMMARY + measure * RESULTS + place] * NANO
