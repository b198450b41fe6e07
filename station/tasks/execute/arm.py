"""`ArmLine`: shaped setpoints to an arm and measurements back, one per tick; what the player knows of the arm."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence

import numpy as np

from station.clock import Clock
from station.controllers import Controller, ControllerStatus, Measurement
from station.controllers.shaping import JointLimits, Shaped, Shaper, ShapingSettings
from station.controllers.supervisor import Shape
from station.tasks.execute.sensing import ToolSensor
from station.tasks.execute.settings import ExecuteSettings
from station.tasks.task.model import Floats

_numbers = itertools.count(1)  # of setpoints: a controller takes them upwards only


class ArmLine:
    """One arm. No method waits but `pause`."""

    def __init__(
        self,
        controller: Controller,
        limits: Sequence[JointLimits],
        settings: ExecuteSettings,
        clock: Clock,
        sensor: ToolSensor,
    ) -> None:
        able = controller.capabilities
        self.controller, self.clock, self.sensor = controller, clock, sensor
        self.period = 1.0 / min(able.rate, settings.rate)
        inner = 0.5 * settings.joint_tube
        shaping = ShapingSettings(period=self.period, inner=inner, outer=settings.joint_tube, lag=settings.lag)
        scaled = [
            one._replace(
                inner=inner * (shaping.metre if one.prismatic else 1.0),
                outer=settings.joint_tube * (shaping.metre if one.prismatic else 1.0),
            )
            for one in limits
        ]
        self.shaper = Shaper(scaled, shaping)
        self._inputs = self.shaper.inputs()
        self._takes_velocity = able.takes_velocity
        self._due = clock.now()
        self.last: Measurement | None = None
        self.shaped: Shaped | None = None
        self.sent, self.sent_at = 0, 0.0  # setpoints so far, and when the last one went out [s]

    @property
    def status(self) -> ControllerStatus:
        """Of the controller."""
        return self.controller.status

    @property
    def measured(self) -> Floats:
        """Joints as they were measured last [rad | m]."""
        assert self.last is not None
        return self.last.q

    @property
    def reason(self) -> str:
        """What the arm says."""
        return self.controller.answer or self.controller.reason or str(self.status)

    def listen(self) -> bool:
        """Take the newest measurement; whether there was one that makes sense."""
        said = self.controller.newest()
        if said is None or not np.isfinite(said.q).all():
            return False
        self.last = said
        self.sensor.read(said)
        return True

    def lateness(self, now: float) -> float:
        """By how much a measurement may be behind what was sent [s]."""
        assert self.last is not None
        return (now - self.last.arrival) + self.trip

    @property
    def trip(self) -> float:
        """There and back [s]."""
        trip = self.controller.health.round_trip
        return trip if math.isfinite(trip) else 0.0

    def activate(self) -> None:
        """Ask the arm to follow. One that has held by itself begins where it is, not where it was sent last."""
        if self.status is not ControllerStatus.ACTIVE:
            self.tick(self.clock.now(), Shape.IDLE)
        self.controller.activate()

    def begin_here(self) -> None:
        """The next setpoint goes on with what is being sent, else it begins at the measured pose."""
        self._inputs.start()

    def tick(self, now: float, wanted: Shape, q: Floats | None = None, v: Floats | None = None) -> Shaped:
        """Shape and send one setpoint."""
        inputs, last = self._inputs, self.last
        assert last is not None
        inputs.measured[:] = last.q
        inputs.measured_v[:] = math.nan if last.v is None else last.v
        inputs.target[:] = last.q if q is None else q
        inputs.target_v[:] = 0.0 if v is None else v
        inputs.link(now - last.arrival, self.trip)
        inputs.at(now, wanted)
        self.shaped = shaped = self.shaper.tick(inputs)
        if shaped.running:
            self.controller.send(shaped.q, shaped.v if self._takes_velocity else None, None, next(_numbers))
            self.sent += 1
            self.sent_at = now
        return shaped

    def begin_pauses(self) -> None:
        """The next pause ends one period from now."""
        self._due = self.clock.now()

    def pause(self) -> None:
        """Until the next tick."""
        self._due = max(self._due + self.period, self.clock.now())
        self.clock.sleep_until(self._due)
