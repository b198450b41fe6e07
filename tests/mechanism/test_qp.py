"""The quadratic programme: against daqp, by its own optimality conditions, and where there is no answer."""

from __future__ import annotations

from typing import NamedTuple

import daqp
import numpy as np
import pytest
from scipy.optimize import linprog

from station.mechanism.algebra import Programme, cholesky, solve
from station.mechanism.memory import MechanismMemory
from tests.mechanism.mechanisms import Array

MEMORIES = {n: MechanismMemory(n=n, f=1, c=0, s=0, r=0, k=0, p=0) for n in range(1, 13)}


class Problem(NamedTuple):
    """Minimise ½ yᵀ·H·y - gᵀ·y with low ≤ C·y ≤ high."""

    hessian: Array
    gradient: Array
    rows: Array
    low: Array
    high: Array


class Answer(NamedTuple):
    state: int
    y: Array
    multiplier: Array


def answer(problem: Problem) -> Answer:
    bounds, n = problem.rows.shape
    mem = MEMORIES[n]
    mem.hessian[:], mem.gradient[:] = problem.hessian, problem.gradient
    mem.bound_rows[:bounds], mem.low_left[:bounds], mem.high_left[:bounds] = problem.rows, problem.low, problem.high
    assert cholesky(mem.hessian, n, mem.factor)
    state = solve(mem, n, bounds)
    return Answer(state, mem.solution[:n].copy(), mem.multiplier[:bounds].copy())


def check(problem: Problem, found: Answer) -> None:
    """Stationary, feasible, complementary, and multipliers that push the right way."""
    hessian, gradient, rows, low, high = problem
    assert found.state == Programme.SOLVED
    size = 1.0 + np.abs(gradient).max() + np.abs(found.multiplier).max()
    assert np.abs(hessian @ found.y - gradient - rows.T @ found.multiplier).max() <= 1e-8 * size
    value = rows @ found.y
    tolerance = 1e-9 * (1.0 + np.abs(value))
    assert (value >= low - tolerance).all()
    assert (value <= high + tolerance).all()
    assert (np.abs(value - low) <= tolerance)[found.multiplier > 0.0].all()
    assert (np.abs(value - high) <= tolerance)[found.multiplier < 0.0].all()


def random_problem(rng: np.random.Generator, contacts: bool = True) -> Problem:
    """As they come up in a step: bounds of joints around 0, some rows of contacts, any conditioning up to 1e6."""
    n = int(rng.integers(1, 13))
    turned = np.linalg.qr(rng.normal(size=(n, n)))[0]
    hessian = turned @ np.diag(10.0 ** rng.uniform(-3, 3, n)) @ turned.T
    extra = int(rng.integers(0, 13)) if contacts else 0
    rows = np.vstack([np.eye(n), rng.normal(size=(extra, n))])
    low, high = -rng.uniform(0, 1, len(rows)), rng.uniform(0, 1, len(rows))
    high[n:] = np.inf
    low[rng.uniform(size=len(rows)) < 0.2] = -np.inf
    return Problem(0.5 * (hessian + hessian.T), 10.0 ** rng.uniform(-2, 3) * rng.normal(size=n), rows, low, high)


def of_daqp(problem: Problem) -> tuple[Array, int]:
    hessian, gradient, rows, low, high = problem
    far_low, far_high = np.maximum(low, -1e30), np.minimum(high, 1e30)
    y, _, flag, _ = daqp.solve(
        hessian, -gradient, rows, far_high, far_low, np.zeros(len(rows), np.int32), primal_tol=1e-11, dual_tol=1e-13
    )
    return np.asarray(y), int(flag)


def test_the_answer_is_that_of_daqp() -> None:
    rng, compared = np.random.default_rng(6), 0
    for _ in range(10_000):
        problem = random_problem(rng)
        found = answer(problem)
        check(problem, found)
        expected, flag = of_daqp(problem)
        if flag == 1:
            compared += 1
            assert np.abs(found.y - expected).max() <= 1e-6
            assert cost(problem, found.y) <= cost(problem, expected) + 1e-8 * (1.0 + abs(cost(problem, expected)))
    assert compared > 9_900


def cost(problem: Problem, y: Array) -> float:
    return float(0.5 * y @ problem.hessian @ y - problem.gradient @ y)


def test_without_bounds_it_is_the_free_minimum() -> None:
    rng = np.random.default_rng(7)
    for _ in range(200):
        problem = random_problem(rng, contacts=False)
        free = problem._replace(low=np.full_like(problem.low, -np.inf), high=np.full_like(problem.high, np.inf))
        found = answer(free)
        assert found.state == Programme.SOLVED
        np.testing.assert_allclose(problem.hessian @ found.y, problem.gradient, rtol=1e-6, atol=1e-8)
        np.testing.assert_array_equal(found.multiplier, 0.0)


def test_no_answer_is_told_from_one() -> None:
    """Bounds at random places, checked by a linear programme that knows only feasibility."""
    rng, without = np.random.default_rng(8), 0
    for _ in range(400):
        problem = random_problem(rng)
        rows = len(problem.rows)
        middle, width = 0.7 * rng.normal(size=rows), rng.uniform(0.0, 1.0, rows)
        problem = problem._replace(low=middle - width, high=middle + width)
        inequalities = np.vstack([problem.rows, -problem.rows])
        sides = np.concatenate([problem.high, -problem.low])
        least = linprog(  # smallest violation that can be had
            [*np.zeros(problem.rows.shape[1]), 1.0],
            A_ub=np.hstack([inequalities, -np.ones((2 * rows, 1))]),
            b_ub=sides,
            bounds=[(None, None)] * problem.rows.shape[1] + [(-1.0, None)],
        ).fun
        assert least is not None
        slack = float(least)
        if abs(slack) < 1e-7:
            continue
        found = answer(problem)
        if slack > 0.0:
            without += 1
            assert found.state == Programme.INFEASIBLE
        else:
            check(problem, found)
    assert 40 < without < 360


@pytest.mark.parametrize("gap", [1e-9, 1e-6, 1e-3, 1.0])
def test_bounds_that_contradict_each_other_are_infeasible(gap: float) -> None:
    rows = np.array([[1.0, 0.5], [1.0, 0.5]])
    problem = Problem(np.eye(2), np.zeros(2), rows, np.array([gap, -1.0]), np.array([1.0, 0.0]))
    assert answer(problem).state == Programme.INFEASIBLE


def test_equal_bounds_are_an_equation() -> None:
    rng = np.random.default_rng(9)
    for _ in range(1000):
        problem = random_problem(rng, contacts=False)
        n = len(problem.gradient)
        fixed = rng.uniform(size=n) < 0.4
        value = rng.uniform(-1, 1, n)
        low, high = np.where(fixed, value, problem.low), np.where(fixed, value, problem.high)
        problem = problem._replace(low=low, high=high)
        found = answer(problem)
        check(problem, found)
        np.testing.assert_allclose(found.y[fixed], value[fixed], rtol=0, atol=1e-9)


def test_rows_that_repeat_others_change_nothing() -> None:
    rng = np.random.default_rng(10)
    for _ in range(1000):
        problem = random_problem(rng)
        rows, low, high = problem.rows, problem.low, problem.high
        again = rng.integers(0, len(rows), size=min(8, 32 - len(rows)))
        scale = rng.choice([1.0, 1.0, 2.0, 0.3], size=len(again))
        doubled = problem._replace(
            rows=np.vstack([rows, scale[:, None] * rows[again]]),
            low=np.concatenate([low, scale * low[again]]),
            high=np.concatenate([high, scale * high[again]]),
        )
        found = answer(doubled)
        check(doubled, found)
        assert np.abs(found.y - answer(problem).y).max() <= 1e-8


def test_arms_with_freedom_to_spare_have_nearly_singular_programmes() -> None:
    """Fewer rows of tasks than joints, and the little that is added for the motion itself."""
    rng = np.random.default_rng(12)
    for _ in range(2000):
        problem = random_problem(rng)
        n = len(problem.gradient)
        tasks = rng.normal(size=(int(rng.integers(0, n + 1)), n))
        wanted = tasks.T @ rng.normal(size=len(tasks))
        problem = problem._replace(hessian=tasks.T @ tasks + 1e-9 * np.eye(n), gradient=wanted)
        check(problem, answer(problem))


def test_no_freedom_at_all() -> None:
    rng = np.random.default_rng(11)
    for n in range(1, 13):
        value = rng.normal(size=n)
        problem = Problem(np.eye(n), rng.normal(size=n), np.eye(n), value, value)
        found = answer(problem)
        check(problem, found)
        np.testing.assert_allclose(found.y, value, rtol=0, atol=1e-12)
