"""Windows on stations that are published, silent, or killed: told, survived, found again."""

from __future__ import annotations

from typing import Any

import pytest

from tests.view.processes import in_process

pytestmark = pytest.mark.wall_clock


@pytest.fixture(scope="module")
def seen(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    return in_process("tests.view.in_watching", tmp_path_factory.mktemp("watched"))


def test_a_window_follows_a_published_station(seen: dict[str, Any]) -> None:
    assert seen["watched"]["followed"]
    assert seen["watched"]["publication"] == "Publication"


def test_a_window_that_watches_gives_no_orders(seen: dict[str, Any]) -> None:
    assert seen["watched"]["orders_look_live"] == []
    assert seen["watched"]["order"] == "hold: this window only watches; orders are given at the station itself"
    assert seen["watched"]["commands"] == 0


def test_a_publisher_that_dies_is_a_banner_until_it_is_back(seen: dict[str, Any]) -> None:
    watched = seen["watched"]
    assert watched["silent"]
    assert watched["banner"].startswith("no data for ")
    assert watched["banner"].endswith("; trying again")
    assert watched["status"].startswith("no data for ")
    assert watched["again"]
    assert watched["banner_gone"]


def test_a_station_that_is_stopped_grows_stale_and_one_that_is_killed_is_told(seen: dict[str, Any]) -> None:
    killed = seen["killed"]
    assert killed["followed"]
    assert killed["stale"]
    assert killed["told"] == "the station has ended; this is its last state"
    assert killed["survives"]


def test_the_command_draws_the_scene_that_is_sent(seen: dict[str, Any]) -> None:
    assert seen["command"]["title"] == "Bench: watching"
    assert seen["command"]["robots"] == ["ur5e"]
    assert seen["command"]["panel"]
