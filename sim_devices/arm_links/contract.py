"""What every controller keeps: one class of tests, run on emulated and real arms alike.

In your own tests:

    class TestMyArm(ControllerContract):
        url = "myarm:somewhere"

or, for an arm that is switched on: `pytest --station-controller URL tests/controllers/test_contract.py`. The arm is
only ever asked to stay where it is, but it is switched on, stopped and reset: stand clear and have the emergency stop
at hand.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import pairwise

import numpy as np
import pytest

from station.clock import WALL, Clock
from station.controllers import Controller, ControllerStatus, Measurement, in_order_of, open_controller
from station.controllers.controller import Floats

TICK = 0.001  # [s]
PATIENCE = 2.0  # for something to happen [s]
SOME_TIME = 0.3  # that a test listens for [s]
STILL = 0.01  # that a joint which holds may move [rad | m]


class ControllerContract:
    """Subclass it and set `url`, or override the fixture `controller`."""

    url = ""
    clock: Clock = WALL
    may_release = True  # whether the torque may be taken away
    _sequence = 0

    @pytest.fixture
    def controller(self) -> Iterator[Controller]:
        """The controller under test, open."""
        with open_controller(self.url, self.clock) as controller:
            yield controller

    # What tests are made of ------------------------------------------------------------------------------

    def tick(self, controller: Controller, hold: Floats | None) -> Measurement | None:
        """One tick: read, send a setpoint to stay at `hold` (if any), and let a millisecond pass."""
        said = controller.newest()
        if hold is not None:
            self._sequence += 1
            controller.send(hold, np.zeros(len(hold)), None, self._sequence)
        self.clock.sleep_until(self.clock.now() + TICK)
        return said

    def listen(
        self, controller: Controller, seconds: float = SOME_TIME, hold: Floats | None = None
    ) -> list[Measurement]:
        """Tick for so long [s]; returns what came."""
        said = [self.tick(controller, hold) for _ in range(round(seconds / TICK))]
        return [one for one in said if one is not None]

    def until(self, controller: Controller, done: Callable[[], bool], hold: Floats | None = None) -> bool:
        """Tick until something is so; False if it does not become so."""
        for _ in range(round(PATIENCE / TICK)):
            if done():
                return True
            self.tick(controller, hold)
        return done()

    def where(self, controller: Controller) -> Floats:
        """Where the arm is."""
        said: list[Measurement] = []
        assert self.until(controller, lambda: bool(said) or self._looked(controller, said))
        return said[-1].q.copy()

    def _looked(self, controller: Controller, said: list[Measurement]) -> bool:
        one = controller.newest()
        said += [] if one is None else [one]
        return bool(said)

    def engage(self, controller: Controller) -> Floats:
        """Activate where the arm is; returns that place."""
        if controller.status is ControllerStatus.STOPPED:
            controller.reset()
            assert self.until(controller, lambda: controller.status is ControllerStatus.READY)
        hold = self.where(controller)
        controller.activate()
        assert self.until(controller, lambda: controller.status is ControllerStatus.ACTIVE, hold), controller.answer
        return hold

    # Being there -----------------------------------------------------------------------------------------

    def test_it_is_usable_once_open(self, controller: Controller) -> None:
        """An opening function returns a controller that measures, or raises."""
        assert controller.status in (ControllerStatus.READY, ControllerStatus.STOPPED, ControllerStatus.FAULT)
        assert self.listen(controller)

    def test_it_declares_what_it_can_do(self, controller: Controller) -> None:
        """Joints with names of their own, a rate, a watchdog, and limits that leave room."""
        able = controller.capabilities
        assert able.model
        assert able.rate > 0.0
        assert 0.0 < able.watchdog < 10.0
        assert able.joints
        assert len({joint.name for joint in able.joints}) == len(able.joints)
        for joint in able.joints:
            assert joint.name
            assert joint.low is None or joint.high is None or joint.low < joint.high
            for bound in (joint.speed, joint.acceleration, joint.jerk, joint.effort):
                assert bound is None or bound > 0.0

    def test_measurements_are_numbers_in_order(self, controller: Controller) -> None:
        """Finite, as many as there are joints, never the same twice, never from the future."""
        joints = len(controller.capabilities.joints)
        said = self.listen(controller)
        for one in said:
            assert one.q.shape == (joints,)
            assert np.isfinite(one.q).all()
            assert one.arrival <= self.clock.now()
            assert one.echo >= -1
        for first, second in pairwise(said):
            assert second.sequence > first.sequence
            assert second.arrival >= first.arrival
            assert second.controller_time >= first.controller_time

    def test_what_cannot_be_measured_is_none_and_not_zero(self, controller: Controller) -> None:
        """And what can be is numbers."""
        able, joints = controller.capabilities, len(controller.capabilities.joints)
        for one in self.listen(controller):
            for part, measured, size in (
                (one.v, able.measures_velocity, joints),
                (one.effort, able.measures_effort, joints),
                (one.wrench, able.measures_wrench, 6),
            ):
                assert (part is not None) == measured
                assert part is None or (part.shape == (size,) and bool(np.isfinite(part).all()))

    def test_joints_are_known_by_name(self, controller: Controller) -> None:
        """In the order of the scene, whatever order the arm has."""
        theirs = controller.capabilities.joints
        straight = self.where(controller)
        turned = in_order_of(controller, theirs[::-1])
        assert [joint.name for joint in turned.capabilities.joints] == [joint.name for joint in theirs][::-1]
        assert np.allclose(self.where(turned), straight[::-1], atol=STILL)

    def test_the_link_is_measured_all_the_time(self, controller: Controller) -> None:
        """Round trip, clocks, age; what arrives is counted."""
        before = controller.health.received
        self.listen(controller, hold=self.where(controller))
        health = controller.health
        assert health.received > before
        assert 0.0 <= health.round_trip < PATIENCE
        assert np.isfinite(health.offset)
        assert -0.01 < health.age < PATIENCE

    # Modes -----------------------------------------------------------------------------------------------

    def test_it_follows_only_while_active(self, controller: Controller) -> None:
        """Activate, follow, deactivate: the echo tells what was applied."""
        self.listen(controller, 0.05, hold=self.where(controller))
        hold = self.engage(controller)
        said = self.listen(controller, hold=hold)
        assert said[-1].echo > said[0].echo >= -1
        assert self._sequence - said[-1].echo < 0.1 / TICK
        assert np.abs(said[-1].q - hold).max() < STILL
        controller.deactivate()
        assert self.until(controller, lambda: controller.status is ControllerStatus.READY, hold)
        self.listen(controller, 0.05, hold=hold)
        echo = self.listen(controller, 0.05, hold=hold)[-1].echo
        assert self.listen(controller, 0.05, hold=hold)[-1].echo == echo
        assert controller.status is ControllerStatus.READY

    def test_a_stop_stays_until_it_is_reset(self, controller: Controller) -> None:
        """Whatever is asked meanwhile."""
        hold = self.engage(controller)
        controller.stop()
        assert self.until(controller, lambda: controller.status is ControllerStatus.STOPPED, hold)
        assert controller.reason
        controller.activate()
        self.listen(controller, hold=hold)
        assert controller.status is ControllerStatus.STOPPED
        assert controller.answer
        controller.reset()
        assert self.until(controller, lambda: controller.status is ControllerStatus.READY, hold)
        self.engage(controller)

    def test_the_torque_can_be_released(self, controller: Controller) -> None:
        """It follows no longer then."""
        if not self.may_release:
            pytest.skip("the arm may sink")
        hold = self.engage(controller)
        controller.release()
        assert self.until(controller, lambda: controller.status is not ControllerStatus.ACTIVE, hold)

    def test_without_setpoints_the_watchdog_of_the_arm_speaks(self, controller: Controller) -> None:
        """It stops by itself and says so; it does not go on by itself."""
        self.engage(controller)
        assert self.until(controller, lambda: controller.status is not ControllerStatus.ACTIVE)
        at_rest = (ControllerStatus.READY, ControllerStatus.STOPPED, ControllerStatus.FAULT)
        assert controller.status in at_rest
        assert self.until(controller, lambda: bool(controller.reason))
        self.listen(controller, 0.1, hold=self.where(controller))
        assert controller.status in at_rest

    # Nonsense --------------------------------------------------------------------------------------------

    def test_nonsense_is_never_sent(self, controller: Controller) -> None:
        """What is no number, too large, of the wrong length, or said before."""
        hold = self.engage(controller)
        joints = len(hold)
        for value in (np.nan, np.inf, -np.inf, 1e300):
            self._sequence += 1
            bad = hold.copy()
            bad[0] = value
            if abs(value) != 1e300:
                assert not controller.send(bad, None, None, self._sequence)
            if controller.capabilities.takes_velocity:
                assert not controller.send(hold, np.full(joints, value), None, self._sequence)
            self.tick(controller, hold)
        assert not controller.send(hold[:-1], None, None, self._sequence + 1)
        assert not controller.send(np.append(hold, 0.0), None, None, self._sequence + 1)
        assert not controller.send(hold, None, None, self._sequence)
        said = self.listen(controller, 0.1, hold=hold)
        assert controller.status is ControllerStatus.ACTIVE
        assert np.abs(said[-1].q - hold).max() < STILL

    def test_what_is_outside_the_limits_of_the_arm_is_not_followed(self, controller: Controller) -> None:
        """The arm itself refuses it."""
        limited = [i for i, joint in enumerate(controller.capabilities.joints) if joint.high is not None]
        if not limited:
            pytest.skip("the arm tells no limits")
        hold = self.engage(controller)
        joint = controller.capabilities.joints[limited[0]]
        beyond = hold.copy()
        assert joint.high is not None
        beyond[limited[0]] = joint.high + 0.5
        said = self.listen(controller, 0.03, hold=beyond)
        assert np.abs(said[-1].q - hold).max() < STILL

    # The end ---------------------------------------------------------------------------------------------

    def test_closing_is_final_and_may_be_done_twice(self, controller: Controller) -> None:
        """Nothing comes afterwards, and nothing breaks."""
        hold = self.engage(controller)
        controller.close()
        controller.close()
        assert controller.status is ControllerStatus.CLOSED
        assert controller.newest() is None
        assert not controller.send(hold, None, None, self._sequence + 1)
        for verb in (controller.activate, controller.deactivate, controller.reset, controller.release, controller.stop):
            verb()
        assert controller.status is ControllerStatus.CLOSED


class LosableContract(ControllerContract):
    """For emulated arms whose link can be cut: override `cut` and `mend`."""

    def cut(self) -> None:
        """From now on nothing comes through, either way."""
        raise NotImplementedError

    def mend(self) -> None:
        """As before."""
        raise NotImplementedError

    def test_lost_and_back(self, controller: Controller) -> None:
        """Losing it ends ACTIVE on both sides, and coming back does not begin it again."""
        hold = self.engage(controller)
        self.cut()
        assert self.until(controller, lambda: controller.status is ControllerStatus.LOST, hold)
        assert controller.reason
        self._sequence += 1
        assert not controller.send(hold, None, None, self._sequence)
        controller.activate()
        self.listen(controller, 0.2, hold)
        self.mend()
        assert self.until(controller, lambda: controller.status is ControllerStatus.READY, hold)
        self.listen(controller, 0.2, hold)
        assert controller.status is ControllerStatus.READY
        self.engage(controller)
