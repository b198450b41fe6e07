"""Bodies of the physics: one per joint, with its stops; and the sensor in the tool."""

from __future__ import annotations

from typing import Any

import numpy as np

from sim_devices.arm.masses import Inertial
from sim_devices.arm.physics import mujoco
from sim_devices.arm.shapes import quaternion
from sim_devices.arm.tree import RigidBody, Tree, tool_body
from station.mad.placement import Pose
from station.mad.scene import BASE_ID
from station.mad.units import JointType

STOP_SOLREF = (0.004, 1.0)  # of mechanical stops
BEYOND_STOPS = {JointType.REVOLUTE: 0.02, JointType.PRISMATIC: 0.002}  # mechanical stops behind the limits [rad, m]


def label(name: int) -> str:
    """What a body is called behind the name of its robot."""
    return "tool" if name < 0 else "base" if name == BASE_ID else str(name)


def add_body(under: Any, rigid: RigidBody, pose: Pose, prefix: str, inertial: Inertial | None) -> Any:
    """Add one body of a robot with its joint and stops at a place on the body `under`."""
    placed = {"pos": pose[:3, 3], "quat": quaternion(pose[:3, :3])}
    body = under.add_body(name=f"{prefix}{label(rigid.name)}", **placed)
    if inertial is not None:
        xx, yy, zz = np.diag(inertial.inertia)
        xy, xz, yz = inertial.inertia[0, 1], inertial.inertia[0, 2], inertial.inertia[1, 2]
        body.mass, body.ipos, body.explicitinertial = inertial.mass, inertial.com, True
        body.fullinertia = [xx, yy, zz, xy, xz, yz]
    if rigid.link is not None:
        link, kinds = rigid.link, mujoco.mjtJoint
        joint = body.add_joint(
            name=f"{prefix}{link.id}",
            type=kinds.mjJNT_SLIDE if link.joint is JointType.PRISMATIC else kinds.mjJNT_HINGE,
            axis=[0.0, 0.0, 1.0],
        )
        if link.stops is not None:
            beyond = BEYOND_STOPS[link.joint]
            joint.range = [link.stops.lo - beyond, link.stops.hi + beyond]
            joint.limited = mujoco.mjtLimited.mjLIMITED_TRUE
            joint.solref_limit = list(STOP_SOLREF)
    return body


def add_sensor(spec: Any, bodies: dict[int, Any], tree: Tree, prefix: str) -> None:
    """Force and torque through the tool, if there is one."""
    key = tool_body(tree)
    if key is None:
        return
    bodies[key].add_site(name=f"{prefix}tool", size=[0.005] * 3)
    for name, kind in (("force", mujoco.mjtSensor.mjSENS_FORCE), ("torque", mujoco.mjtSensor.mjSENS_TORQUE)):
        spec.add_sensor(name=f"{prefix}{name}", type=kind, objtype=mujoco.mjtObj.mjOBJ_SITE, objname=f"{prefix}tool")
