"""An emulated arm behind its real server and driver, on a virtual clock, ready for a measurement."""

from __future__ import annotations

import contextlib
import itertools
from collections.abc import Iterator
from pathlib import Path

import station
from calibration.arm import ArmLead
from calibration.leading import Leader
from calibration.opening import OpenArm
from calibration.robot import measured_frame
from firmware_bridge.arm.driver import ArmController
from firmware_bridge.arm.zeromq import ZeroMqLink
from sim_devices.arm import ArmSettings, EmulatedArm, NetworkSettings, emulated_arm
from sim_devices.arm_links.zeromq import ZeroMqArm
from station.clock import VirtualClock
from station.controllers import in_order_of, scene_joints

GRIPPER = Path(__file__).with_name("gripper.mad")
_names = (f"inproc://calibrated-{number}" for number in itertools.count())


@contextlib.contextmanager
def arm_on_a_clock(
    settings: ArmSettings | None = None,
    *,
    world: str = "",
    network: NetworkSettings | None = None,
    faults: str = "",
    seed: int = 3,
    scene: Path = GRIPPER,
    clock: VirtualClock | None = None,
) -> Iterator[tuple[OpenArm, EmulatedArm]]:
    """What a command of `station calibrate` opens, and the emulated arm behind it; `world` is MAD text around it."""
    clock = clock or VirtualClock()
    known = station.load(scene)
    robot = known.robots[0]
    true = known
    if world:
        text = scene.read_text(encoding="utf8").replace(
            f"robot {robot.name} {{", f"{world}\n\nrobot {robot.name} {{", 1
        )
        true = station.loads(text)
    machine = emulated_arm(true, settings=settings, faults=faults, seed=seed)
    name = next(_names)
    server = ZeroMqArm(machine, name, clock, network=network)
    driver = ArmController(name, clock, ZeroMqLink(name, name))
    with contextlib.closing(server), contextlib.closing(driver):
        driver.wait_until_ready()
        mechanism = known[robot.name]
        controller = in_order_of(driver, scene_joints(mechanism.joints))
        lead = ArmLead(known, mechanism, controller, 0.5, clock)
        frame = measured_frame(mechanism, None)
        yield OpenArm(known, robot, mechanism, frame, controller, lead, Leader(controller, clock), clock), machine
