"""A syntaxer during a calibration: its real driver, tick by tick, and a loop that holds or moves its arms."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from calibration.errors import DataError
from calibration.parameters import Floats
from firmware_bridge.syntaxer.driver import SyntaxerDevice
from firmware_bridge.syntaxer.messages import State
from station.clock import Clock
from station.devices import DeviceStatus
from station.devices.syntaxer import SyntaxerModel

TICK = 0.001  # [s]
LOOK = 0.005  # between two looks at a device that is being carried [s]
STILL = 0.3  # that the handle has to stand still for [s]
PATIENCE = 5.0  # until it does [s]
CALM = 4e-4  # travel of an arm that counts as still [rad]
STIFFNESS, DAMPING = 18.0, 0.7  # of the loop that holds the arms [N·m/rad, N·m·s/rad]
SMOOTH = 0.012  # time constant of measured rates [s]
APART = 0.01  # travel of an arm between two places of a swing: errors of steps have nothing in common any more [rad]
FEWEST_SWUNG = 100  # places of a swing
APPROACH = 1.0  # time to where a motion begins [s]


class LostError(DataError, ConnectionError):
    """The device went away during a collection; what was measured is kept."""


class Bench:
    """One syntaxer, without force until it is driven."""

    def __init__(self, device: SyntaxerDevice, clock: Clock) -> None:
        self.device, self.clock = device, clock
        self.model: SyntaxerModel = device.model
        self._next = clock.now()
        self._rates, self._before, self._then = np.zeros(6), np.zeros(6), -1

    @property
    def serial_number(self) -> str:
        """Of the device."""
        return self.device.capabilities.serial_number or ""

    def tick(self, amperes: Floats | None = None, period: float = TICK) -> State:
        """Wait for the next tick [s], take the newest state, send currents [A] or none; LostError if it has gone."""
        self._next = max(self._next + period, self.clock.now() - 20.0 * TICK)
        self.clock.sleep_until(self._next)
        self.device.newest()
        if self.device.status is not DeviceStatus.READY:
            raise LostError(f"{self.device.reason}; see to it and begin again: what was measured is kept")
        if amperes is None:
            self.device.command(np.zeros(6))
        else:
            self.device.drive(amperes)
        state = self.device.state
        assert state is not None
        self._note(state)
        return state

    def idle(self, seconds: float) -> None:
        """Let time pass [s] without current, looking after the device now and then."""
        for _ in range(round(seconds / LOOK)):
            self.tick(period=LOOK)

    def _note(self, state: State) -> None:
        """Rates of the encoders [counts/s], smoothed."""
        elapsed = ((state.time_us - self._then) & 0xFFFFFFFF) * 1e-6
        counts = np.array(state.counts, dtype=np.float64)
        if self._then >= 0 and 0.0 < elapsed < 0.1:
            share = 1.0 - np.exp(-elapsed / SMOOTH)
            self._rates += share * ((counts - self._before) / elapsed - self._rates)
        elif self._then < 0 or elapsed > 0.0:
            self._rates = np.zeros(6)
        self._before, self._then = counts, state.time_us

    def wake(self) -> None:
        """Catch up with the device after a person took time; LostError if it is not there any more."""
        self._next = self.clock.now()
        for _ in range(round(1.0 / TICK)):
            self._next += TICK
            self.clock.sleep_until(self._next)
            self.device.newest()
            if self.device.status is DeviceStatus.READY:
                return
        raise LostError(f"{self.device.reason}; see to it and begin again: what was measured is kept")

    def still_counts(self, seconds: float = STILL) -> Floats:
        """Mean counts once the handle stands still for a time [s]; a DataError if it does not for too long."""
        self.wake()
        steps = round(seconds / TICK)
        calm = CALM / float(self.model.parts.chains.angle_per_count.mean())
        for _ in range(round(PATIENCE / seconds)):
            seen = np.array([self.tick().counts for _ in range(steps)], dtype=np.float64)
            if float(np.ptp(seen[:, :3], axis=0).max()) <= calm:
                return np.asarray(seen.mean(axis=0))
        raise DataError(f"the handle did not stand still for {PATIENCE:g} s; hold it still and begin again")

    def swung_counts(self, seconds: float) -> Floats:
        """Counts at places that lie apart, while a person moves the handle for so long [s] (n, 6)."""
        self.wake()
        apart = APART / self.model.parts.chains.angle_per_count
        kept = [np.array(self.tick().counts, dtype=np.float64)]
        for _ in range(round(seconds / TICK)):
            counts = np.array(self.tick().counts, dtype=np.float64)
            if bool((np.abs(counts - kept[-1])[:3] > np.abs(apart)).any()):
                kept.append(counts)
        if len(kept) < FEWEST_SWUNG:
            raise DataError(
                f"{len(kept)} places in {seconds:g} s; at least {FEWEST_SWUNG} are needed: swing the handle all over "
                "what it reaches, and begin again: what was measured is kept"
            )
        return np.array(kept)

    def enable(self) -> None:
        """Let currents flow."""
        self.wake()
        if not self.device.enable_force():
            raise LostError(f"force cannot be enabled: {self.device.reason or self.device.force_off}")

    def disable(self) -> None:
        """No more currents."""
        self.device.disable_force()

    def angles(self, counts: Floats) -> Floats:
        """Of the arms [rad]."""
        chains = self.model.parts.chains
        away = counts[:3] - self.model.parts.home[:3]
        return np.asarray(chains.zero + away * chains.angle_per_count)

    def hold(self, state: State, angles: Floats, rates: Floats) -> Floats:
        """Currents of the arms that keep them at angles [rad] with rates [rad/s], the weight carried [A]."""
        chains = self.model.parts.chains
        counts = np.array(state.counts, dtype=np.float64)
        off = angles - self.angles(counts)
        slip = rates - self._rates[:3] * chains.angle_per_count
        torques = STIFFNESS * off + DAMPING * slip + self.model.weight_torques
        return np.asarray(torques / chains.torque_per_ampere)

    def follow(
        self,
        path: Callable[[float], tuple[Floats, Floats]],
        strings: Callable[[float], Floats],
        lead: float,
        period: float,
    ) -> tuple[Floats, Floats]:
        """Move the arms along a periodic path and record one period [s] after some lead [s].

        Args:
            path: angles [rad] and rates [rad/s] of the arms at a time [s].
            strings: currents of the strings at a time [A].
            lead: time before what is recorded [s].
            period: of what is recorded [s].

        Returns counts and measured currents, one row of six per tick.
        """
        self.enable()
        state = self.tick()
        begin = self.angles(np.array(state.counts, dtype=np.float64))
        counts, currents = [], []
        try:
            for number in range(-round((lead + APPROACH) / TICK), round(period / TICK)):
                time = number * TICK
                share = float(np.clip((time + lead + APPROACH) / APPROACH, 0.0, 1.0))
                share = share**3 * (10.0 - 15.0 * share + 6.0 * share**2)
                angles, rates = path(time)
                wanted, speed = begin + share * (angles - begin), rates if share == 1.0 else share * rates
                amperes = np.concatenate([self.hold(state, wanted, speed), share * strings(time)])
                state = self.tick(amperes)
                if not self.device.force_enabled:
                    raise LostError(f"{self.device.force_off}; see to it and begin again: what was measured is kept")
                if number >= 0:
                    counts.append(state.counts)
                    currents.append(state.currents)
        finally:
            self.disable()
        return np.array(counts, dtype=np.float64), np.array(currents)
