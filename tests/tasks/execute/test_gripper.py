"""A gripping tool does what a task asks, and tells when it cannot."""

from __future__ import annotations

from station.clock import VirtualClock
from station.controllers.tool import GripperMeasurement, GrippingTool, ToolStatus
from station.tasks.execute.gripper import Gripper
from station.tasks.task import Action


class Fake(GrippingTool):
    """Fingers at 0.1 m/s; something of `part` [m] may be between them."""

    url, largest_width, forces, speeds = "fake:", 0.085, (20.0, 200.0), (0.02, 0.15)

    def __init__(self, clock: VirtualClock, part: float = 0.0) -> None:
        self._clock, self._part = clock, part
        self._width, self._goal, self._since = 0.085, 0.085, 0.0
        self.status = ToolStatus.READY

    def newest(self) -> GripperMeasurement:
        now = self._clock.now()
        least = max(self._goal, self._part)
        width = max(self._width - 0.1 * (now - self._since), least) if least < self._width else least
        return GripperMeasurement(width, self._goal, width > least, width <= self._part, False, 0.1, now)

    def activate(self) -> None:
        self.status = ToolStatus.READY

    def move(self, width: float, force: float | None = None, speed: float | None = None) -> bool:
        if self.status is not ToolStatus.READY:
            return False
        self._width, self._goal, self._since = self.newest().width, width, self._clock.now()
        return True

    def stop(self) -> None:
        self._goal = self.newest().width

    def close(self) -> None:
        self.status = ToolStatus.CLOSED


def busy(gripper: Gripper) -> bool:
    return gripper.busy


def test_it_is_busy_until_the_fingers_stand() -> None:
    clock = VirtualClock()
    gripper = Gripper(Fake(clock, part=0.03), clock)
    assert not busy(gripper)
    gripper.begin(Action("grip", 0.0))
    assert busy(gripper)
    clock.advance(0.3)
    assert busy(gripper)
    clock.advance(0.4)
    assert not busy(gripper)  # it holds the part
    assert not gripper.trouble
    gripper.begin(Action("open"))
    clock.advance(0.4)
    assert not busy(gripper)


def test_what_it_cannot_do_is_told_before_and_trouble_meanwhile() -> None:
    clock = VirtualClock()
    fake = Fake(clock)
    gripper = Gripper(fake, clock)
    assert gripper.check(Action("grip", 0.02)) == ""
    assert "can grip and open" in gripper.check(Action("weld"))
    assert "allowed: 0 to 85 mm" in gripper.check(Action("grip", 0.2))
    fake.status = ToolStatus.IDLE
    gripper.begin(Action("grip", 0.02))
    assert "refused" in gripper.trouble
    fake.status, fake.reason = ToolStatus.FAULT, "overheated"
    assert "overheated" in gripper.trouble
