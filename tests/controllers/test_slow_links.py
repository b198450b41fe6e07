"""Arms that answer slowly: missed later than others where that can be borne, and refused at connect where it cannot."""

from __future__ import annotations

import numpy as np
import pytest

from firmware_bridge.arm.protocol import Role
from station.clock import VirtualClock
from station.controllers import ControllerStatus, open_controller
from station.controllers.controller import LONGEST_LOST_AFTER, LOST_AFTER
from station.controllers.errors import ControllerSlowError
from tests.controllers import benches

TICK = 0.001  # [s]


def refused(bench: benches.Bench, role: Role = Role.COMMAND) -> str:
    """The one line with which it is refused."""
    with pytest.raises(ControllerSlowError) as caught:
        bench.connect(role)
    bench.server.close()
    assert "\n" not in str(caught.value)
    return str(caught.value)


@pytest.mark.parametrize(("combined", "delay"), [(True, 0.03), (False, 0.015)])
def test_a_polled_arm_far_away_is_not_lost_between_two_answers(combined: bool, delay: float) -> None:
    bench = benches.modbus_tcp(combined=combined, delay=delay, watchdog=0.2)
    with bench.connect() as controller:
        assert LOST_AFTER < 0.17 < controller.lost_after <= LONGEST_LOST_AFTER
        controller.activate()
        statuses, sent = set(), 0
        for _ in range(1500):
            bench.clock.sleep_until(bench.clock.now() + TICK)
            controller.newest()
            statuses.add(controller.status)
            sent += controller.send(np.array([0.0, 0.0, 0.1, 0.0]), None, None, sent)
        assert statuses == {ControllerStatus.READY, ControllerStatus.ACTIVE}
        assert controller.status is ControllerStatus.ACTIVE
    bench.server.close()


def test_one_that_would_stop_by_its_watchdog_between_two_setpoints_is_refused() -> None:
    said = refused(benches.modbus_tcp(delay=0.03, watchdog=0.05))
    assert "needs one every 50 ms" in said
    assert "longer watchdog" in said


def test_who_only_watches_needs_no_watchdog() -> None:
    bench = benches.modbus_tcp(delay=0.03, watchdog=0.05)
    with bench.connect(Role.OBSERVE) as controller:
        assert controller.lost_after > 0.17
    bench.server.close()


def test_one_that_would_be_missed_too_late_is_refused() -> None:
    assert "needs one every 83 ms" in refused(benches.modbus_tcp(delay=0.045, watchdog=1.0))
    assert "a setpoint every" not in refused(benches.modbus_tcp(delay=0.2, watchdog=1.0))  # no answer in time at all
    assert "later than 100 ms" in refused(benches.modbus_tcp(delay=0.08, watchdog=1.0), Role.OBSERVE)


def test_one_that_measures_too_seldom_is_refused_whatever_its_link(monkeypatch: pytest.MonkeyPatch) -> None:
    bench = benches.zeromq(rate=10.0)
    controller = bench.connect()

    class Scheme:
        def open(self, *_: object) -> object:
            return controller

    monkeypatch.setattr("station.controllers.registry.load_scheme", lambda _: Scheme())
    with pytest.raises(ControllerSlowError, match=r"only after 500 ms would it be missed.*250 ms; raise its rate"):
        open_controller("tcp://127.0.0.1:5555", VirtualClock())
    assert controller.status is ControllerStatus.CLOSED
    bench.server.close()
