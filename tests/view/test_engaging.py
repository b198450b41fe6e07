"""Where the device has no dead-man, key E and the button Engage of the window are one: held down, or nothing moves."""

from __future__ import annotations

from typing import Any

import pytest

from tests.view.processes import in_process

pytestmark = pytest.mark.wall_clock


@pytest.fixture(scope="module")
def seen(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What became of each press."""
    return in_process("tests.view.in_engaging", tmp_path_factory.mktemp("engaging"))


def test_the_robot_is_led_only_while_key_or_button_are_held_down(seen: dict[str, Any]) -> None:
    assert seen["held"] == {
        "at first": "READY",
        "key down": "ENGAGED",
        "key repeated": "ENGAGED",
        "key up": "HOLD",
        "button down": "ENGAGED",
        "button up": "HOLD",
        "key down again": "ENGAGED",
        "focus lost": "HOLD",
    }


def test_a_window_that_hangs_lets_go_and_only_a_fresh_press_engages_again(seen: dict[str, Any]) -> None:
    hung = seen["hung"]
    assert hung.pop("told") == "engage: refused, the dead-man is not held"
    assert hung == {
        "key down": "ENGAGED",
        "window hangs": "HOLD",
        "lives again": "HOLD",
        "key up": "HOLD",
        "pressed anew": "ENGAGED",
        "window closed": "HOLD",
    }


def test_a_letter_typed_into_a_field_is_no_order(seen: dict[str, Any]) -> None:
    assert seen["typed"] == "e READY"
