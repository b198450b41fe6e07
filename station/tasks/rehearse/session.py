"""`Rehearsal`: a servo without an arm, whose virtual robot the hand drives, and the take that comes of it."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable

import numpy as np

from station.errors import StationError
from station.servo.servo import Servo
from station.servo.shared import ServoState
from station.tasks.execute.hand import put_robot
from station.tasks.rehearse.orders import Timed, obey
from station.tasks.rehearse.take import Take
from station.tasks.task import Calibration, Device, EditError, Task, changed, joint_limits, reference_of
from station.tasks.task.hashing import scene_text, text_hash
from station.tasks.task.joints import driven_joints, driven_names
from station.tasks.task.model import NOMINAL, Kind, Segment

Tell = Callable[[str], object]

STANDS = 1e-7  # between two ticks, of a robot that does not move [rad | m]


class Rehearsal:
    """Ticks of a servo, seen as a take.

    Args:
        servo: with the robot and the device; it has no arm.
        name: of the task.
        calibration: whose frames count.
        reference: frame to which the task belongs; empty: none.
        script: orders at times.
        mark_button: number of a button of the device that sets a mark; -1: none.
        tell: called with what was done.
    """

    def __init__(
        self,
        servo: Servo,
        name: str,
        calibration: Calibration | None = None,
        reference: str = "",
        script: Iterable[Timed] = (),
        mark_button: int = -1,
        tell: Tell = lambda _: None,
    ) -> None:
        rig = servo.part.rig
        self.servo, self._tell, self._driven = servo, tell, driven_joints(rig.robot)
        self._script, self._button = list(script), mark_button
        self._began, self._pressed = math.nan, False
        self._last_sample, self._gap = math.nan, 0.0
        self.ended = False
        if rig.scene.file is None:
            raise EditError("a scene that is not from a file cannot be rehearsed with")
        text = scene_text(rig.scene.file)
        here = rig.robot.q[self._driven]
        task = Task(
            name=name,
            robot=rig.robot.robot.name,
            joints=driven_names(rig.robot),
            frame=servo.part.followed.id,
            period=servo.period,
            q=np.stack([here, here]),
            segments=(Segment(0, 1, Kind.FREE),),
            scene_hash=text_hash(text),
            scene_file=str(rig.scene.file),
            scene_text=text,
            calibration=NOMINAL if calibration is None else calibration.id,
            reference=reference_of(rig.scene, rig.robot, reference, calibration) if reference else None,
        )
        self.take = Take(task, joint_limits(rig.robot))

    def tick(self) -> None:
        """One tick of the servo; the take grows while the hand moves the robot, and until that has come to rest."""
        servo = self.servo
        servo.tick()
        now, q = servo.clock.now(), servo.part.rig.robot.q[self._driven]
        if servo.part.state is ServoState.ENGAGED:
            if math.isnan(self._began):
                self._began = now
            self.take.see(q)
            self._gap = max(self._gap, servo.part.shared.hand_age)
        elif not math.isnan(self._began) and np.abs(q - self.take.here).max() > STANDS:
            self.take.see(q)  # it brakes, as the hand has let go in mid-motion
        self._heed_button()
        while self._script and not math.isnan(self._began) and now - self._began >= self._script[0].time:
            self.say(self._script.pop(0).text)

    def _heed_button(self) -> None:
        if self._button < 0:
            return
        pressed = bool(self.servo.part.shared.hand_buttons >> self._button & 1)
        if pressed and not self._pressed:
            self.say("mark")
        self._pressed = pressed

    def say(self, text: str) -> bool:
        """Do what an order says, or tell why not; whether it was done."""
        try:
            done = obey(self.take, text)
            if done.back_to is not None:
                put_robot(self.servo, done.back_to)  # the hand takes it again by a fresh press
        except StationError as error:
            self._tell(str(error))
            return False
        self.ended = self.ended or done.ends
        self._tell(done.text)
        return True

    def task(self) -> Task:
        """What was rehearsed; raises an EditError if nothing was."""
        device = self.servo.part.device
        about = Device(device.url, device.capabilities.rate, self._gap)
        made = changed(self.take.task(), device=about)
        if self.servo.part.state is ServoState.FAULT:
            raise EditError("the rehearsal ended in a fault of the servo; see station run")
        return made
