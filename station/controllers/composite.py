"""Several controllers of one robot, each for some of its joints, as one: `CompositeController`.

To the station they are one arm: it follows only while all of them do, and what is worst of one is said of all. Each
keeps its own link, limits, watchdog and state. When one is lost, or ceases to follow by itself, the others are sent
setpoints that brake (`partly_active`) and are then asked to hold. A measurement is made of one of each, all of them
new: it is as old as the oldest.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from station.controllers.controller import (
    AND,
    Capabilities,
    ControlledJoint,
    Controller,
    ControllerStatus,
    Floats,
    LinkHealth,
    Measurement,
)

# The first that is true of any is true of all.
WORST = (
    ControllerStatus.CLOSED,
    ControllerStatus.LOST,
    ControllerStatus.FAULT,
    ControllerStatus.STOPPED,
    ControllerStatus.OPENING,
    ControllerStatus.READY,
    ControllerStatus.ACTIVE,
)


class Share(NamedTuple):
    """A controller, and what it has of a robot."""

    name: str  # for people
    controller: Controller  # with the joints below, in their order
    joints: tuple[int, ...]  # places among all driven joints of the robot
    send_every: int = 1  # of the setpoints, it is sent one of so many


class CompositeController(Controller):
    """Controllers that have all driven joints of a robot between them, each joint once.

    Args:
        shares: at least one; their joints together are 0, 1, 2 …
        tool: number of the one that moves the tool last: the force on the tool is what that one measures.
    """

    def __init__(self, shares: Sequence[Share], tool: int) -> None:
        self.shares, self._tool = tuple(shares), tool
        self.url = AND.join(share.controller.url for share in shares)
        self.capabilities = _together(self.shares, tool)
        self._joints = [np.array(share.joints) for share in shares]
        self._newest: list[Measurement | None] = [None] * len(shares)  # of each, until all have one
        self._unsent = [share.send_every for share in shares]  # setpoints since one was sent
        self._count = 0  # of measurements
        self._slowest = min(range(len(shares)), key=lambda nth: shares[nth].controller.capabilities.rate)

    @property
    def controllers(self) -> tuple[Controller, ...]:
        """Of all shares."""
        return tuple(share.controller for share in self.shares)

    @property
    def at_tool(self) -> Controller:
        """The one that moves the tool last."""
        return self.controllers[self._tool]

    @property
    def status(self) -> ControllerStatus:
        """The worst of all."""
        found = {controller.status for controller in self.controllers}
        return next(status for status in WORST if status in found)

    @property
    def partly_active(self) -> bool:
        """Whether one follows setpoints while another does not."""
        found = [controller.status is ControllerStatus.ACTIVE for controller in self.controllers]
        return any(found) and not all(found)

    @property
    def reason(self) -> str:
        """Of all that have one, with their names."""
        return "; ".join(f"{one.name}: {one.controller.reason}" for one in self.shares if one.controller.reason)

    @property
    def answer(self) -> str:  # type: ignore[override]  # a plain attribute of drivers
        """Of all that have refused something, with their names."""
        return "; ".join(f"{one.name}: {one.controller.answer}" for one in self.shares if one.controller.answer)

    @property
    def lost_after(self) -> float:  # type: ignore[override]  # a plain attribute of drivers
        """The longest: each says by itself when it is lost."""
        return max(controller.lost_after for controller in self.controllers)

    @property
    def health(self) -> LinkHealth:
        """The slowest of all links, and the sum of what was lost."""
        found = [controller.health for controller in self.controllers]
        return LinkHealth(
            round_trip=max((one.round_trip for one in found), key=_unknown_most),
            age=max((one.age for one in found), key=_unknown_most),
            offset=found[self._slowest].offset,
            received=min(one.received for one in found),
            lost=sum(one.lost for one in found),
            reordered=sum(one.reordered for one in found),
            refused=sum(one.refused for one in found),
        )

    @property
    def temperatures(self) -> Floats | None:
        """Of those that measure any; not a number for others."""
        return self._merged([controller.temperatures for controller in self.controllers])

    def newest(self) -> Measurement | None:
        """One of each, once all have a new one; of its times the slowest tells its own, and the oldest counts."""
        for nth, controller in enumerate(self.controllers):
            said = controller.newest()
            if said is not None:
                self._newest[nth] = said
            elif controller.status is ControllerStatus.LOST:
                self._newest[nth] = None  # what it said before is nothing new when it is back
        found = [said for said in self._newest if said is not None]
        q = self._merged([said.q for said in found]) if len(found) == len(self.shares) else None
        if q is None:
            return None
        self._newest = [None] * len(self.shares)
        self._count += 1
        return Measurement(
            q=q,
            v=self._merged([said.v for said in found]),
            effort=self._merged([said.effort for said in found]),
            wrench=found[self._tool].wrench,
            echo=min(said.echo for said in found),
            controller_time=found[self._slowest].controller_time,
            arrival=min(said.arrival for said in found),
            sequence=self._count,
        )

    def _merged(self, values: Sequence[Floats | None]) -> Floats | None:
        """Of all joints; not a number where a controller does not say it; None if none does."""
        if all(value is None for value in values):
            return None
        whole = np.full(len(self.capabilities.joints), np.nan)
        for joints, value in zip(self._joints, values, strict=True):
            if value is not None:
                whole[joints] = value
        return whole

    def send(self, q: Floats, v: Floats | None, effort: Floats | None, sequence: int) -> bool:
        """To each its joints, as often as it is to be sent any; whether it went out to one."""
        sent = False
        if len(q) != len(self.capabilities.joints):
            return sent
        for nth, (share, joints) in enumerate(zip(self.shares, self._joints, strict=True)):
            self._unsent[nth] += 1
            if self._unsent[nth] < share.send_every:
                continue
            self._unsent[nth] = 0
            able = share.controller.capabilities
            speeds = v[joints] if v is not None and able.takes_velocity else None
            efforts = effort[joints] if effort is not None and able.takes_effort else None
            sent = share.controller.send(q[joints], speeds, efforts, sequence) or sent
        return sent

    def activate(self) -> None:
        """All that do not follow yet."""
        for controller in self.controllers:
            if controller.status is not ControllerStatus.ACTIVE:
                controller.activate()

    def deactivate(self) -> None:
        """All that can be asked."""
        for controller in self.controllers:
            if controller.status is ControllerStatus.ACTIVE:
                controller.deactivate()

    def stop(self) -> None:
        """All, whatever they are doing."""
        for controller in self.controllers:
            controller.stop()

    def reset(self) -> None:
        """Those that need it."""
        for controller in self.controllers:
            if controller.status in (ControllerStatus.STOPPED, ControllerStatus.FAULT):
                controller.reset()

    def release(self) -> None:
        """All."""
        for controller in self.controllers:
            controller.release()

    def close(self) -> None:
        """All."""
        for controller in self.controllers:
            controller.close()


def _together(shares: Sequence[Share], tool: int) -> Capabilities:
    """What all can do; the slowest rate, the shortest watchdog."""
    found = [share.controller.capabilities for share in shares]
    joints: dict[int, ControlledJoint] = {}
    for share, able in zip(shares, found, strict=True):
        joints |= dict(zip(share.joints, able.joints, strict=True))
    assert sorted(joints) == list(range(len(joints)))
    return replace(
        found[0],
        model=AND.join(able.model for able in found),
        serial_number=AND.join(able.serial_number for able in found),
        joints=tuple(joints[place] for place in sorted(joints)),
        rate=min(able.rate for able in found),
        watchdog=min(able.watchdog for able in found),
        takes_velocity=any(able.takes_velocity for able in found),
        takes_effort=any(able.takes_effort for able in found),
        measures_velocity=all(able.measures_velocity for able in found),
        measures_effort=all(able.measures_effort for able in found),
        measures_wrench=found[tool].measures_wrench,
        emulated=any(able.emulated for able in found),
        couples=False,  # no end at one of them would know of the others' joints
    )


def _unknown_most(value: float) -> float:
    """By size; what is not a number is more than all."""
    return np.inf if np.isnan(value) else value
