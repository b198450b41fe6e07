"""The loop of every worker: one case in, then one pass over some of its targets per request, timed step by step.

    ← case                                     → {"versions": …, "q": …, "poses": …}
    ← {"first": 0, "last": 2000, "keep": true} → {"us": […], "q": […], "failures": 0, "reason": ""}

Only the standard library and numpy: this runs in the environments of the peers.
"""

from __future__ import annotations

import gc
import importlib.metadata
import json
import os
import sys
import time
from collections.abc import Callable
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


class Solver(Protocol):
    """What a worker module provides."""

    def place(self, q: Array) -> None:
        """Stand at joint values q, at rest [rad | m]."""

    def prepare(self, target: Array) -> None:
        """What is not timed before a step; most do everything in `step`."""

    def step(self, target: Array) -> None:
        """Move towards a pose: one tick of a sequence, or to convergence if targets are independent."""

    def joints(self) -> Array:
        """Joint values in file order [rad | m]."""

    def pose(self, name: str) -> Array:
        """World pose of a body where it stands, 4×4 [m]."""


def watched(case: dict[str, Any]) -> list[str]:
    """Names of the bodies whose poses are compared at the start."""
    ends = [closure[end] for closure in case["closures"] for end in ("one", "other")]
    return sorted({case["frame"], *ends})


def joint_names(case: dict[str, Any]) -> list[str]:
    """Joints in file order, as URDF and MJCF call them."""
    return [f"{body['name']}_joint" for body in case["bodies"] if body["joint"] != "fixed"]


def serve(make: Callable[[dict[str, Any]], Solver], packages: list[str]) -> None:
    """Answer requests until the input ends."""
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # whatever a library prints must not mix with the answers
    case = json.loads(sys.stdin.readline())
    for name in ("targets", "start", "probe"):
        case[name] = np.array(case[name])
    solver = make(case)
    solver.place(case["probe"])
    poses = {name: np.asarray(solver.pose(name)).tolist() for name in watched(case)}
    versions = {package: importlib.metadata.version(package) for package in packages}
    _answer(answers, {"versions": versions, "q": solver.joints().tolist(), "poses": poses})
    for line in sys.stdin:
        request = json.loads(line)
        _answer(answers, run_pass(solver, case, request["first"], request["last"], keep=request["keep"]))


def run_pass(solver: Solver, case: dict[str, Any], first: int, last: int, *, keep: bool) -> dict[str, Any]:
    """One pass over targets first … last-1, with the garbage collector off, as a servo would run."""
    spent: list[float] = []
    kept: list[list[float]] = []
    failures, reason = 0, ""
    clock = time.perf_counter_ns
    solver.place(case["start"])
    gc.collect()
    gc.disable()
    for target in case["targets"][first:last]:
        if case["independent"]:
            solver.place(case["start"])
        solver.prepare(target)
        started = clock()
        try:
            solver.step(target)
        except Exception as problem:  # a failure is a result here
            failures += 1
            reason = reason or f"{type(problem).__name__}: {problem}".partition("\n")[0]
        spent.append((clock() - started) / 1e3)
        if keep:
            kept.append(solver.joints().tolist())
    gc.enable()
    return {"us": spent, "q": kept, "failures": failures, "reason": reason}


def _answer(stream: Any, content: dict[str, Any]) -> None:
    stream.write(json.dumps(content) + "\n")
    stream.flush()
