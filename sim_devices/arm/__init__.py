"""An emulated arm: MuJoCo physics built from a scene, with the servo loops, safety and faults of a real controller.

    machine.py    what the servers of every link drive: `ArmMachine`, `ArmState`, `Reading`
    model.py      scene → MuJoCo: tree.py, bodies.py, masses.py, shapes.py, closing.py loops, drives.py friction, rotors
    world.py      `World`: one physics for all arms of a scene; `emulated_arm`: one of them
    shares.py     a robot with several controllers: an arm for each
    arm.py        `EmulatedArm`: states, watchdog, reflexes; guard.py limits, reference.py, loops.py servo, senses.py
    faults.py     what can go wrong, by script; mishaps.py what it does to the arm; network.py what it does to messages
    together.py   robots that are held together: where they begin; ties.py what goes through a constraint between two
    truth.py      an arm that is not quite as the scene says; log.py what the arm remembers

See docs/emulated_arm.md.
"""

from sim_devices.arm.arm import EmulatedArm
from sim_devices.arm.errors import ArmError
from sim_devices.arm.faults import ARM_KINDS, ArmFault, ArmFaultScript, parse_arm_faults
from sim_devices.arm.log import ArmLog, Event
from sim_devices.arm.machine import NO_SEQUENCE, ArmMachine, ArmState, Reading
from sim_devices.arm.model import mujoco_model
from sim_devices.arm.network import Network, NetworkSettings, Traffic
from sim_devices.arm.power import Power
from sim_devices.arm.settings import ArmSettings
from sim_devices.arm.ties import TiedForce
from sim_devices.arm.truth import TrueParameters
from sim_devices.arm.world import World, emulated_arm

__all__ = [
    "ARM_KINDS",
    "NO_SEQUENCE",
    "ArmError",
    "ArmFault",
    "ArmFaultScript",
    "ArmLog",
    "ArmMachine",
    "ArmSettings",
    "ArmState",
    "EmulatedArm",
    "Event",
    "Network",
    "NetworkSettings",
    "Power",
    "Reading",
    "TiedForce",
    "Traffic",
    "TrueParameters",
    "World",
    "emulated_arm",
    "mujoco_model",
    "parse_arm_faults",
]
