"""The arm as a body: passive, as heavy and stiff as said, with limits and tremor."""

from __future__ import annotations

import math

import numpy as np
import pytest

from sim_devices.hand import Arm, Hand, ScriptError
from sim_devices.hand.tremor import HIGH, LOW, sines_of
from station.kernel import Floats
from tests.sim_devices.hand.handles import Handle


@pytest.mark.parametrize("grip", [0.0, 0.5, 1.0])
@pytest.mark.parametrize("frequency", [0.5, 3.0, 10.0, 30.0])
def test_with_a_fixed_target_the_hand_never_gives_more_energy_than_it_got(grip: float, frequency: float) -> None:
    hand = Hand(f"tighten {grip} in 0.001; hold 100")
    period, given, most, turned = 0.001, 0.0, 0.0, 0.0
    rate = 2.0 * math.pi * frequency

    def place(now: float) -> tuple[Floats, Floats]:
        """About three axes and along them, each with a phase of its own, gently begun."""
        size = 0.01 * min(1.0, now) * np.array([1.0, 0.6, 0.3, 10.0, 6.0, 3.0])
        phase = rate * now + np.arange(6.0)
        return size * np.sin(phase), size * rate * np.cos(phase)

    hand.wrench(0.0, np.zeros(3), np.zeros(3), np.zeros(6))
    for step in range(1, 3000):
        now = step * period
        here, speed = place(now)
        wrench = hand.wrench(now, here[:3], here[3:], speed)
        work = wrench * (place(now + period)[0] - here)
        given += float(work.sum())
        turned += float(np.abs(work).sum())
        most = max(most, given)
    assert turned > 0.0
    assert most < 1e-3 * turned  # what it gives back at first it got at the beginning


@pytest.mark.parametrize("grip", [0.0, 1.0])
@pytest.mark.parametrize("mass", [0.05, 0.3, 1.0])
@pytest.mark.parametrize("period", [0.00025, 0.001])
def test_a_handle_that_is_thrown_into_a_resting_hand_comes_to_rest(grip: float, mass: float, period: float) -> None:
    hand, handle = Hand(f"tighten {grip} in 0.01; hold 100"), Handle(mass)
    handle.live(hand, 0.1, period=period)
    handle.velocity = np.array([0.5, 0.3, -0.2])
    before = 0.5 * mass * float(handle.velocity @ handle.velocity)
    handle.live(hand, 2.0, period=period)
    after = 0.5 * mass * float(handle.velocity @ handle.velocity)
    assert after < 1e-3 * before
    np.testing.assert_allclose(handle.position, (0.2, 0.0, 0.0), atol=5e-3)


def test_the_hand_feels_as_heavy_as_its_arm() -> None:
    arm = Arm()
    hand, handle = Hand("tighten 1 in 0.01; hold 100"), Handle()
    handle.live(hand, 0.05)
    impedance = arm.impedance(1.0)
    mass, stiffness = float(impedance.mass[0]), float(impedance.stiffness[0])
    rate = 2.0 * math.pi * 4.0
    rows = []
    for step in range(2000):
        now = 0.05 + step * 0.001
        swing, speed = 0.005 * math.sin(rate * now), 0.005 * rate * math.cos(rate * now)
        force = hand.force((0.2 + swing, 0.0, 0.0), (speed, 0.0, 0.0), now)
        rows.append((math.sin(rate * now), math.cos(rate * now), force[0]))
    late = np.array(rows[1000:])
    elastic, viscous = np.linalg.lstsq(late[:, :2], late[:, 2], rcond=None)[0]
    expected = mass * rate**2 - stiffness + 1j * -float(impedance.damping[0]) * rate
    skin = complex(float(impedance.skin[0]))
    through_skin = 1.0 / (1.0 / -expected + 1.0 / skin)  # arm and skin in a row
    assert elastic / 0.005 == pytest.approx(-through_skin.real, rel=0.1)
    assert viscous < 0.0


def test_a_tighter_grip_is_heavier_and_stiffer() -> None:
    loose, tight = Arm().impedance(0.0), Arm().impedance(1.0)
    assert all((getattr(tight, name) > getattr(loose, name)).all() for name in tight.fields)
    assert 0.1 <= loose.mass[0] < tight.mass[0] <= 1.0
    assert 50.0 <= loose.stiffness[0] < tight.stiffness[0] <= 800.0


def test_the_hand_is_no_stronger_than_its_arm() -> None:
    hand = Hand("tighten 1 in 0.01; hold 100", arm=Arm(strength=5.0))
    handle = Handle()
    handle.live(hand, 0.05)
    rows = handle.live(hand, 2.0, lambda place, speed: np.array([8.0, 0.0, 0.0]) - 20.0 * speed)
    assert np.abs(rows[-500:, 3]).max() < 5.2  # and so it is dragged along
    assert handle.position[0] > 0.3


def test_tremor_of_a_free_hand_has_its_size_and_frequency() -> None:
    hand, light = Hand("tremor 0.5mm; hold 100", seed=4), Handle(mass=0.02)
    rows = light.live(hand, 4.0)[1000:, :3]
    sway = rows - rows.mean(axis=0)
    assert np.sqrt(2.0) * sway.std(axis=0) == pytest.approx([0.0005] * 3, rel=0.35)
    spectrum = np.abs(np.fft.rfft(sway[:, 0]))
    peak = float(np.fft.rfftfreq(len(sway), 0.001)[spectrum.argmax()])
    assert 7.5 < peak < 12.5


def test_tremor_repeats_with_its_seed() -> None:
    np.testing.assert_array_equal(sines_of(3), sines_of(3))
    assert (sines_of(3) != sines_of(4)).any()
    rates = sines_of(3)[:, :, 0] / (2.0 * math.pi)
    assert ((rates >= LOW) & (rates <= HIGH)).all()


def test_a_place_that_is_no_number_gives_no_force() -> None:
    hand = Hand("hold 10")
    assert not hand.wrench(0.0, [math.nan] * 3, np.zeros(3), np.zeros(6)).any()
    hand.wrench(0.01, np.zeros(3), np.zeros(3), np.zeros(6))
    assert not hand.wrench(0.02, np.zeros(3), np.zeros(3), [math.inf] * 6).any()
    assert np.isfinite(hand.wrench(0.03, np.ones(3), np.zeros(3), np.zeros(6))).all()


def test_a_long_pause_does_no_harm() -> None:
    hand, handle = Hand("tighten 1 in 0.01; hold 1000"), Handle()
    handle.live(hand, 0.1)
    handle.now += 30.0
    handle.live(hand, 1.0)
    np.testing.assert_allclose(handle.position, (0.2, 0.0, 0.0), atol=1e-4)


def test_an_arm_that_cannot_be_is_refused() -> None:
    with pytest.raises(ScriptError, match="mass"):
        Arm(mass=(0.0, 1.0))
    with pytest.raises(ScriptError, match="swings"):
        Arm(correction=8.0, reaction=0.2)
