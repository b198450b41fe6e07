"""`station doctor` as a person and a program call it."""

from __future__ import annotations

import json
import subprocess
import sys

from station.servo.doctor import findings_data, findings_text, punctuality
from station.servo.pacing.machine import Fact, Verdict

GOOD = Fact("timer", "1 ns", Verdict.GOOD)
POOR = Fact("scheduler", "no real time", Verdict.POOR, "add your user to the group realtime")


def test_a_poor_finding_makes_the_machine_unfit_and_says_what_to_change() -> None:
    assert findings_data([GOOD])["fit"]
    assert not findings_data([GOOD, POOR])["fit"]
    text = findings_text([GOOD, POOR])
    assert "→ add your user to the group realtime" in text
    assert text.endswith("1 of these will cost ticks")
    assert findings_text([GOOD]).endswith("fit for the servo")


def test_lateness_is_measured_here_and_now() -> None:
    fact = punctuality(0.05)
    assert fact.name == "wake-up"
    assert "late at 1000 Hz" in fact.value


def test_the_command_answers_programs() -> None:
    command = [sys.executable, "-c", "from station.cli import main; main()", "doctor", "--json"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    data = json.loads(done.stdout)
    assert done.returncode == (0 if data["fit"] else 1)
    assert {"real-time scheduling", "wake-up"} <= {finding["name"] for finding in data["findings"]}
