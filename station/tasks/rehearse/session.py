"""`Rehearsal`: a servo without arms, whose virtual robots the hands drive, and the take that comes of it."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from typing import NamedTuple

import numpy as np

from station.devices.software.nobody import Nobody
from station.errors import StationError
from station.mad.leading import led_frame
from station.mechanism import Mechanism
from station.servo.part import Part
from station.servo.servo import Servo
from station.servo.shared import ServoState
from station.tasks.execute.hand import let_go
from station.tasks.rehearse.orders import Timed, obey
from station.tasks.rehearse.take import Take
from station.tasks.task import Calibration, Device, EditError, Task, changed, reference_of
from station.tasks.task.hashing import scene_text, text_hash
from station.tasks.task.joints import driven_joints, driven_names
from station.tasks.task.model import NOMINAL, Floats, Kind, Segment

Tell = Callable[[str], object]

STANDS = 1e-7  # between two ticks, of a robot that does not move [rad | m]


class Led(NamedTuple):
    """A robot that is rehearsed."""

    name: str
    mechanism: Mechanism  # with all that are tied to it
    driven: list[int]  # places of its driven joints there
    parts: list[Part]  # the hands that lead it; of a robot that is only tied to others, those of these


class Rehearsal:
    """Ticks of a servo, seen as a take.

    Args:
        servo: with robots and devices; it has no arms. Robots that a hand leads, and those tied to them, are rehearsed.
        name: of the task.
        calibration: whose frames count.
        reference: frame to which the task belongs; empty: none.
        script: orders at times.
        mark_button: number of a button of any device that sets a mark; -1: none.
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
        scene = servo.part.rig.scene
        self.servo, self._tell, self.led = servo, tell, led_robots(servo)
        self._script, self._button = list(script), mark_button
        self._began, self._pressed = math.nan, False
        self._gaps = dict.fromkeys((part.number for part in servo.parts), 0.0)
        self.ended = False
        if scene.file is None:
            raise EditError("a scene that is not from a file cannot be rehearsed with")
        text = scene_text(scene.file)
        tasks = []
        for robot in self.led:
            alone, here = scene[robot.name], robot.mechanism.q[robot.driven]
            tasks.append(
                Task(
                    name=name,
                    robot=robot.name,
                    joints=driven_names(alone),
                    frame=self._frame(robot, alone),
                    period=servo.period,
                    q=np.stack([here, here]),
                    segments=(Segment(0, 1, Kind.FREE),),
                    scene_hash=text_hash(text),
                    scene_file=str(scene.file),
                    scene_text=text,
                    calibration=NOMINAL if calibration is None else calibration.id,
                    reference=reference_of(scene, alone, reference, calibration) if reference else None,
                )
            )
        self.take = Take(*tasks)

    @staticmethod
    def _frame(robot: Led, alone: Mechanism) -> int:
        """The frame of a robot that works: that which its first hand leads."""
        own = [part for part in robot.parts if part.rig.alone.robot.name == robot.name]
        led = led_frame(alone.robot)
        return own[0].followed.id if own else led.id if led is not None else alone.robot.links[-1].id

    def _here(self) -> Floats:
        """Driven joints of all robots, one after the other [rad | m]."""
        return np.concatenate([robot.mechanism.q[robot.driven] for robot in self.led])

    def tick(self) -> None:
        """One tick of the servo; the take grows while a hand moves a robot, and until all have come to rest."""
        servo = self.servo
        servo.tick()
        now, q = servo.clock.now(), self._here()
        leading = [part for part in servo.parts if part.state is ServoState.ENGAGED]
        if leading:
            if math.isnan(self._began):
                self._began = now
            self.take.see(q)
            for part in leading:
                self._gaps[part.number] = max(self._gaps[part.number], part.shared.hand_age)
        elif not math.isnan(self._began) and np.abs(q - self.take.here).max() > STANDS:
            self.take.see(q)  # it brakes, as the hand has let go in mid-motion
        self._heed_button()
        while self._script and not math.isnan(self._began) and now - self._began >= self._script[0].time:
            self.say(self._script.pop(0).text)

    def _heed_button(self) -> None:
        if self._button < 0:
            return
        pressed = any(part.shared.hand_buttons >> self._button & 1 for part in self.servo.parts)
        if pressed and not self._pressed:
            self.say("mark")
        self._pressed = pressed

    def say(self, text: str) -> bool:
        """Do what an order says, or tell why not; whether it was done."""
        try:
            done = obey(self.take, text)
            if done.back_to is not None:
                self._put_back(self.take.parts(done.back_to))  # hands take them again by fresh presses
        except StationError as error:
            self._tell(str(error))
            return False
        self.ended = self.ended or done.ends
        self._tell(done.text)
        return True

    def _put_back(self, places: Mapping[str, Floats]) -> None:
        """Put all robots where they were, hands let go of them first."""
        let_go(self.servo)
        for mechanism in {id(robot.mechanism): robot.mechanism for robot in self.led}.values():
            whole = mechanism.q
            for robot in self.led:
                if robot.mechanism is mechanism:
                    whole[robot.driven] = places[robot.name]
            mechanism.q = whole
        for part in self.servo.parts:
            part.follow(part.followed)

    def task(self) -> Task:
        """What was rehearsed with the first robot, as a rule the only one; see `tasks`."""
        return self.tasks()[0]

    def tasks(self) -> list[Task]:
        """What was rehearsed, of each robot; raises an EditError if nothing was."""
        made = self.take.tasks()
        if any(part.state is ServoState.FAULT for part in self.servo.parts):
            raise EditError("the rehearsal ended in a fault of the servo; see station run")
        return [changed(task, device=self._device(robot)) for task, robot in zip(made, self.led, strict=True)]

    def _device(self, robot: Led) -> Device:
        """With what a robot was rehearsed: the first hand, the least rate, the longest gap."""
        devices = [part.device for part in robot.parts]
        rate = min(device.capabilities.rate for device in devices)
        return Device(devices[0].url, rate, max(self._gaps[part.number] for part in robot.parts))


def led_robots(servo: Servo) -> list[Led]:
    """Robots that a hand leads, and those that are tied to them, in the order of the file."""
    scene = servo.part.rig.scene
    hands = [part for part in servo.parts if not isinstance(part.device, Nobody)]
    found = []
    for robot in scene.robots:
        group = scene.group(robot.name)
        tied = [part for part in hands if part.rig.alone.robot.name in group]
        own = [part for part in tied if part.rig.alone.robot.name == robot.name]
        system = scene.system(robot.name) if tied else None
        if system is None:
            continue
        joints = system.joints_of(robot.name)
        driven = [number for number in driven_joints(system.mechanism) if number in joints]
        if driven:
            found.append(Led(robot.name, system.mechanism, driven, own or tied))
    if not found:
        raise EditError("no hand leads a robot: name a device with --device URL")
    return found
