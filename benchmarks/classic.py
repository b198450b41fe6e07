"""The methods of the books side by side: ten links to random targets, and nine links along a figure-eight.

Ten links: 300 random targets within reach, each from one bent posture, tolerance 0.01 m, position only. Nine links: the
thesis's comparison, 100 targets in a row, each from the answer before, tolerances of 0.1, 0.01 and 0.001 m.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable

import numpy as np
from numpy.typing import NDArray

from station.mad.scene import Base, Frame, Link, Parameters, Robot, Vector
from station.mad.units import JointType
from station.mechanism.classic import METHODS, Chain, Goal, Status
from station.mechanism.classic.fabrik import fabrik_points

Floats = NDArray[np.float64]
Solver = Callable[[Goal, Floats], tuple[Floats, int, float]]  # → state, iterations, error [m]

TOLERANCE = 0.01  # [m]
TARGETS = 300
MOST = 2000  # iterations
TIP = 99


def planar(links: int) -> Chain:
    """Links of 1 m with parallel axes."""
    joints = tuple(
        Link(id=i + 1, pred=i, joint=JointType.REVOLUTE, parameters=Parameters(0.0, 0.0, 0.0, 1.0 if i else 0.0))
        for i in range(links)
    )
    tip = Frame(id=TIP, pos=Vector(1.0, 0.0, 0.0), pred=links)
    return Chain.to(Robot(name="planar", base=Base(), links=joints, frames=(tip,)), TIP)


def on_joints(chain: Chain, method: str) -> Solver:
    """A method by name; its state is the joint values."""

    def run_one(goal: Goal, q: Floats) -> tuple[Floats, int, float]:
        found = METHODS[method](chain, goal, q)
        return found.q, found.iterations, found.position_error

    return run_one


def on_points(goal: Goal, points: Floats) -> tuple[Floats, int, float]:
    """FABRIK as the thesis has it; its state is the points, no angle is ever computed."""
    found = fabrik_points(points, goal.target[:3, 3], goal.tolerance, goal.max_iterations)
    return found.points, found.iterations, found.error


def at(x: float, y: float) -> Floats:
    """A pose in the plane [m]."""
    pose = np.eye(4)
    pose[:2, 3] = x, y
    return pose


def figure_eight(steps: int = 100) -> list[Floats]:
    """One lap within reach of nine links."""
    phases = [2.0 * math.pi * i / steps for i in range(steps)]
    return [at(5.0 + 2.0 * math.sin(phase), 1.5 * math.sin(2.0 * phase)) for phase in phases]


def reaching(targets: int = TARGETS) -> dict[str, float]:
    """Mean iterations and time of each method on ten links, and how many targets it reached."""
    chain = planar(10)
    random = np.random.default_rng(0)
    poses = [chain.pose(random.uniform(-1.5, 1.5, 10)) for _ in range(targets)]
    start = np.full(10, 0.2)
    rows = {}
    for method, solve in METHODS.items():
        solve(chain, Goal(poses[0], True, TOLERANCE, 1.0, MOST), start)  # compiles on first use
        iterations, solved, started = 0, 0, time.perf_counter()
        for pose in poses:
            found = solve(chain, Goal(pose, True, TOLERANCE, 1.0, MOST), start)
            iterations += found.iterations
            solved += found.status is Status.SOLVED
        spent = time.perf_counter() - started
        rows[f"10 links, {method}: mean iterations"] = iterations / targets
        rows[f"10 links, {method}: µs per target"] = 1e6 * spent / targets
        rows[f"10 links, {method}: % reached"] = 100.0 * solved / targets
    return rows


def lap(solver: Solver, state: Floats, targets: Iterable[Floats], tolerance: float) -> tuple[float, float, float]:
    """Mean iterations, time [s] and error [m] along a path, the lap before it not counted."""
    path = list(targets)
    iterations, errors, started = [], [], 0.0
    for i, target in enumerate(path + path):
        if i == len(path):
            started = time.perf_counter()
        state, count, error = solver(Goal(target, True, tolerance, 1.0, MOST), state)
        iterations.append(count)
        errors.append(error)
    spent = time.perf_counter() - started
    counted = slice(len(path), None)
    return float(np.mean(iterations[counted])), spent / len(path), float(np.mean(errors[counted]))


def following() -> dict[str, float]:
    """The figure-eight: FABRIK on points and on joints against the others."""
    chain = planar(9)
    bent = np.full(9, 0.2)
    solvers: dict[str, tuple[Solver, Floats]] = {"fabrik on points": (on_points, chain.positions(bent))}
    solvers |= {method: (on_joints(chain, method), bent) for method in METHODS}
    rows = {}
    for tolerance in (0.1, 0.01, 0.001):
        for name, (solver, state) in solvers.items():
            iterations, spent, error = lap(solver, state, figure_eight(), tolerance)
            rows[f"figure-eight {tolerance:g} m, {name}: mean iterations"] = iterations
            rows[f"figure-eight {tolerance:g} m, {name}: µs per target"] = 1e6 * spent
            rows[f"figure-eight {tolerance:g} m, {name}: mean error mm"] = 1e3 * error
    return rows


def run() -> dict[str, float]:
    """Figures by name."""
    return reaching() | following()
