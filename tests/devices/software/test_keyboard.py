"""The keyboard: ramps, repeats, lost focus, opposite keys."""

from __future__ import annotations

import numpy as np
import pytest

from station.clock import VirtualClock
from station.devices.address import parse_address
from station.devices.device import DeviceStatus
from station.devices.errors import AddressError
from station.devices.software.deflection import TRAVEL
from station.devices.software.keyboard import FIRST, SLOWER, KeyboardDevice, keyboards
from station.devices.software.keymap import USUAL, parse_keys


class Typist:
    """A window with a keyboard, that shows 100 frames a second."""

    def __init__(self, text: str = USUAL) -> None:
        self.clock = VirtualClock(start=1.0)
        self.keyboard = KeyboardDevice("keyboard:", self.clock, parse_keys(text))

    def wait(self, seconds: float) -> None:
        for _ in range(round(seconds * 100)):
            self.clock.advance(0.01)
            self.keyboard.refresh()

    def share(self, axis: int) -> float:
        sample = self.keyboard.newest()
        assert sample is not None
        return float(sample.pose[axis, 3]) / TRAVEL

    def buttons(self) -> int:
        sample = self.keyboard.newest()
        assert sample is not None
        return sample.buttons


@pytest.fixture
def typist() -> Typist:
    return Typist()


def test_a_key_deflects_more_the_longer_it_is_down_and_not_at_all_once_it_is_up(typist: Typist) -> None:
    typist.keyboard.key_down("w")
    assert typist.share(0) == pytest.approx(-FIRST)
    typist.wait(0.25)
    assert typist.share(0) == pytest.approx(-0.5)
    typist.wait(5.0)
    assert typist.share(0) == pytest.approx(-1.0)
    typist.keyboard.key_up("w")
    assert typist.share(0) == 0.0


def test_marked_repeats_change_nothing(typist: Typist) -> None:
    typist.keyboard.key_down("d")
    for _ in range(10):
        typist.wait(0.03)
        typist.keyboard.key_up("d", repeat=True)
        typist.keyboard.key_down("d", repeat=True)
    assert typist.share(1) == pytest.approx(0.6)


def test_repeats_that_nobody_marked_go_on_where_they_were(typist: Typist) -> None:
    typist.keyboard.key_down("d")
    for _ in range(10):
        typist.wait(0.03)
        typist.keyboard.key_up("d")
        assert typist.share(1) == 0.0, "a release counts at once"
        typist.keyboard.key_down("d")
    assert typist.share(1) == pytest.approx(0.6)


def test_a_new_press_after_a_pause_starts_from_the_beginning(typist: Typist) -> None:
    typist.keyboard.key_down("d")
    typist.wait(0.4)
    typist.keyboard.key_up("d")
    typist.wait(0.1)
    typist.keyboard.key_down("d")
    assert typist.share(1) == pytest.approx(FIRST)


def test_a_repeat_does_not_show_that_the_window_lives(typist: Typist) -> None:
    """The system makes repeats even for a window that hangs, and delivers them all when it wakes."""
    typist.keyboard.key_down("d")
    typist.keyboard.key_down("shift")
    for _ in range(20):
        typist.clock.advance(0.03)
        typist.keyboard.key_down("d", repeat=True)
    assert typist.keyboard.newest() is None
    assert typist.keyboard.status is DeviceStatus.LOST
    typist.wait(0.1)
    typist.keyboard.key_down("d", repeat=True)
    assert typist.share(1) == 0.0
    assert typist.buttons() == 0


def test_losing_the_focus_lets_everything_go_until_keys_are_pressed_anew(typist: Typist) -> None:
    typist.keyboard.key_down("w")
    typist.keyboard.key_down("shift")
    typist.wait(0.3)
    typist.keyboard.focus_lost()
    assert typist.share(0) == 0.0
    assert typist.buttons() == 0
    typist.keyboard.key_up("w")
    assert typist.share(0) == 0.0


def test_opposite_keys_cancel_and_slow_makes_a_fifth(typist: Typist) -> None:
    typist.keyboard.key_down("a")
    typist.wait(1.0)
    typist.keyboard.key_down("x")
    assert typist.share(1) == pytest.approx(-SLOWER)
    typist.keyboard.key_down("d")
    typist.wait(1.0)
    assert typist.share(1) == 0.0


def test_buttons_and_upper_case(typist: Typist) -> None:
    assert typist.keyboard.capabilities.buttons == ("dead-man", "clutch", "grip")
    assert typist.keyboard.key_down("SHIFT")
    assert typist.keyboard.key_down("C")
    assert typist.buttons() == 0b011
    assert typist.keyboard.key_up("Shift")
    assert typist.buttons() == 0b010
    assert not typist.keyboard.key_down("f1"), "not ours: the window may use it"
    assert not typist.keyboard.key_up("f1")


def test_two_keys_for_one_button_hold_it_until_both_are_up() -> None:
    typist = Typist("shift=dead-man enter=dead-man")
    typist.keyboard.key_down("shift")
    typist.keyboard.key_down("enter")
    typist.keyboard.key_up("shift")
    assert typist.buttons() == 1
    typist.keyboard.key_up("enter")
    assert typist.buttons() == 0


def test_every_axis_has_two_keys_by_default() -> None:
    pushes = parse_keys(USUAL).pushes.values()
    assert sorted((push.axis, push.sign) for push in pushes) == [(axis, sign) for axis in range(6) for sign in (-1, 1)]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("w", "cannot read 'w'"),
        ("w=-q", "no axis 'q'; there are: x, y, z"),
        ("w=-x w=+x", "given twice"),
        ("=-x", "cannot read"),
        (" ".join(f"{number}=-x" for number in range(99)), "99 keys"),
    ],
)
def test_mistakes_in_a_map_of_keys_are_told_in_one_line(text: str, words: str) -> None:
    with pytest.raises(AddressError, match=words):
        parse_keys(text)


def test_keys_and_ramp_can_be_given_in_the_address() -> None:
    clock = VirtualClock()
    device = keyboards.open(parse_address("keyboard:?keys=up=-x+down=x+tab=dead-man&ramp=2"), clock)
    device.key_down("down")
    for _ in range(4):
        clock.advance(0.05)
        device.refresh()
    sample = device.newest()
    assert sample is not None
    np.testing.assert_allclose(sample.pose[:3, 3], (0.1 * TRAVEL, 0.0, 0.0))
    assert keyboards.get() is device
    device.close()
    with pytest.raises(AddressError, match="ramp is a number"):
        keyboards.open(parse_address("keyboard:?ramp=0"), clock)


def test_space_is_the_emergency_stop_and_nothing_else() -> None:
    with pytest.raises(
        AddressError, match="space is the emergency stop; give 'dead-man' another key, as shift=dead-man"
    ):
        parse_keys("w=-x space=dead-man")
    assert "space" not in {**parse_keys(USUAL).pushes, **parse_keys(USUAL).buttons}


def test_keys_that_are_down_begin_anew_when_the_robot_begins_to_follow(typist: Typist) -> None:
    typist.keyboard.key_down("d")
    typist.wait(0.5)
    assert typist.share(1) == pytest.approx(1.0)
    typist.keyboard.restart()
    assert typist.share(1) == pytest.approx(FIRST)


def test_a_window_elsewhere_holds_deflections_and_buttons_at_once(typist: Typist) -> None:
    typist.keyboard.hold((0.5, 0.0, 0.0, 0.0, 0.0, 0.0), 0b101)
    assert typist.share(0) == pytest.approx(0.5)
    assert typist.buttons() == 0b101
    typist.keyboard.hold((0.0,) * 6, 0)
    assert typist.share(0) == 0.0
    assert typist.buttons() == 0
    typist.keyboard.hold((float("nan"), 1.0, 0.0, 0.0, 0.0, 0.0), 0b001)
    assert typist.share(0) == 0.0
    typist.clock.advance(0.3)
    assert typist.keyboard.newest() is None  # it was not told again
    assert typist.keyboard.status is DeviceStatus.LOST
