"""Every link of an arm and every device, with every fault there is: the whole station ends as one table says.

Rows and columns come from the emulators, so one that is added is in here by itself, and without a line in the table
the test says where to add it. In every case: the hand never leads again by itself, force is zero within 20 ms of the
end, setpoints stay within the arm's limits, and a fresh press (after a reset where it was a fault) leads on.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from sim_devices.arm.faults import ARM_KINDS
from sim_devices.faults import KINDS
from tests.servo import fault_table
from tests.servo.arm_benches import OPENINGS
from tests.servo.fault_table import ARM_CASES, DEVICE_CASES, Case
from tests.servo.matrix import ARM_ROWS, DEVICE_ROWS, HANDS, ZERO_WITHIN, Row, arm_row, device_row

LED, AFTER = 0.2, 0.1  # before a fault begins, and after it has ended [s]


def test_every_fault_and_every_emulator_has_its_line() -> None:
    table = "tests/servo/fault_table.py"
    assert set(ARM_CASES) == set(ARM_KINDS), f"a fault of arms: add it to ARM_CASES in {table}"
    assert set(DEVICE_CASES) == set(KINDS), f"a fault of devices: add it to DEVICE_CASES in {table}"
    assert set(OPENINGS) == set(ARM_ROWS), (
        "a link of an arm: add how it is opened to OPENINGS in tests/servo/arm_benches.py"
    )
    assert set(HANDS) == set(DEVICE_ROWS), "a device: add the hand that holds it to HANDS in tests/servo/matrix.py"


def test_the_page_has_this_table() -> None:
    marked = fault_table.MARKED.search(fault_table.PAGE.read_text("utf8"))
    assert marked is not None
    assert fault_table.matrix() in marked.group(0), "write it with: python -m tests.servo.fault_table"


def seen_meanwhile(row: Row, seconds: float) -> str:
    """Go on for so long [s]; what must not be, if anything."""
    left: float | None = None
    for _ in row.live(seconds, moves=True):
        if row.leads and left is not None:
            return "leads again by itself"
        if not row.leads and left is None:
            left = row.now
        if left is not None and row.now > left + ZERO_WITHIN and row.pushes > 0.0:
            return f"pushes with {row.pushes:.1f} N after it has ended"
    return ""


def what_is_wrong(row: Row, name: str, kind: str, case: Case) -> str:
    """Lead, put the fault in, look at everything; what is not as it must be, if anything."""
    pressed = row.press()
    row.run(LED, moves=True)
    if not (pressed and row.leads):
        return f"a press does not lead: {row.state.name}, {row.why}"
    row.put_in(f"{kind} {case.numbers} for {case.lasts}")
    seen = seen_meanwhile(row, case.lasts + AFTER)
    row.faults.clear()
    ends = case.but.get(name, case.ends) if kind in row.asked else fault_table.BORNE
    cause = row.shared.cause
    if not seen and row.state.name not in ends:
        seen = f"ends in {row.state.name} ({cause.name}: {row.why}), not in {' or '.join(sorted(ends))}"
    elif not seen and row.state.name not in fault_table.BORNE and cause not in case.causes:
        seen = f"ends by {cause.name} ({row.why}), not by {', '.join(one.name for one in case.causes)}"
    speed, acceleration = row.worst_setpoint()
    if not seen and max(speed, acceleration) > 1.0 + 1e-6:
        seen = f"setpoints at {speed:.2f} of the speed and {acceleration:.2f} of the acceleration allowed"
    return seen


def judged(name: str, cases: dict[str, tuple[Case, ...]], folder: Path) -> list[str]:
    """All faults of a row, one after the other on one bench; a new one where a person would have to see to it."""
    make = arm_row if name in ARM_ROWS else device_row
    lines: list[str] = []
    todo = [(kind, case) for kind, several in cases.items() for case in several]
    while todo:
        with make(name, folder) as row:
            while todo:
                kind, case = todo.pop(0)
                wrong = what_is_wrong(row, name, kind, case)
                if wrong:
                    lines.append(f"{name}, {kind} {case.numbers}: {wrong}")
                if wrong or name in case.by_hand:
                    break
            else:
                if not row.press():
                    lines.append(f"{name}, after all: a press does not lead: {row.state.name}, {row.why}")
    return lines


@pytest.mark.parametrize("link", ARM_ROWS)
def test_every_fault_of_an_arm_over_every_link_ends_as_the_table_says(link: str, tmp_path: Path) -> None:
    assert judged(link, ARM_CASES, tmp_path) == []


@pytest.mark.parametrize("kind", DEVICE_ROWS)
def test_every_fault_of_every_device_ends_as_the_table_says(kind: str, tmp_path: Path) -> None:
    assert judged(kind, DEVICE_CASES, tmp_path) == []
