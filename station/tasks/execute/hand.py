"""`HandLead`: the hand leads the arm for a while, from where it is, without a jump."""

from __future__ import annotations

import numpy as np

from station.bench import Bench
from station.devices.device import Device, DeviceStatus
from station.devices.mapping import Mapping, Mode, settings_from_device
from station.mechanism import Mechanism
from station.servo.rig import device_of
from station.tasks.task.joints import driven_joints
from station.tasks.task.model import Floats


class HandLead:
    """A device that moves the tool of a robot of its own; its joints are targets for the arm."""

    def __init__(self, scene: Bench, mechanism: Mechanism, device: Device, frame: int) -> None:
        self.device, self.mechanism, self._frame = device, Mechanism(mechanism.robot), frame
        self._driven = driven_joints(mechanism)
        settings = settings_from_device(device_of(scene, mechanism.robot), device.capabilities)
        self.mapping = Mapping(settings)
        self._follow = self.mechanism.following(frame)

    def begin(self, q: Floats) -> None:
        """From these driven joints on [rad | m]."""
        whole = self.mechanism.q
        whole[self._driven] = q
        self.mechanism.q = whole

    def tick(self, now: float, dt: float) -> tuple[Floats, Floats]:
        """Joints and speeds that follow the hand; they stay where they are while it holds no dead-man."""
        sample = self.device.newest()
        ready = self.device.status is DeviceStatus.READY
        pose = self.mechanism.pose(self._frame)
        if self.mapping.tick(now, sample, pose, ready=ready) is Mode.ENGAGED:
            self._follow(np.ascontiguousarray(self.mapping.target), dt)
        else:
            self._follow(pose, dt)
        return self.mechanism.q[self._driven], self.mechanism.velocity[self._driven]

    @property
    def engaged(self) -> bool:
        """Whether the hand moves the arm now."""
        return self.mapping.mode is Mode.ENGAGED
