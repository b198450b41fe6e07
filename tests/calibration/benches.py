"""An emulated arm that is not as its file says, a tracker beside it, and the station's side, on one virtual clock."""

from __future__ import annotations

import itertools

import numpy as np

import robots
import station
from calibration.arm import ArmLead
from firmware_bridge.arm.driver import ArmController
from firmware_bridge.arm.zeromq import ZeroMqLink
from firmware_bridge.instrument import TcpInstrument, open_instrument
from sim_devices.arm import ArmSettings, EmulatedArm, emulated_arm
from sim_devices.arm_links.zeromq import ZeroMqArm
from sim_devices.instrument import Tracker, TrackerSettings
from station.clock import VirtualClock
from station.collision import Surroundings
from station.controllers import in_order_of, scene_joints
from station.mechanism import Mechanism

_names = (f"inproc://calibrated-{number}" for number in itertools.count())
EXACT = {"encoder_bits": 44, "integral": 0.0, "bandwidth": 30.0}  # counts do not matter, and it stands still soon
WRONG = {"wrong_length": 1e-3, "wrong_angle": float(np.radians(0.2)), "wrong_zero": float(np.radians(0.2))}


class Cell:
    """A robot, wrong by the seed, that can be led and measured."""

    def __init__(
        self, name: str, frame: int, seed: int, tracker: TrackerSettings | None = None, **settings: float
    ) -> None:
        self.clock, self.scene = VirtualClock(), station.load(robots.path(name))
        self.frame = frame
        self.mechanism: Mechanism = self.scene[name]
        self.arm: EmulatedArm = emulated_arm(self.scene, settings=ArmSettings(**settings), seed=seed)  # type: ignore[arg-type]
        place = next(_names)
        self.server = ZeroMqArm(self.arm, place, self.clock)
        self.tracker = Tracker(self.arm, frame, tracker, seed)
        self.server.beside.append(self.tracker.step)
        self.driver = ArmController(place, self.clock, ZeroMqLink(place, place))
        self.driver.wait_until_ready()
        self.controller = in_order_of(self.driver, scene_joints(self.mechanism.joints))
        self.surroundings = Surroundings(self.scene, self.mechanism)
        self.instrument: TcpInstrument = open_instrument(self.tracker.address, self.clock)

    def lead(self, share: float = 1.0, still: float = 2e-5) -> ArmLead:
        return ArmLead(self.scene, self.mechanism, self.controller, share, self.clock, self.surroundings, still)

    def close(self) -> None:
        self.instrument.close()
        self.tracker.close()
        self.driver.close()
        self.server.close()
