"""Every kind of closure on a body that is free to move in space: what is held, what stays free, and derivatives."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import station
from station.mad.placement import world_poses
from station.mechanism import Status
from station.mechanism.closures import closure_rows
from station.mechanism.compiling import Compiled, compile_robot
from station.mechanism.tree import forward
from tests.mechanism.mechanisms import Array, difference, link, made, robot

A, B, SEAT = 7, 8, 11  # the two frames, and what A stands on
FAR = math.radians(100)

# A body that three slides and three turning joints carry anywhere; B has z along the first of these, x along the last.
BODY = (
    link(1, kind="prismatic", r=400),
    link(2, 1, kind="prismatic", alpha=-90, theta=90, r=100),
    link(3, 2, kind="prismatic", alpha=90, r=200),
    link(4, 3),
    link(5, 4, alpha=90, theta=90),
    link(6, 5, alpha=90),
)
BRANCH = (link(9, 1, gamma=40, d=150, alpha=30, theta=20), link(10, 9, kind="prismatic", alpha=70, r=120, d=80))
OBLIQUE = f"frame {SEAT} {{ pos {{ 10 20 30 }} ori {{ 20 30 40 }} pred 0 }}\n"


class Kind(NamedTuple):
    """A closure: how it is written, which motions it holds, and a way that it leaves free.

    Motions are along and about the axes of A, one that starts with 'own' those of B.
    """

    text: str
    held: str
    way: tuple[tuple[str, float], ...] = ()


KINDS = [
    Kind("type weld", "x y z rx ry rz"),
    Kind("type revolute", "x y z rx ry", (("rz", FAR), ("rz", -2 * FAR))),
    Kind("type prismatic", "x y rx ry rz", (("z", 0.3), ("z", -0.5))),
    Kind("type cylindrical", "x y rx ry", (("rz", FAR), ("z", 0.3), ("rz", -0.5))),
    Kind("type universal", "x y z ry", (("rz", FAR), ("own rx", FAR), ("rz", -2 * FAR), ("own rx", -0.5))),
    Kind("type ball", "x y z", (("rz", FAR), ("own rx", FAR), ("ry", 0.4))),
    Kind("type planar", "z rx ry", (("rz", FAR), ("x", 0.3), ("y", -0.3), ("rz", FAR))),
    Kind("axes ( x y z rx ry rz )", "x y z rx ry rz"),
    Kind("axes ( x y )", "x y", (("rz", FAR), ("z", 0.2), ("own rx", FAR))),
    Kind("axes ( z )", "z", (("x", 0.2), ("rz", FAR), ("own rx", FAR))),
    Kind("axes ( rx ry rz )", "rx ry rz", (("x", 0.2), ("y", 0.3), ("z", -0.2))),
    Kind("axes ( x y z rx )", "x y z rx", (("rz", FAR),)),
    Kind("axes ( rz )", "rz", (("x", 0.2), ("rx", 0.5))),
    Kind("axes ( ry rz )", "ry rz", (("x", 0.2), ("rx", FAR))),
    Kind("axes ( x rx rz )", "x rx rz", (("ry", 0.6), ("z", 0.2))),
]
ALL = pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.text)


def frame(number: int, pred: int, pose: Array) -> str:
    """Text of a frame at a pose."""
    x, y, z = (1000 * pose[:3, 3]).tolist()
    c, b, a = Rotation.from_matrix(pose[:3, :3]).as_euler("ZYX", degrees=True).tolist()
    return f"frame {number} {{ pos {{ {x!r} {y!r} {z!r} }} ori {{ {a!r} {b!r} {c!r} }} pred {pred} }}\n"


def closed(kind: Kind, apart: Array | None = None) -> str:
    """The body with frame B closed against frame A of the base; `apart`: B in A at the values of the file."""
    rows = [*BODY, f"frame {B} {{ pos {{ 0 0 0 }} ori {{ 0 90 0 }} pred 6 }}\n", OBLIQUE]
    poses = world_poses(station.loads(f"RAFF v2.0 Body\n{robot(rows)}").robots[0])
    a = np.linalg.inv(poses[SEAT]) @ poses[B] @ np.linalg.inv(np.eye(4) if apart is None else apart)
    return robot([*rows, frame(A, SEAT, a), f"constraint {{ frame {A} frame {B} {kind.text} }}"])


def between_branches(kind: Kind) -> str:
    """Both frames on moving bodies that share one joint, wide open."""
    a, b = np.eye(4), np.eye(4)
    a[:3, :3], a[:3, 3] = Rotation.from_rotvec([0.3, -0.2, 0.5]).as_matrix(), [0.05, 0.02, -0.03]
    b[:3, :3], b[:3, 3] = Rotation.from_rotvec([-0.4, 0.1, 0.2]).as_matrix(), [0.03, 0.1, 0.06]
    constraint = f"constraint {{ frame {A} frame {B} {kind.text} }}"
    return robot([*BODY, *BRANCH, frame(A, 10, a), frame(B, 6, b), constraint])


def compiled(text: str) -> Compiled:
    return compile_robot(station.loads(f"RAFF v2.0 Made\n{text}").robots[0])


def residual(parts: Compiled, q: Array, with_rows: bool = False) -> Array:
    mem = parts.memory
    forward(mem, q, mem.rotation, mem.position)
    closure_rows(mem, q, with_rows)
    return np.array(mem.residual)


def go(apart: Array, name: str, amount: float) -> Array:
    """Where B is in A after a motion."""
    motion, axis = np.eye(4), name.removeprefix("own ")
    unit = np.eye(3)["xyz".index(axis[-1])]
    if axis.startswith("r"):
        motion[:3, :3] = Rotation.from_rotvec(amount * unit).as_matrix()
    else:
        motion[:3, 3] = amount * unit
    return apart @ motion if name.startswith("own ") else motion @ apart


@ALL
def test_a_held_motion_opens_it_by_its_size_and_a_free_one_not_at_all(kind: Kind) -> None:
    for name in ("x", "y", "z", "rx", "ry", "rz"):
        parts = compiled(closed(kind, go(np.eye(4), name, 0.01)))
        assert len(parts.memory.residual) == len(kind.held.split())
        gap = float(np.linalg.norm(residual(parts, parts.initial)))
        unit = parts.memory.length if name.startswith("r") else 1.0
        assert gap == pytest.approx(0.01 * unit if name in kind.held.split() else 0.0, rel=1e-4, abs=1e-12)


@ALL
def test_free_motions_are_free_however_far_they_go(kind: Kind) -> None:
    apart = np.eye(4)
    for name, amount in kind.way:
        apart = go(apart, name, amount)
        parts = compiled(closed(kind, apart))
        np.testing.assert_allclose(residual(parts, parts.initial), 0.0, atol=1e-12)


@ALL
def test_rows_are_the_derivative_of_the_residual(kind: Kind) -> None:
    parts, rng, stride = compiled(between_branches(kind)), np.random.default_rng(2), 1e-6
    n, checked = len(parts.initial), 0
    while checked < 20:
        q = parts.initial + rng.uniform(-0.8, 0.8, n)
        value = residual(parts, q, with_rows=True)
        rows = parts.memory.matrix.copy()
        np.testing.assert_array_equal(rows[:, n], value)
        if np.abs(value).max() > 2.8 * parts.memory.length:
            continue  # next to half a turn, where a rotation vector jumps
        checked += 1
        for joint, side in enumerate(stride * np.eye(n)):
            slope = (residual(parts, q + side) - residual(parts, q - side)) / (2.0 * stride)
            np.testing.assert_allclose(rows[:, joint], slope, rtol=0, atol=1e-8)
        np.testing.assert_array_equal(rows[:, 0], 0.0)  # joint 1 moves both frames alike


@ALL
def test_the_body_keeps_the_motions_that_are_not_held(kind: Kind) -> None:
    arm = made(closed(kind))
    rows = len(kind.held.split())
    assert (arm.mobility, arm.report.redundant_rows) == (6 - rows, 0)
    a, apart = arm.pose(A), np.eye(4)
    for name, amount in kind.way:
        for _ in range(20):
            apart = go(apart, name, amount / 20)
            for _ in range(3):
                step = arm.step({B: a @ apart}, 0.01)
                assert step.status is not Status.CLOSURE_LOST
                assert max(arm.closure_error) <= 1e-10
        np.testing.assert_allclose(difference(arm.pose(B), a @ apart), 0.0, atol=1e-6)


@ALL
def test_the_body_cannot_make_a_held_motion(kind: Kind) -> None:
    arm = made(closed(kind))
    a = arm.pose(A)
    for name in kind.held.split():
        for _ in range(20):
            arm.step({B: a @ go(np.eye(4), name, 0.2)}, 0.01)
            assert max(arm.closure_error) <= 1e-10
