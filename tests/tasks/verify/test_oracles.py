"""Efforts, gains and distances of the check against other ways to find them."""

from __future__ import annotations

import math

import numpy as np
import pytest

from station.collision import Surroundings
from station.collision.results import Pair
from station.mechanism import Mechanism
from station.mechanism.tree import forward
from station.tasks.task.joints import whole_path
from station.tasks.task.model import Floats
from station.tasks.verify.clearance import Pairs, survey
from station.tasks.verify.masses import Inertias, masses_of, path_efforts
from station.tasks.verify.motion import Motion
from station.tasks.verify.shape import gains_along
from tests.tasks.making import scene_of, start_of, task_of, wandering


def efforts_of(name: str, seconds: float = 1.0) -> tuple[Motion, Floats]:
    mechanism = scene_of(name)[scene_of(name).robots[0].name]
    motion = Motion.of(wandering(name, seconds, 0.05), mechanism)
    masses, out = masses_of(mechanism), np.zeros_like(motion.whole)
    path_efforts(mechanism.memory, masses.bodies, motion.free, motion.carried, motion.whole, 0.001, out)
    return motion, out


def test_efforts_of_a_serial_arm_are_those_of_pinocchio() -> None:
    pinocchio = pytest.importorskip("pinocchio")
    motion, ours = efforts_of("ur5e")
    mechanism, mem = motion.mechanism, motion.mechanism.memory
    masses = masses_of(mechanism)
    model = pinocchio.Model()
    parent = 0
    for number in range(len(mechanism.joints)):
        before = np.array(mem.before[number])
        place = pinocchio.SE3(before[:, :3], before[:, 3])
        parent = model.addJoint(parent, pinocchio.JointModelRZ(), place, f"j{number}")
        xx, yy, zz, xy, xz, yz = masses.bodies.inertia[number]
        mass, centre = float(masses.bodies.mass[number]), masses.bodies.centre[number]
        inertia = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
        model.appendBodyToJoint(parent, pinocchio.Inertia(mass, centre, inertia), pinocchio.SE3.Identity())
    model.gravity.linear = np.array([0.0, 0.0, -9.80665])
    data, whole = model.createData(), motion.whole
    for sample in range(1, len(whole) - 1, 50):
        v = (whole[sample + 1] - whole[sample - 1]) / 0.002
        a = (whole[sample + 1] - 2.0 * whole[sample] + whole[sample - 1]) / 1e-6
        theirs = pinocchio.rnea(model, data, whole[sample], v, a)
        friction = masses.bodies.armature * a + masses.bodies.viscous * v
        assert np.abs(ours[sample] - theirs - friction).max() < 1e-9


@pytest.mark.parametrize("name", ["delta", "syntaxer"])
def test_efforts_of_a_robot_with_loops_hold_its_weight(name: str) -> None:
    """At rest, driven joints give what the weight does when each of them moves a little and the loops stay closed."""
    scene = scene_of(name)
    mechanism = scene[scene.robots[0].name]
    masses = masses_of(mechanism)
    start = start_of(name)
    motion = Motion.of(task_of(np.tile(start, (3, 1)), name), mechanism)
    out = np.zeros_like(motion.whole)
    path_efforts(mechanism.memory, masses.bodies, motion.free, motion.carried, motion.whole, 0.001, out)
    # The work of gravity, by small motions of each driven joint with all loops closed.
    potential = []
    for joint in range(len(start)):
        energies = []
        for sign in (-1.0, 1.0):
            there = start.copy()
            there[joint] += sign * 1e-5
            whole = whole_path(mechanism, np.stack([start, there])).q[1]
            energies.append(energy(mechanism, masses.bodies, whole))
        potential.append((energies[1] - energies[0]) / 2e-5)
    assert out[1, motion.driven] == pytest.approx(np.array(potential), abs=1e-4)
    assert np.abs(potential).max() > 0.01


def energy(mechanism: Mechanism, bodies: Inertias, q: Floats) -> float:
    mem = mechanism.memory
    rotation, position = np.zeros_like(mem.rotation), np.zeros_like(mem.position)
    forward(mem, q, rotation, position)
    heights = position[:, 2] + np.einsum("ij,ij->i", rotation[:, 2, :], bodies.centre)
    return float(9.80665 * (bodies.mass * heights).sum())


@pytest.mark.parametrize("name", ["ur5e", "panda"])
def test_gains_are_singular_values_and_no_smaller_one_is_passed_over(name: str) -> None:
    mechanism = scene_of(name)[scene_of(name).robots[0].name]
    motion = Motion.of(wandering(name, 1.0, 0.6), mechanism)
    gains, scale = gains_along(motion, 0.001), mechanism.memory.length
    truth = []
    for q in motion.whole[::5]:
        jacobian = mechanism.jacobian_at(motion.task.frame, q)
        jacobian[3:] *= scale
        values = np.linalg.svd(jacobian, compute_uv=False)
        truth.append(values[-1] / values[0])
    asked = ~np.isnan(gains[::5])
    assert 0 < (~np.isnan(gains)).sum() < len(gains)
    assert gains[::5][asked] == pytest.approx(np.array(truth)[asked], abs=1e-7)
    assert np.nanmin(gains) <= min(truth) + 2e-3


def test_the_least_distance_and_every_touch_are_found_without_looking_everywhere() -> None:
    scene = scene_of()
    mechanism = scene["ur5e"]
    whole = np.array(wandering("bench", 3.0, 0.25, seed=4).q)
    around = Surroundings(scene, mechanism, include_self=True)
    for with_itself in (False, True):
        pairs = Pairs.around(around, whole, with_itself)
        found = survey(pairs, whole, 0.0005)
        dense: dict[Pair, list[float]] = {name: [] for name in pairs.names}
        for q in whole[::4]:
            pairs.exact.put(q)
            for name, pair in zip(pairs.names, pairs.pairs, strict=True):
                dense[name].append(pairs.exact.measure(*pair))
        least = min(min(values) for values in dense.values())
        assert found.nearest.distance <= least + 5e-4
        for name, values in dense.items():
            inside = [4 * k for k, value in enumerate(values) if value <= 0.0]
            touches = [touch for touch in found.touches if touch.pair == name]
            for sample in inside:
                assert any(touch.first - 1 <= sample <= touch.last + 1 for touch in touches)
        assert found.queries < 0.5 * len(whole) * len(pairs.pairs)
    assert math.isfinite(least)
