"""Entrants in one contest: one process each, run alternately in rounds so that the machine's noise hits all alike."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import tempfile
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from benchmarks.peers.bodies import Array, forward
from benchmarks.peers.case import POSE_TOLERANCE, Case
from benchmarks.peers.environments import ROOT, NotInstalledError, progress, python_of

OURS = "ours"
SECONDS_TO_ANSWER = 900.0  # longest wait for one answer before a worker counts as hung
ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")


@dataclass(frozen=True)
class Entrant:
    """A solver with its settings; `note` says what is special about them."""

    label: str
    worker: str
    environment: str | None
    options: dict[str, Any] = field(default_factory=dict)
    note: str = ""
    targets: int | None = None  # a slow one takes part with only so many targets


@dataclass
class Outcome:
    """What one entrant did: times per round [µs], joint values of its last pass (or of all independent targets)."""

    us: list[list[float]] = field(default_factory=list)
    q: list[list[float]] = field(default_factory=list)
    failures: int = 0
    passes: int = 0
    reason: str = ""  # why it is missing, or its first failure
    missing: bool = False

    def note(self, answer: dict[str, Any]) -> None:
        """Add what a worker answered."""
        self.us.append(answer["us"])
        self.q += answer["q"]
        self.failures += answer["failures"]
        self.passes += 1
        self.reason = self.reason or answer["reason"]

    @property
    def hopeless(self) -> bool:
        """True if it failed at every step: how long it takes to fail is of no interest."""
        return self.failures == sum(map(len, self.us))

    @property
    def joints(self) -> Array:
        """Joint values after each target (T, n)."""
        return np.array(self.q)


class WorkerError(Exception):
    """A worker ended or does not agree about the kinematics."""


class Worker:
    """A process that runs one solver on one case."""

    def __init__(self, entrant: Entrant) -> None:
        python = python_of(entrant.environment)
        environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")} | ONE_THREAD
        self.complaints = tempfile.TemporaryFile("w+")  # noqa: SIM115 - closed with the worker
        self.process = subprocess.Popen(
            [str(python), "-m", f"benchmarks.peers.workers.{entrant.worker}"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self.complaints,
            text=True,
            cwd=ROOT,
            env=environment,
        )

    def prepare(self, entrant: Entrant, case: Case) -> None:
        """Hand over the case, compare kinematics, fill caches by a few steps that are not timed."""
        self._agree(case, self._ask(case.message(entrant.options)))
        self.run(0, 20)

    def _agree(self, case: Case, ready: dict[str, Any]) -> None:
        """Its forward kinematics must be ours, or the comparison is void."""
        expected = forward(case.bodies, np.array([ready["q"]]))
        for name, pose in ready["poses"].items():
            worst = float(np.abs(np.array(pose) - expected[name][0]).max())
            if not worst < POSE_TOLERANCE:
                raise WorkerError(f"its pose of {name} is {worst:.2g} off")

    def _ask(self, line: str) -> dict[str, Any]:
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        alarm = threading.Timer(SECONDS_TO_ANSWER, self.process.kill)
        alarm.start()
        try:
            self.process.stdin.write(line + "\n")
            self.process.stdin.flush()
            answer = self.process.stdout.readline()
        except BrokenPipeError:
            answer = ""
        finally:
            alarm.cancel()
        if not answer:
            raise WorkerError(self._last_words())
        content: dict[str, Any] = json.loads(answer)
        return content

    def _last_words(self) -> str:
        self.process.wait()
        self.complaints.seek(0)
        lines = [line.strip() for line in self.complaints if line.strip()]
        return lines[-1] if lines else f"ended with exit code {self.process.returncode}"

    def run(self, first: int, last: int, *, keep: bool = False) -> dict[str, Any]:
        """One pass over targets first … last-1."""
        return self._ask(json.dumps({"first": first, "last": last, "keep": keep}))

    def close(self) -> None:
        """End the process: it stops by itself when its input ends."""
        for stream in (self.process.stdin, self.process.stdout):
            if stream is not None:
                with contextlib.suppress(BrokenPipeError):
                    stream.close()
        try:
            self.process.wait(timeout=10.0)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.complaints.close()


class Contest:
    """All entrants on one case, each with its process and what it has done so far."""

    def __init__(self, case: Case, entrants: Sequence[Entrant]) -> None:
        self.case = case
        self.entrants = list(entrants)
        self.outcomes = {entrant.label: Outcome() for entrant in entrants}
        self.workers: dict[str, Worker] = {}

    def start(self) -> None:
        """Start all processes that can be, then wait for each to be ready."""
        for entrant in self.entrants:
            try:
                self.workers[entrant.label] = Worker(entrant)
            except NotInstalledError as problem:
                self._drop(entrant.label, problem)
        for entrant in self.entrants:
            try:
                if entrant.label in self.workers:
                    self.workers[entrant.label].prepare(entrant, self.case)
            except WorkerError as problem:
                self._drop(entrant.label, problem)

    def _drop(self, label: str, problem: Exception) -> None:
        missing = isinstance(problem, NotInstalledError) or "No module named" in str(problem)
        outcome = self.outcomes[label]
        outcome.missing, outcome.reason = True, f"{'not installed' if missing else 'did not run'}: {problem}"
        if label in self.workers:
            self.workers.pop(label).close()

    def play(self, number: int, rounds: int) -> None:
        """One round; every other one in reverse order."""
        count = len(self.case.targets)
        first, last = 0, count
        if self.case.independent:
            first, last = count * number // rounds, count * (number + 1) // rounds
        for entrant in self.entrants[:: 1 if number % 2 == 0 else -1]:
            until = min(last, entrant.targets or last)
            if entrant.label not in self.workers or first >= until:
                continue
            keep = self.case.independent or number == rounds - 1
            try:
                self.outcomes[entrant.label].note(self.workers[entrant.label].run(first, until, keep=keep))
            except WorkerError as problem:
                self._drop(entrant.label, problem)

    def close(self) -> None:
        """End all processes."""
        for worker in self.workers.values():
            worker.close()


def compete(cases: Mapping[str, Case], entrants: Sequence[Entrant], rounds: int) -> dict[str, dict[str, Outcome]]:
    """Run all entrants on all cases alternately: outcomes by case, then by entrant.

    A sequence is run whole in every round, from the start; independent targets are dealt out over the rounds.
    """
    contests = {label: Contest(case, entrants) for label, case in cases.items()}
    try:
        for contest in contests.values():
            contest.start()
        for number in range(rounds):
            progress(f"  {', '.join(cases)}: round {number + 1} of {rounds}")
            for contest in contests.values():
                contest.play(number, rounds)
    finally:
        for contest in contests.values():
            contest.close()
    return {label: contest.outcomes for label, contest in contests.items()}
