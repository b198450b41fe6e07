"""`HandLead`: the hand leads the arm for a while, from where it is, without a jump, and feels what holds it back."""

from __future__ import annotations

from dataclasses import replace
from types import TracebackType
from typing import Self

from station.bench import Bench
from station.clock import WALL, Clock
from station.devices.device import Device
from station.mechanism import Mechanism
from station.private import OwnFolder
from station.servo.rig import Wanted, put_together
from station.servo.servo import Servo
from station.servo.shared import Hold, ServoState
from station.tasks.task.joints import driven_joints
from station.tasks.task.model import Floats

LET_GO = 20  # ticks within which a servo that was told to hold does so


def put_robot(servo: Servo, q: Floats) -> None:
    """Put the virtual robot of a servo to these driven joints: the hand lets go of it first [rad | m]."""
    let_go(servo)
    robot = servo.part.rig.robot
    whole = robot.q
    whole[driven_joints(robot)] = q
    robot.q = whole
    servo.part.follow(servo.part.followed)


def let_go(servo: Servo) -> None:
    """All hands let go of their robots."""
    for part in servo.parts:
        part.orders.decide(Hold())
    for _ in range(LET_GO):
        if all(part.state is not ServoState.ENGAGED for part in servo.parts):
            break
        servo.tick()


class HandLead:
    """A servo without an arm, whose virtual robot the hand leads; its joints are targets for the arm.

    So a take-over is filtered as every motion of the hand is: stops, limits, loops, singularities, obstacles and guides
    hold the virtual robot back, and the hand feels that they do.

    Args:
        scene: with the obstacles and guides.
        mechanism: the robot; the servo has one of its own.
        device: in the hand.
        frame: that follows it.
        clock: whose time.
        rate: ticks per second [Hz]; those of the player.
    """

    def __init__(
        self,
        scene: Bench,
        mechanism: Mechanism,
        device: Device,
        frame: int,
        clock: Clock = WALL,
        rate: float = 1000.0,
    ) -> None:
        wanted = Wanted(robot=mechanism.robot.name, frame=str(frame), rate=rate)
        rig = put_together(replace(scene, mechanisms={}), device, wanted)
        # A place of its own: others look at the execution, which shows what the hand does too.
        self._folder = OwnFolder("take-over")
        self.servo = Servo(rig, rate, clock, folder=self._folder.path)
        self._driven = driven_joints(rig.robot)
        self.leads = self._given_back = False  # it leads until the servo has let go

    def begin(self, q: Floats) -> None:
        """From these driven joints on [rad | m]; the hand takes the robot by a fresh press of its dead-man."""
        put_robot(self.servo, q)
        self.servo.pace.start()
        self.leads, self._given_back = True, False

    def tick(self) -> None:
        """Wait for the next moment, and follow the hand; the robot stays where it is while it holds no dead-man."""
        self.servo.tick()
        self.leads = not (self._given_back and not self.engaged)

    def end(self) -> None:
        """The hand gives back: forces fall away at once, and the servo lets go of the robot in its next tick."""
        self.servo.part.orders.decide(Hold())
        self.servo.part.device.disable_force()
        self._given_back = True

    @property
    def q(self) -> Floats:
        """Driven joints where the hand has the virtual robot [rad | m]."""
        q: Floats = self.servo.part.rig.robot.q[self._driven]
        return q

    @property
    def v(self) -> Floats:
        """Their speeds [rad/s | m/s]."""
        v: Floats = self.servo.part.rig.robot.velocity[self._driven]
        return v

    @property
    def engaged(self) -> bool:
        """Whether the hand moves the arm now."""
        return self.servo.part.state is ServoState.ENGAGED

    def close(self) -> None:
        """Take the force away; the device is the caller's to close. May be called twice."""
        self.servo.close()
        self._folder.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
