"""Panels of a running bench in a window: the ghost lags, orders are given and answered, everything is told."""

from __future__ import annotations

from typing import Any

import pytest

from tests.view.processes import in_process

pytestmark = pytest.mark.wall_clock


@pytest.fixture(scope="module")
def seen(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What happened in the panels while the bench ran behind a link of 200 ms."""
    return in_process("tests.view.in_panels", tmp_path_factory.mktemp("bench"))


def test_the_ghost_lags_the_solid_robot_by_the_delay_of_the_link(seen: dict[str, Any]) -> None:
    """100 ms each way; the arm itself follows within some milliseconds."""
    lags = seen["lags"]
    assert seen["engaged"]
    assert 0.195 <= lags["lag"] <= 0.225
    assert lags["apart_now"] > 0.02  # it is far away …
    assert lags["apart_then"] < 0.002  # … from the solid robot, but where that was 200 ms ago


def test_the_age_of_the_ghost_is_shown(seen: dict[str, Any]) -> None:
    """A measurement is as old as its way back."""
    least, largest = seen["lags"]["ages"]
    assert 0.095 <= least <= largest <= 0.115
    assert seen["lags"]["label"] in (", 101 ms", ", 102 ms")


def test_the_stop_button_stops_when_it_is_pressed(seen: dict[str, Any]) -> None:
    orders = seen["orders"]
    assert orders["stopped"]
    assert orders["stop_answer"]
    assert orders["cause"].startswith("emergency stop")
    assert orders["fault"].endswith("fault: emergency stop")


def test_a_refused_order_shows_its_reason(seen: dict[str, Any]) -> None:
    assert seen["orders"]["engage_refused"]
    assert seen["orders"]["said"] == "engage: refused, there is a fault: reset first"


def test_reset_leads_out_of_a_stop_and_hold_holds(seen: dict[str, Any]) -> None:
    for name in ("reset", "engaged_again", "held", "engaged_by_press"):
        assert seen["orders"][name], name


def test_a_sensor_that_is_not_tared_is_told_and_tared_by_a_button(seen: dict[str, Any]) -> None:
    sensor, words = seen["sensor"], "sensor not tared: press t with the arm at rest"
    assert sensor["refused"]  # while the arm follows the hand
    assert sensor["no_sign"]
    assert sensor["sign"]
    assert sensor["words"] == words
    assert words in sensor["in_the_picture"]
    assert sensor["tared"]
    assert sensor["sign_goes"]


def test_tare_is_greyed_where_it_is_not_possible(seen: dict[str, Any]) -> None:
    assert seen["sensor"]["enabled"]
    assert not seen["sensor"]["enabled_without_sensor"]
    assert not seen["sensor"]["enabled_without_station"]


def test_space_stops_wherever_the_focus_is_and_while_the_panel_is_hidden(seen: dict[str, Any]) -> None:
    assert seen["orders"]["space_stops"]
    assert seen["orders"]["key_resets"]
    assert seen["orders"]["space_stops_hidden"]


def test_effects_are_switched_and_their_bound_is_shown(seen: dict[str, Any]) -> None:
    effects = seen["effects"]
    assert effects["off"]
    assert effects["on"]
    assert effects["stronger"]
    assert effects["now"] == "now 336 N/m, largest stable 420 N/m"
    assert "80 % of the bound 420 N/m = 2·(b - B)/T" in effects["bound"]
    assert effects["beyond"].startswith("now 504 N/m, beyond 420 N/m")
    assert "mJ" in effects["passivity"]


def test_plots_show_every_quantity_thinned_to_the_screen(seen: dict[str, Any]) -> None:
    curves = seen["curves"]
    for name in ("dexterity", "force coupling", "energy rendered", "arm behind", "age of measurement"):
        assert name in curves["drawn"]
    assert "force guides" not in curves["drawn"]  # there are none
    assert curves["most"] < 1000  # of two thousand ticks
    begin, end = curves["span"]
    assert -2.1 < begin < -1.9
    assert abs(end) < 0.05


def test_plots_can_be_paused(seen: dict[str, Any]) -> None:
    assert seen["curves"]["paused"]
    assert seen["curves"]["kept_while_paused"]
    assert seen["curves"]["goes_on"]


def test_links_tell_what_is_measured_and_what_is_not(seen: dict[str, Any]) -> None:
    links = seen["links"]
    assert links["Device"]["emulated"]
    assert links["Device"]["samples"] == "1000 in a second"
    assert links["Device"]["from hand to force"] == "0.0 ms"  # on a virtual clock
    assert links["Arm"]["emulated"]
    assert links["Arm"]["age of the newest measurement"].startswith("101")
    assert links["Arm"]["measurements"] == "1000 in a second"
    assert links["Arm"]["lost"] == "0 measurements"
    assert 0.2 <= float(links["Arm"]["round trip"].removesuffix(" ms")) / 1e3 <= 0.21  # 100 ms each way
    assert links["Servo"]["ticks"] == "1000 in a second"


def test_efforts_that_the_arm_measures_are_drawn(seen: dict[str, Any]) -> None:
    """The largest is told: shoulder or elbow, which hold the weight of the arm alike while the upper arm is upright."""
    (effort,) = (text for text in seen["efforts"]["labels"] if text.endswith(" N·m"))
    joint, _, size = effort.removesuffix(" N·m").partition(": ")
    assert joint in ("joint 2", "joint 3")
    assert 5.0 < abs(float(size)) < 100.0
    assert not seen["efforts"]["notes"]


def test_the_log_tells_states_with_causes_links_limits_and_orders(seen: dict[str, Any]) -> None:
    log = "\n".join(line[14:] for line in seen["events"])
    for line in (
        "state  engaged: the hand moves the robot",
        "state  fault: emergency stop",
        "state  hold: hold was asked for",
        "link   arm stopped: emergency stop; reset it",
        "order  engage: refused, there is a fault: reset first",
        "limit  passivity",
        "arm    sensor not tared: press t with the arm at rest",
        "order  tare: done",
    ):
        assert line in log
    assert seen["saved"]
    assert "cannot be written there" in seen["not_saved"]


def test_a_window_that_closes_leaves_the_station_running(seen: dict[str, Any]) -> None:
    assert seen["goes_on_when_a_window_closes"]


def test_a_station_that_ends_while_it_is_watched_is_told_and_survived(seen: dict[str, Any]) -> None:
    ended, visible, text = seen["ended"]
    assert ended
    assert visible
    assert text == "the station has ended; this is its last state"
    assert seen["orders_look_live"] == []
    assert seen["order_to_nobody"] == "hold: no station runs"
    assert seen["survived"]
