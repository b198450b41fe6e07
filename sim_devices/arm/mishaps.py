"""What faults do to an arm, tick by tick."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, overload

import numpy as np

from sim_devices.arm.machine import ArmState, Floats, Reading
from sim_devices.arm.senses import NONE_STUCK
from sim_devices.faults import Fault
from station.controllers.controller import Capabilities

if TYPE_CHECKING:
    from sim_devices.arm.arm import EmulatedArm

WHOLE = 1e-6


class Mishaps:
    """The faults of one arm that act now, in the terms of the arm."""

    def __init__(self, arm: EmulatedArm) -> None:
        self._arm = arm
        self._count = len(arm.body.links)
        self.offset = np.zeros(self._count)  # of encoders [rad | m]
        self.wrench = np.zeros(6)  # shift of the tool sensor [N, N·m]; not a number: it is silent
        self.stuck = NONE_STUCK  # encoder that stands still
        self.frozen = self.starting = self.deaf = False
        self.clock_rate = 1.0
        self._same: Reading | None = None  # what a frozen controller says
        self._reflexed = self._restarted = False
        self._acting = False
        self._order: list[int] | None = None  # of joints, if two are swapped
        self._until = 0.0  # when it has started [s lived]

    def update(self) -> None:
        """Look which faults act now, once per tick."""
        arm = self._arm
        acting = bool(arm.faults)
        arm.faults.update(arm.world.lived, self.signals if acting else {})
        if not acting and not self._acting and not self.starting:
            return
        self._acting = acting  # once more after the last fault is gone, so that nothing of it stays
        active = arm.faults.active
        self._senses()
        self._order = self._swap()
        self.deaf = active("deaf") is not None
        drift = active("clock-drift")
        self.clock_rate = 1.0 + (drift["ppm"] * 1e-6 if drift else 0.0)
        jammed = active("stuck-joint")
        arm.body.jam(self._joint(jammed) if jammed else None)
        self._freeze(active("freeze") is not None)
        if active("reflex") and not self._reflexed:
            arm.reflex("reflex stop")
        self._reflexed = active("reflex") is not None
        if self._brown_out and arm.state is not ArmState.FAULT:
            arm.fail(
                f"supply below {arm.settings.least_supply:g} V: drives are off, brakes on; reset it once it is back"
            )
        self._restart(active("restart"))

    def _senses(self) -> None:
        active = self._arm.faults.active
        lost, stuck, shifted = active("encoder-offset"), active("stuck-encoder"), active("wrench-offset")
        self.offset = np.zeros(self._count)
        if lost:
            self.offset[self._joint(lost)] = lost["by"]
        self.stuck = self._joint(stuck) if stuck else NONE_STUCK
        self.wrench = np.array([shifted["newton"] if shifted else 0.0, 0.0, 0.0, 0.0, 0.0, 0.0])
        if active("no-wrench"):
            self.wrench[:] = np.nan

    def _joint(self, fault: Fault, name: str = "joint") -> int:
        return int(fault[name]) % self._count

    @property
    def signals(self) -> dict[str, float]:
        """What faults can depend on: time [s], fastest joint [rad/s | m/s], force at the tool [N], effort, joints."""
        arm = self._arm
        said = {
            "t": arm.world.lived,
            "speed": float(np.abs(arm.body.v).max()),
            "force": arm.force,
            "active": float(arm.state is ArmState.ACTIVE),
        }
        return said | {f"q{number}": float(value) for number, value in enumerate(arm.body.q)}

    @property
    def _brown_out(self) -> bool:
        low = self._arm.faults.active("brown-out")
        return low is not None and low["volts"] < self._arm.settings.least_supply

    @property
    def unfit(self) -> bool:
        """Whether the cause of a stop is still there."""
        return self._brown_out or self.starting or self._arm.faults.active("reflex") is not None

    def _freeze(self, freezes: bool) -> None:
        if freezes == self.frozen:
            return
        if freezes:
            self._same = self._arm.reading()
            self.frozen = True
            self._arm.drives_stop()
        else:
            self.frozen = False
            self._same = None
            if self._arm.state is ArmState.ACTIVE:
                self._arm.go(ArmState.READY, "the controller was frozen; activate again", "no longer frozen")

    def _restart(self, fault: Fault | None) -> None:
        """Drives off and brakes on while the controller starts; then READY, with a clock that begins anew."""
        arm = self._arm
        if fault is not None and not self._restarted:
            self._restarted, self.starting = True, True
            self._until = arm.world.lived + fault["ms"] / 1000.0
            arm.fail("the controller is starting")
        if self.starting and arm.world.lived >= self._until:
            self.starting = False
            arm.start_anew()
        if fault is None:
            self._restarted = False

    def strength(self, limits: Floats) -> Floats:
        """What each drive can give now [N·m | N]."""
        weak = self._arm.faults.active("following-error")
        if weak is None:
            return limits
        strength = limits.copy()
        strength[self._joint(weak)] *= max(weak["share"], 0.0)
        return strength

    def _swap(self) -> list[int] | None:
        fault = self._arm.faults.active("wrong-order")
        if fault is None:
            return None
        order = list(range(self._count))
        a, b = self._joint(fault), self._joint(fault, "other")
        order[a], order[b] = b, a
        return order

    @overload
    def swapped(self, values: Floats) -> Floats: ...
    @overload
    def swapped(self, values: Floats | None) -> Floats | None: ...
    def swapped(self, values: Floats | None) -> Floats | None:
        """Joint values in the order that the arm takes for right."""
        return values if values is None or self._order is None else values[self._order]

    def told(self, able: Capabilities) -> Capabilities:
        """What the arm says it is."""
        fault = self._arm.faults.active("wrong-order")
        if self._order is None or fault is None or fault["names"] < WHOLE:
            return able
        return replace(able, joints=tuple(able.joints[place] for place in self._order))

    def reading(self, now: Reading) -> Reading:
        """What the arm says; while it is frozen always the same."""
        return now if self._same is None else self._same
