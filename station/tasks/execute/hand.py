"""`HandLead`: the hand leads the arm for a while, from where it is, without a jump; obstacles hold it back."""

from __future__ import annotations

import numpy as np

from station.bench import Bench
from station.collision import CollisionSettings, Surroundings
from station.devices.device import Device, DeviceStatus
from station.devices.mapping import Mapping, Mode, settings_from_device
from station.mechanism import Mechanism
from station.servo.rig import device_of
from station.tasks.task.joints import driven_joints
from station.tasks.task.model import Floats


class HandLead:
    """A device that moves the tool of a robot of its own; its joints are targets for the arm.

    What the hand asks for is filtered: the solver keeps limits, loops and obstacles. Forces are not given here; for
    those drive the arm with `station run`.
    """

    def __init__(self, scene: Bench, mechanism: Mechanism, device: Device, frame: int) -> None:
        self.device, self.mechanism, self._frame = device, Mechanism(mechanism.robot), frame
        self._driven = driven_joints(mechanism)
        self.mapping = Mapping(settings_from_device(device_of(scene, mechanism.robot), device.capabilities))
        has_obstacles = bool(scene.obstacles or mechanism.robot.obstacles)
        self._around = Surroundings(scene, self.mechanism, CollisionSettings()) if has_obstacles else None

    def begin(self, q: Floats) -> None:
        """From these driven joints on [rad | m]."""
        whole = self.mechanism.q
        whole[self._driven] = q
        self.mechanism.q = whole
        if self._around is not None:
            self._around.refresh()

    def tick(self, now: float, dt: float) -> tuple[Floats, Floats]:
        """Joints and speeds that follow the hand; they stay where they are while it holds no dead-man."""
        sample = self.device.newest()
        ready = self.device.status is DeviceStatus.READY
        pose = self.mechanism.pose(self._frame)
        engaged = self.mapping.tick(now, sample, pose, ready=ready) is Mode.ENGAGED
        target = np.array(self.mapping.target) if engaged else pose
        contacts = () if self._around is None else self._around.contacts(dt)
        self.mechanism.step({self._frame: target}, dt, contacts=contacts)
        if self._around is not None:
            self._around.refine()
        return self.mechanism.q[self._driven], self.mechanism.velocity[self._driven]

    @property
    def engaged(self) -> bool:
        """Whether the hand moves the arm now."""
        return self.mapping.mode is Mode.ENGAGED
