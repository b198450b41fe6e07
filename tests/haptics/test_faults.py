from __future__ import annotations

import numpy as np
import pytest

from station.haptics import (
    Coupling,
    Fault,
    HapticRenderer,
    HapticSettings,
    Inputs,
    Limits,
    Method,
    SettingsError,
    Stability,
    Stops,
)
from tests.haptics.hands import reals_of

PLAIN = HapticSettings(limits=Limits(ramp_in=1e-3), stability=Stability(method=Method.OBSERVER))


def pressed() -> tuple[HapticRenderer, Inputs]:
    """A renderer that pushes, after 50 ticks."""
    renderer, inputs = HapticRenderer(PLAIN), Inputs()
    for k in range(50):
        inputs.hand[0] = 1e-4 * k
        inputs.at(1e-3 * k, fresh=True)
        answer = renderer.tick(inputs)
    assert answer.wrench[0] < -1.0
    return renderer, inputs


def spoil(inputs: Inputs, name: str, bad: float) -> None:
    """One number of a field; of rows it is in the first, which counts."""
    if not Inputs.fields[name].is_array:
        setattr(inputs, name, bad)
    else:
        getattr(inputs, name).flat[0 if name.startswith(("stop", "obstacle")) else -1] = bad


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf, 1e300])
@pytest.mark.parametrize("name", [name for name, one in Inputs.fields.items() if one.form == "f8"])
def test_what_is_no_number_gives_no_force_and_a_named_fault(bad: float, name: str) -> None:
    if (name, bad) == ("measured_age", np.inf):
        return  # never measured is no fault
    renderer, inputs = pressed()
    inputs.stops([[1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]])
    inputs.obstacles([[1.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0]])
    good = inputs.copy()
    inputs.at(0.05, fresh=True)
    spoil(inputs, name, bad)
    answer = renderer.tick(inputs)
    assert answer.fault is Fault.NOT_FINITE
    assert np.all(answer.wrench == 0.0)
    assert np.all(np.isfinite(reals_of(renderer.state)))
    inputs.take(good)
    for k in range(20):  # and it recovers
        inputs.at(0.051 + 1e-3 * k, fresh=True)
        answer = renderer.tick(inputs)
        assert np.all(np.isfinite(answer.wrench))
    assert answer.fault is Fault.NONE


def test_a_lost_device_has_no_force_in_the_same_tick() -> None:
    renderer, inputs = pressed()
    inputs.states(ready=False, engaged=True, link=True)
    inputs.at(0.05, fresh=True)
    answer = renderer.tick(inputs)
    assert (answer.fault, float(np.abs(answer.wrench).max())) == (Fault.DEVICE_LOST, 0.0)


def test_time_that_goes_back_is_a_fault() -> None:
    renderer, inputs = pressed()
    inputs.at(0.02, fresh=True)
    answer = renderer.tick(inputs)
    assert (answer.fault, float(np.abs(answer.wrench).max())) == (Fault.CLOCK, 0.0)
    inputs.at(0.021, fresh=True)
    assert renderer.tick(inputs).fault is Fault.NONE


def test_a_sample_stamped_before_the_last_one_is_a_fault() -> None:
    renderer, inputs = pressed()
    inputs.at(0.05, fresh=True, sample_time=0.03)
    assert renderer.tick(inputs).fault is Fault.CLOCK


def test_without_samples_the_force_ends_within_20_ms() -> None:
    renderer, inputs = pressed()
    faults = []
    for k in range(25):
        inputs.at(0.05 + 1e-3 * k, fresh=False)
        faults.append(renderer.tick(inputs).fault)
    assert faults[10] is Fault.NONE
    assert faults[20] is Fault.STALE_SAMPLE
    assert np.all(renderer.wrench == 0.0)


def test_a_quaternion_without_unit_length_is_a_fault() -> None:
    renderer, inputs = pressed()
    inputs.hand_turn[:] = 0.0
    inputs.at(0.05, fresh=True)
    assert renderer.tick(inputs).fault is Fault.NO_ROTATION


def test_more_rows_than_there_is_room_for_are_refused() -> None:
    renderer, inputs = pressed()
    with pytest.raises(SettingsError, match="allowed: 24"):
        inputs.stops(np.zeros((25, 7)))
    inputs.stop_count = 25
    inputs.at(0.05, fresh=True)
    assert renderer.tick(inputs).fault is Fault.TOO_MANY_ROWS


def test_random_rubbish_never_gives_what_is_no_number() -> None:
    renderer, inputs, random = HapticRenderer(PLAIN), Inputs(), np.random.default_rng(0)
    reals, wholes = (np.nan, np.inf, -1e200, 1e8, -3.0, 0.0, 1.0), (-(2**62), -3, 0, 1, 17, 25, 2**62)
    good, fields = inputs.copy(), list(Inputs.fields.values())
    for k in range(3000):
        inputs.take(good)
        inputs.at(1e-3 * k, fresh=bool(random.random() < 0.8))
        for _ in range(random.integers(0, 4)):
            field, which = fields[random.integers(len(fields))], random.integers(7)
            if field.is_array:
                array = getattr(inputs, field.name)
                array.flat[random.integers(array.size)] = reals[which]
            else:
                setattr(inputs, field.name, reals[which] if field.form == "f8" else wholes[which])
        answer = renderer.tick(inputs)
        assert np.all(np.isfinite(answer.wrench))
        assert np.linalg.norm(answer.wrench[:3]) <= PLAIN.limits.force + 1e-9
        assert np.all(np.isfinite(reals_of(renderer.state)))


@pytest.mark.parametrize(
    ("build", "words"),
    [
        (lambda: Coupling(stiffness=-1.0), "stiffness is -1"),
        (lambda: Coupling(stiffness=float("nan")), "stiffness is nan"),
        (lambda: Stops(range=0.0), "range is 0"),
        (lambda: Limits(peak=(1.0,) * 6), "allowed: at least 5"),
        (lambda: Limits(for_long=(1.0,) * 5), "has 5 members"),  # type: ignore[arg-type]
        (lambda: Stability(allowance=0.01), "allowance is 0.01"),
    ],
)
def test_absurd_settings_are_refused_with_the_range(build: object, words: str) -> None:
    with pytest.raises(SettingsError, match=words):
        build()  # type: ignore[operator]
