"""Motor constants, friction and weight of arms and strings, and latency, from planted data."""

from __future__ import annotations

from copy import copy
from typing import Any

import numpy as np
import pytest

from calibration import DataError
from calibration.fitting import fit
from calibration.parameters import Floats, Model, nominal_of
from calibration.syntaxer.estimating import STRING_NOISE
from calibration.syntaxer.latency import LatencyModel
from calibration.syntaxer.motion import Motion, motion_of
from calibration.syntaxer.tensions import Load, TensionsModel
from calibration.syntaxer.torques import TorquesModel
from station.devices.syntaxer import SyntaxerModel
from tests.calibration.syntaxer.planted import NOMINAL, assert_as_stated, squares

PERIOD, SAMPLES = 5.0, 1000
MODEL = SyntaxerModel(NOMINAL)
LEVER = Load(mass=0.05, place=(0.06, 0.06, 0.0), cord=0.04, held=(0.1, 0.0, 0.0))


def swung(middle: Floats, size: float, per_count: Floats, paces: tuple[int, ...], period: float = PERIOD) -> Motion:
    """Joints that swing, as counts; without currents yet."""
    time = np.arange(SAMPLES) * period / SAMPLES
    joints = middle + size * np.sin(2.0 * np.pi * np.outer(time, paces) / period)
    return motion_of(joints / per_count, np.zeros((SAMPLES, 3)), period)


def arms(mass: float, period: float = PERIOD) -> tuple[Motion, float]:
    middle = MODEL.joints_at(MODEL.middle).values[:3]
    return swung(middle, 0.35, MODEL.parts.chains.angle_per_count, (3, 4, 5), period), mass


def strings(load: Load) -> tuple[Motion, Load]:
    return swung(np.zeros(3), 0.004, MODEL.parts.struts.length_per_count, (1, 2, 3)), load


ARM_MOTIONS = [arms(0.0), arms(0.0, 10.0), arms(0.1)]
STRING_MOTIONS = [strings(Load()), strings(LEVER)]


def filled(make: Any, motions: list[tuple[Motion, Any]], true: Floats, noise: float) -> Any:
    """A model of motions whose currents are those of the true values."""
    model = make(NOMINAL, motions, max(noise, 1e-6))
    model.currents = model.currents + model.noise * model.rows(true, np.arange(model.observations)).residuals[:, 0]
    return model


def noisy(model: Any, noise: float, seed: int) -> Model:
    """The same with noise [A]."""
    made: Model = copy(model)
    made.currents = model.currents + noise * np.random.default_rng([5, seed]).standard_normal(model.observations)  # type: ignore[attr-defined]
    return made


def true_values(make: Any, motions: list[tuple[Motion, Any]]) -> Floats:
    """Off the nominal values by about a typical error."""
    model = make(NOMINAL, motions, 1.0)
    typical = np.array([one.typical for one in model.parameters])
    return nominal_of(model) + 0.4 * typical * np.random.default_rng(2).uniform(-1.0, 1.0, len(typical))


CASES = pytest.mark.parametrize(
    ("make", "motions", "noise"),
    [(TorquesModel, ARM_MOTIONS, 0.003), (TensionsModel, STRING_MOTIONS, STRING_NOISE)],
    ids=["arms", "strings"],
)


@CASES
def test_everything_is_found_without_noise(make: Any, motions: list[tuple[Motion, Any]], noise: float) -> None:
    del noise
    true = true_values(make, motions)
    fitted = fit(filled(make, motions, true, 0.0))
    assert fitted.identified.fixed == ()
    assert fitted.values == pytest.approx(true, rel=1e-9, abs=1e-9)


@CASES
def test_estimates_scatter_as_stated(make: Any, motions: list[tuple[Motion, Any]], noise: float) -> None:
    true = true_values(make, motions)
    model = filled(make, motions, true, noise)
    assert_as_stated([squares(noisy(model, noise, seed), true) for seed in range(100)])


def test_without_a_known_mass_a_gain_is_fixed_and_named() -> None:
    true = true_values(TorquesModel, ARM_MOTIONS[:2])
    fixed = fit(noisy(filled(TorquesModel, ARM_MOTIONS[:2], true, 0.003), 0.003, 1)).identified.fixed
    assert any("motor gain" in one.name and one.like for one in fixed)


def test_a_lean_of_gravity_that_cannot_be_told_is_fixed_and_named() -> None:
    """A handle that hardly moves: what leans gravity over looks like another pull of the balancer, and that is free."""
    middle = MODEL.joints_at(MODEL.middle).values[:3]
    per_count = MODEL.parts.chains.angle_per_count
    small = [(swung(middle, 0.004, per_count, (3, 4, 5)), mass) for mass in (0.0, 0.1)]
    true = true_values(TorquesModel, small)
    true[-2:] = 0.0  # stands upright, or nobody could say
    model = filled(TorquesModel, small, true, 0.003)
    found = fit(noisy(model, 0.003, 1))
    fixed = {one.name: str(one) for one in found.identified.fixed}
    assert "cannot be told apart from balancer y" in fixed["gravity leans sideways"]
    assert "cannot be told apart from balancer x" in fixed["gravity leans forwards"]
    assert found.values[-2:] == pytest.approx([0.0, 0.0], abs=0.0)
    assert model.numbers(found.values)["gravity.3"] == pytest.approx(NOMINAL.gravity[2])
    told = fit(noisy(filled(TorquesModel, ARM_MOTIONS, true_values(TorquesModel, ARM_MOTIONS), 0.003), 0.003, 1))
    assert told.identified.free[-2:].all()  # while a large motion tells it


def test_gravity_alone_tells_little_about_the_string_that_turns_about_the_upright_axis() -> None:
    hung = [strings(Load()), strings(Load(mass=0.05, place=(0.06, 0.06, 0.0)))]
    spreads = []
    for motions in (hung, STRING_MOTIONS):
        fitted = fit(filled(TensionsModel, motions, true_values(TensionsModel, motions), STRING_NOISE))
        assert fitted.identified.free.all()
        spreads.append(float(np.sqrt(fitted.covariance[1, 1])))
    assert spreads[0] > 3.0 * spreads[1]  # what a cord over a pulley is for


def test_the_weight_is_that_of_the_model_of_the_device() -> None:
    """At rest, all that is asked of the motors is the weight."""
    motion, _ = arms(0.0)
    still = motion._replace(rates=0.0 * motion.rates, accelerations=0.0 * motion.rates, ways=np.ones_like(motion.ways))
    model = TorquesModel(NOMINAL, [(still, 0.0)], 1.0)
    values = nominal_of(model)
    values[3:6] = 0.0  # friction
    currents = model.rows(values, np.arange(model.observations)).residuals[:, 0].reshape(-1, 3)
    for counts, amperes in zip(np.rint(motion.counts[::40]), currents[::40], strict=True):
        MODEL.pose([*counts.astype(int), 0, 0, 0])
        torques = MODEL.weight_torques / MODEL.parts.chains.torque_per_ampere
        assert amperes == pytest.approx(torques, abs=2e-4)  # counts are whole for the one and not for the other


def test_springs_and_weight_of_the_plate_are_those_of_the_model_of_the_device() -> None:
    motion, _ = strings(Load())
    still = motion._replace(rates=0.0 * motion.rates, accelerations=0.0 * motion.rates, ways=np.ones_like(motion.ways))
    model = TensionsModel(NOMINAL, [(still, Load())], 1.0)
    values = nominal_of(model)
    values[6:12] = 0.0
    currents = model.rows(values, np.arange(model.observations)).residuals[:, 0].reshape(-1, 3)
    home = MODEL.counts_of(MODEL.joints_at(MODEL.middle).values)[:3]
    for counts, amperes in zip(np.rint(motion.counts[::40]), currents[::40], strict=True):
        MODEL.pose([*home, *counts.astype(int)])
        felt = MODEL.wrench_of([0.0, 0.0, 0.0, *amperes])[3:]  # on top of the springs: it holds what they turn back
        paid = MODEL.joints[3:] - MODEL.parts.struts.neutral
        back = -MODEL.jacobians.strings.T @ (MODEL.parts.struts.spring * paid)
        assert felt == pytest.approx(-back, abs=1e-4)


def test_masses_and_motions_that_cannot_be_are_refused() -> None:
    with pytest.raises(DataError, match=r"100 kg on the handle; allowed: 0 to 5 kg \(grams for kilograms\?\)"):
        TorquesModel(NOMINAL, [(ARM_MOTIONS[0][0], 100.0)], 0.003)
    with pytest.raises(DataError, match="millimetres for metres"):
        Load(mass=0.05, place=(60.0, 0.0, 0.0))
    with pytest.raises(DataError, match="no motion"):
        TorquesModel(NOMINAL, [], 0.003)
    with pytest.raises(DataError, match="numbers of one shape"):
        Motion.read({"counts": [1.0]})
    spoilt = ARM_MOTIONS[0][0].data()
    spoilt["currents"][3][1] = float("nan")
    with pytest.raises(DataError, match="not finite"):
        Motion.read(spoilt)


# Latency --------------------------------------------------------------------------------------------------


def record(delay: float, lag: float, noise: float, seed: int = 0) -> tuple[Floats, Floats, Floats, Floats]:
    """Currents that jump, sent and seen at uneven times."""
    random = np.random.default_rng([6, seed])
    sent_at = np.cumsum(random.uniform(0.0008, 0.0012, 1500))
    sent = 0.08 * np.repeat(random.choice([-1.0, 1.0], 375), 4)
    seen_at = sent_at + 1e-5
    seen, level, k = np.zeros(1500), 0.0, -1
    now = 0.0
    for n, moment in enumerate(seen_at):
        while now < moment - delay:
            until = min(moment - delay, sent_at[k + 1] if k + 1 < 1500 else np.inf)
            wanted = sent[k] if k >= 0 else 0.0
            level = wanted + (level - wanted) * np.exp(-(until - now) / lag)
            now = until
            if k + 1 < 1500 and now == sent_at[k + 1]:
                k += 1
        seen[n] = level
    return sent_at, sent, seen_at, seen + noise * random.standard_normal(1500)


RECORDS = [record(0.0021, 0.0005, 0.0, seed) for seed in range(10)]


def test_delay_and_lag_are_found() -> None:
    fitted = fit(LatencyModel(*record(0.00337, 0.00042, 0.0), 0.0))
    assert fitted.values == pytest.approx([0.00337, 0.00042], abs=1e-9)


def test_latency_scatters_as_stated() -> None:
    drawn = []
    for seed in range(100):
        sent_at, sent, seen_at, clean = RECORDS[seed % len(RECORDS)]
        seen = clean + 0.0012 * np.random.default_rng([8, seed]).standard_normal(len(clean))
        drawn.append(squares(LatencyModel(sent_at, sent, seen_at, seen, 0.0012), np.array([0.0021, 0.0005])))
    assert_as_stated(drawn)


def test_currents_that_do_not_follow_are_noticed() -> None:
    sent_at, sent, seen_at, seen = record(0.002, 0.0005, 0.0)
    with pytest.raises(DataError, match="nothing to do with those that were sent; is force enabled"):
        LatencyModel(sent_at, sent, seen_at, np.random.default_rng(1).normal(0.0, 0.001, 1500), 0.001)
    with pytest.raises(DataError, match="never changed"):
        LatencyModel(sent_at, 0.0 * sent, seen_at, seen, 0.001)
    with pytest.raises(DataError, match="at least 100 of each"):
        LatencyModel(sent_at[:50], sent[:50], seen_at[:50], seen[:50], 0.001)
