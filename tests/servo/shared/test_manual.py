"""The page on shared state is made from the tables that the program uses, and its example runs."""

from __future__ import annotations

import re
import threading
from pathlib import Path

import pytest

from station.servo.shared import CommandIntake, Reason, StateWriter, runtime
from station.servo.shared.manual import ENUMS, name_of, refreshed

PAGE = (Path(__file__).parents[3] / "docs" / "shared_state.md").read_text(encoding="utf8")


def test_tables_are_fresh() -> None:
    assert refreshed(PAGE) == PAGE, "run: python -m station.servo.shared.manual docs/shared_state.md"


def test_every_word_in_a_meaning_that_looks_like_a_class_is_explained() -> None:
    known = {name_of(item) for item in ENUMS} | {"Status", "Fault"}  # of the solver and of the forces
    fields = PAGE.partition("<!-- table fields -->")[2].partition("<!-- end -->")[0]
    assert set(re.findall(r"`([A-Z]\w+)`", fields)) <= known


def test_the_example_runs(folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(runtime, "runtime_folders", lambda: [folder])
    (code,) = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
    done = threading.Event()
    with StateWriter(2, folder=folder) as writer, CommandIntake(2, folder=folder) as intake:
        writer.publish()

        def tick() -> None:
            for number in range(5000):
                intake.serve(lambda _: Reason.ACCEPTED, number)
                writer.publish()
                if done.wait(0.001):
                    return

        servo = threading.Thread(target=tick)
        servo.start()
        try:
            exec(code, {})
        finally:
            done.set()
            servo.join()
    assert "True" in capsys.readouterr().out
