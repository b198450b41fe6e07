"""Force and place of the tool against what is allowed where the task is now."""

from __future__ import annotations

import math

import numpy as np

from station.tasks.execute.settings import ExecuteSettings
from station.tasks.task import Kind, Segment
from station.tasks.task.model import Floats

BACK = 0.5  # largest share of the speed at which a contact is given way to
RELIEVED = 0.5  # part of the force of a contact that is left when the arm has given way
SLOW_FROM = 0.6  # part of the force of a contact from which the motion is slowed
TOO_MUCH = 1.5  # times that force, at which it is ended at once
TARE = 0.1  # time at rest over which the force of nothing is measured [s]
SILENT = 0.02  # time without a force from a sensor that told some, which ends the motion [s]


class ForceWatch:
    """Forces at the tool, less those that were there before anything was touched."""

    def __init__(self, settings: ExecuteSettings, period: float) -> None:
        self._settings, self._period = settings, period
        self._sum, self._count = np.zeros(6), 0
        self.force = math.nan  # [N]
        self._silent = 0.0  # for how long nothing was told [s]
        self.felt = False  # in this segment
        self._held_up = 0.0  # [s]

    def tare(self, wrench: Floats | None) -> None:
        """A measurement while nothing is touched."""
        if wrench is not None and np.isfinite(wrench).all() and self._count * self._period < TARE:
            self._sum += wrench
            self._count += 1

    @property
    def bias(self) -> Floats:
        """What was there before anything was touched, in the frame of the tool (6,) [N, N·m]."""
        return self._sum / max(self._count, 1)

    @property
    def tared(self) -> bool:
        """Whether the sensor has told anything at rest."""
        return self._count > 0

    def wrong_tool(self) -> str:
        """What a calibrated sensor tells before anything is touched, if it is too much to be its drift; else empty."""
        force, most = float(np.linalg.norm(self.bias[:3])), self._settings.untouched
        if force <= most:
            return ""
        return (
            f"the calibrated sensor tells {force:.0f} N before anything is touched, at most {most:.0f} N are allowed: "
            "the tool touches something, or is not the one that was calibrated"
        )

    def begin(self) -> None:
        """A segment begins."""
        self.felt, self._held_up = False, 0.0

    def measure(self, wrench: Floats | None) -> None:
        """A measurement in motion."""
        if wrench is None or not np.isfinite(wrench[:3]).all():
            self.force, self._silent = math.nan, self._silent + self._period
            return
        self._silent = 0.0
        self.force = float(np.linalg.norm(wrench[:3] - self.bias[:3]))
        self.felt = self.felt or self.force >= self._settings.felt

    def limit(self, segment: Segment) -> float:
        """In a segment [N]."""
        if segment.kind is Kind.FREE:
            return self._settings.free_force
        return segment.force or self._settings.contact_force

    def slow(self, segment: Segment, dt: float) -> float:
        """What a contact leaves of the speed, 0 to 1; negative: give way. Counts how long it leaves next to nothing."""
        if segment.kind is Kind.FREE or not math.isfinite(self.force):
            return 1.0
        limit = self.limit(segment)
        share = min(max((limit - self.force) / ((1.0 - SLOW_FROM) * limit), -BACK), 1.0)
        self._held_up = self._held_up + dt if share < 0.05 else 0.0
        return share

    def presses(self, segment: Segment) -> bool:
        """Whether the force is more than what is left after giving way."""
        return math.isfinite(self.force) and self.force > RELIEVED * self.limit(segment)

    def trouble(self, segment: Segment) -> str:
        """Why the arm has to be held; empty if all is well."""
        if not math.isfinite(self.force):
            gone = self.tared and self._silent > SILENT
            return "the force sensor has fallen silent: what the tool touches is not known" if gone else ""
        limit = self.limit(segment)
        if segment.kind is Kind.FREE and self.force > limit:
            return f"touched something: {self.force:.0f} N at the tool where {limit:.0f} N are allowed"
        if self.force > TOO_MUCH * limit:
            return f"the contact is too strong: {self.force:.0f} N where {limit:.0f} N are expected"
        if self._held_up > self._settings.patience:
            return f"the contact holds up the motion at {self.force:.0f} N of {limit:.0f} N"
        return ""


def tube_of(segment: Segment, settings: ExecuteSettings) -> float:
    """How far the tool may be from the path [m]."""
    if segment.tube:
        return segment.tube
    return settings.tube if segment.kind is Kind.FREE else settings.contact_tube
