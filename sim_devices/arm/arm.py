"""An emulated arm: the state machine, safety and servo loops of a controller in front of the physics of a world."""

from __future__ import annotations

import math
from collections import Counter
from typing import TYPE_CHECKING

import numpy as np

from sim_devices.arm.faults import ArmFaultScript
from sim_devices.arm.gears import Gears
from sim_devices.arm.machine import NO_SEQUENCE, ArmState, Floats, Reading
from sim_devices.arm.mishaps import Mishaps
from sim_devices.arm.model import TICK
from sim_devices.arm.power import Power
from sim_devices.arm.settings import ArmSettings
from sim_devices.arm.states import RELEASED, ArmStates, Waiting
from station.controllers.controller import Capabilities
from station.mad.scene import Robot

if TYPE_CHECKING:
    from sim_devices.arm.world import World

FIRST_SETPOINT = 1.0  # longer than the watchdog: a round trip that it may take until the first one comes [s]


class EmulatedArm(ArmStates):
    """An `ArmMachine` with physics behind it. It lives in a `World`; `advance` takes the whole world along."""

    def __init__(
        self, world: World, robot: Robot, settings: ArmSettings, faults: ArmFaultScript, seed: int = 0
    ) -> None:
        super().__init__(world, robot, settings, seed, TICK)
        self.faults = faults
        self._gears = Gears(self.body.links)
        self._told = self._gears.told(self._abilities)
        self._mishaps = Mishaps(self)
        self.refused: Counter[str] = Counter()
        self._newest = self._encoders.q.copy()  # setpoint
        self.body.soften_tool(settings.tip_time)
        self._fresh = 0.0  # when the last setpoint came [s lived]
        self._followed = False  # whether one has come since it became ACTIVE
        self._activations = 0
        self._mishaps.update()

    # What a link's server calls ----------------------------------------------------------------------------

    @property
    def capabilities(self) -> Capabilities:
        """What it is and can do; two joints may be swapped by a fault."""
        return self._mishaps.told(self._told)

    @property
    def alive(self) -> bool:
        """False while it starts anew and cannot be reached: a server should answer nobody."""
        return not self._mishaps.starting

    def setpoint(
        self, q: Floats, v: Floats | None, effort: Floats | None, sequence: int, stamp: float | None = None
    ) -> bool:
        """Take a setpoint [rad | m], as counted; False, and noted in `refused`: it was not taken."""
        if self._mishaps.frozen or self._mishaps.deaf:
            return True  # connected but dead: swallowed
        if not self.follows:
            return self._refuse("not active")
        try:
            came = np.array(q, dtype=np.float64)
            q = self._gears.moved(came)
            v = self._gears.moved(None if v is None else np.array(v, dtype=np.float64))
            effort = self._gears.effort(None if effort is None else np.array(effort, dtype=np.float64))
        except (TypeError, ValueError, OverflowError):
            return self._refuse("not numbers")
        if came.shape == self._newest.shape:
            told = math.nan if stamp is None else stamp
            self.log.hear(self.world.lived, told, sequence, self._activations, came)
        swapped = self._mishaps.swapped
        cause, harm = self._guard.refuses(v, effort), ""
        if not cause:
            q, v, effort = swapped(q), swapped(v), swapped(effort)
            cause, harm = self._guard.admits(q, self._newest)
        if not cause:
            harm = self._guard.asks(q, stamp, self.world.lived)
            cause = "speed or acceleration" if harm else ""
        if harm:
            self.reflex(harm)
        if cause:
            return self._refuse(cause)
        self._newest, self._fresh, self._followed = q, self.world.lived, True
        self._waiting.append(Waiting(self.world.lived + self.settings.delay, q, v, effort, sequence))
        return True

    def _refuse(self, cause: str) -> bool:
        self.refused[cause] += 1
        return False

    def activate(self) -> bool:
        """Follow setpoints from now on, beginning where the arm is."""
        if self._mishaps.frozen or self.state is not ArmState.READY or self._then is not None:
            return self.follows
        if not self.stands:
            self.reason = "the arm still moves; wait until it stands"
            return False
        self._hold()
        self._newest, self._fresh, self._followed = self._reference.q.copy(), self.world.lived, False
        self._echo = NO_SEQUENCE
        self._activations += 1
        self._guard.begin()
        self.go(ArmState.ACTIVE, "", "activated")
        return True

    def deactivate(self) -> None:
        """Hold where it is, with power."""
        if self.follows and not self._mishaps.frozen:
            self._stop_then(ArmState.READY, "", "deactivated")

    def stop(self) -> None:
        """Emergency stop."""
        self.reflex("emergency stop")

    def reset(self) -> bool:
        """Leave STOPPED or FAULT for READY, if the arm stands and the cause is gone."""
        if self.state in (ArmState.READY, ArmState.ACTIVE):
            return self.state is ArmState.READY
        if self._then is not None or not self.stands or self._mishaps.unfit:
            return False
        released = self.power is Power.RELEASED
        if not released:
            self._hold()
        self.go(ArmState.READY, RELEASED if released else "", "reset")
        return True

    def release(self) -> None:
        """Take the torque away: the arm sinks. What was STOPPED stays so."""
        if self._mishaps.frozen:
            return
        self._set_power(Power.RELEASED)
        self._then = None
        self._waiting.clear()
        if self.state in (ArmState.READY, ArmState.ACTIVE):
            self.go(ArmState.READY, RELEASED, "released")
        else:
            self.go(self.state, self.reason, "released")

    def advance(self, now: float) -> None:
        """Live until `now` [s]; all arms of the world do."""
        self.world.advance(now)

    def reading(self) -> Reading:
        """What it would report now."""
        return self._mishaps.reading(self._reading())

    def _reading(self) -> Reading:
        swap = self._mishaps.swapped
        q, v, effort = self._encoders.q, self._encoders.v, self._loops.given
        wrench = self._sensor.wrench + self._mishaps.wrench
        effort = self._ammeter.told(effort, self._loops.limits)
        return self._gears.counted(Reading(swap(q.copy()), swap(v.copy()), swap(effort), wrench, *self._about()))

    def _about(self) -> tuple[ArmState, str, int, float, float]:
        return self.state, self.reason, self._echo, self._clock, self.world.moment

    # What the world calls ----------------------------------------------------------------------------------

    def command(self) -> None:
        """The first half of a tick: what is due, is it safe, what do the motors give."""
        self._clock += TICK * self._mishaps.clock_rate
        self._mishaps.update()
        if not self._mishaps.frozen:
            self._look_after()
        self._take_due()
        self._reference.step()
        if self._then is not None and not self._reference.braking:
            self._arrive()
        if self.power is not Power.DRIVES:
            self._loops.given[:] = 0.0
            self.body.drive(0.0)
            self.body.let_brakes_bite()
            return
        self._loops.look(*self.world.known, self.world.physics[1])
        strength = self._mishaps.strength(self._loops.limits)
        self.body.drive(self._loops.efforts(self._reference.wanted, self._encoders.measured, strength))

    def sense(self) -> None:
        """The second half: encoders, tool sensor, log."""
        true = self.body.q
        self._encoders.sense(true, self._mishaps.offset, self._mishaps.stuck)
        if self.body.measures_wrench:
            self._sensor.sense(self.body.through_tool, self.body.tool_turn)
        values = (self._reference.q, true, self._encoders.q, self._encoders.v, self._loops.given, self._sensor.wrench)
        self.log.put(self.world.lived, self._echo, self.state, self.power, values)

    def _look_after(self) -> None:
        """The arm's own watchdog and reflexes."""
        if self.power is not Power.DRIVES:
            return
        measured, wrench = self._encoders.measured, self._sensor.unbiased
        cause = self._guard.judges(self._reference, measured, wrench, self.follows)
        if cause:
            self.reflex(cause)
        elif self.follows and self.world.lived - self._fresh > self._patience:
            fresh = "fresh setpoint" if self._followed else "setpoint after it was activated"
            silence = f"no {fresh} for {1000.0 * self._patience:.0f} ms"
            self._stop_then(ArmState.READY, f"{silence}; activate again", f"watchdog: {silence}")

    @property
    def _patience(self) -> float:
        """Longest silence [s]; the first setpoint is sent once the station hears of ACTIVE, and the arm stands."""
        return self._abilities.watchdog + (0.0 if self._followed else FIRST_SETPOINT)

    def _take_due(self) -> None:
        if not self._waiting or self._waiting[0].due > self.world.lived + 1e-9:
            return
        while self._waiting and self._waiting[0].due <= self.world.lived + 1e-9:
            newest = self._waiting.popleft()
        if self.follows:
            self._reference.aim(newest.q, newest.v, newest.effort)
            self._echo = newest.sequence
