"""Scene → physics: the bodies, joints, loops, couplings, shapes and the tool sensor of every robot, as a MuJoCo model.

Names in the model: `robot/3` is the body, the joint and the site of link 3, `robot/7` the site of frame 7,
`robot/tool` the body of the tool, `robot/force` and `robot/torque` its sensors, `robot/brake.3` the brake of joint 3,
`obstacle/name` an obstacle of the scene, `tie.0` the first constraint between robots. Joint values are those of the
file [rad | m].

A mobile base stands still: what is emulated is the arm on it.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from sim_devices.arm.bodies import add_body, add_sensor, label
from sim_devices.arm.closing import SOLIMP, SOLREF, add_closures, add_couplings, add_tie
from sim_devices.arm.drives import Drive, drives_of, held_links
from sim_devices.arm.errors import ArmError
from sim_devices.arm.machine import Floats
from sim_devices.arm.masses import Inertial, inertials_of, together
from sim_devices.arm.physics import compiled, mujoco
from sim_devices.arm.shapes import (
    BITS_OF_OBSTACLE,
    GENERIC,
    MOST_ROBOTS,
    MeshFiles,
    add_body_shapes,
    add_shape,
    add_tip,
    bits_of_robot,
    quaternion,
)
from sim_devices.arm.together import Assembled, assembled, those_of
from sim_devices.arm.tree import Tree, checked, shapes_of, tool_body, tree_of
from station.errors import StationError
from station.mad.placement import Pose
from station.mad.scene import BASE_ID, Robot, Scene

TICK = 0.001  # of servo loops, safety and senses [s]
STEP = 0.0005  # of the physics [s]
GRAVITY = 9.80665  # [m/s²]


@dataclass
class Built:
    """A model and what is known about how it was made."""

    spec: Any  # mujoco.MjSpec
    trees: dict[str, Tree] = field(default_factory=dict)
    start: dict[str, Floats] = field(default_factory=dict)  # joint values, loops closed, in the order of the file
    inertials: dict[str, dict[int, Inertial]] = field(default_factory=dict)
    drives: dict[str, dict[int, Drive]] = field(default_factory=dict)
    crosses: dict[str, float] = field(default_factory=dict)  # values of the joints of loops, by name
    bodies: dict[str, dict[int, Any]] = field(default_factory=dict)  # of the model, by robot and id
    ties: list[str] = field(default_factory=list)  # names of the equalities between robots
    apart: set[tuple[str, str]] = field(default_factory=set)  # bodies that never touch
    notes: list[str] = field(default_factory=list)  # estimates, and what is left out


def mujoco_model(scene: Scene, robot: str | None = None) -> Any:
    """The physics of a scene (or of one of its robots, with the obstacles) as a `mujoco.MjSpec`."""
    return build(scene, None if robot is None else [robot]).spec


def build(
    scene: Scene,
    robots: Sequence[str] | None = None,
    *,
    true: Mapping[str, Robot] | None = None,
    payloads: Mapping[str, Inertial] | None = None,
    start: Mapping[str, Floats] | None = None,
) -> Built:
    """Make the model of some robots of a scene, all if None.

    Args:
        scene: what there is.
        robots: their names.
        true: robots as they really are, where that differs from the scene.
        payloads: what a robot holds, about the frame of its tool.
        start: joint values to begin with, in the order of the file [rad | m]; else those of the file, loops closed.
    """
    try:
        return _build(scene, robots, true or {}, payloads or {}, start or {})
    except ArmError:
        raise
    except (StationError, ValueError) as error:  # loops that do not close, a mesh that is none, …
        said = " ".join(str(error).split())
        raise ArmError(f"this scene cannot be emulated: {said}") from None


def _build(
    scene: Scene,
    robots: Sequence[str] | None,
    true: Mapping[str, Robot],
    payloads: Mapping[str, Inertial],
    start: Mapping[str, Floats],
) -> Built:
    names = [robot.name for robot in scene.robots] if robots is None else [_robot(scene, name).name for name in robots]
    if not 1 <= len(names) <= MOST_ROBOTS:
        raise ArmError(f"{len(names)} robots in the scene; allowed: 1 to {MOST_ROBOTS}")
    scene, notes = those_of(scene, names, true)
    for robot in scene.robots:
        checked(robot)
    there, too_much = assembled(scene, start)
    built = Built(mujoco.MjSpec(), notes=list(notes))
    _set_options(built.spec)
    meshes = MeshFiles(None if scene.file is None else Path(scene.file).parent, float(scene.unit.value))
    for obstacle in scene.obstacles:
        name = f"obstacle/{obstacle.name}"
        body = built.spec.worldbody.add_body(name=name)
        note = add_shape(built.spec, body, obstacle, np.eye(4), name, BITS_OF_OBSTACLE, meshes)
        built.notes += [note] if note else []
    numbers = {robot.name: number for number, robot in enumerate(scene.robots)}
    for robot in _carriers_first(scene.robots):
        _add_robot(built, robot, numbers[robot.name], meshes, payloads.get(robot.name), there[robot.name])
    _add_ties(built, scene, there, too_much)
    _add_drives(built)
    for first, second in sorted(built.apart):
        built.spec.add_exclude(bodyname1=first, bodyname2=second)
    return built


def _robot(scene: Scene, name: str) -> Robot:
    try:
        return scene.robot(name)
    except KeyError as error:
        raise ArmError(str(error.args[0])) from None


def _set_options(spec: Any) -> None:
    spec.compiler.degree = False
    spec.compiler.autolimits = True
    spec.option.timestep = STEP
    spec.option.gravity = [0.0, 0.0, -GRAVITY]
    spec.option.integrator = mujoco.mjtIntegrator.mjINT_IMPLICITFAST
    # Loops of light parts (a cross of a universal joint) are millimetres open with the usual guess of their compliance.
    spec.option.enableflags |= mujoco.mjtEnableBit.mjENBL_DIAGEXACT
    spec.option.jacobian = mujoco.mjtJacobian.mjJAC_DENSE  # its rows are read by the servo loops of parallel robots
    spec.option.cone = mujoco.mjtCone.mjCONE_ELLIPTIC


def _carriers_first(robots: Sequence[Robot]) -> list[Robot]:
    """Robots in the order of the file, but what carries another comes before it."""
    waiting, placed = list(robots), dict[str, Robot]()
    while waiting:
        for robot in waiting:
            part = robot.base.on.part if robot.base.on is not None else None
            if part is None or part.robot in placed:
                placed[robot.name] = robot
                waiting.remove(robot)
                break
    return list(placed.values())


def _ground(built: Built, robot: Robot) -> tuple[Any, Pose]:
    """The body on which a robot stands, and the place there from which its base is placed.

    It stands beside the sensor in a tool, not on it: its weight and motion are no contact.
    """
    part = robot.base.on.part if robot.base.on is not None else None
    if part is None:
        return built.spec.worldbody, np.eye(4)
    tree = built.trees[part.robot]
    place = tree.places[part.target.id]
    base = f"{robot.name}/{label(BASE_ID)}"
    built.apart |= {(built.bodies[part.robot][body].name, base) for body in tree.rigid_with(place.body)}
    return built.bodies[part.robot][place.body], place.pose


def _add_ties(built: Built, scene: Scene, there: Mapping[str, Assembled], too_much: Sequence[bool]) -> None:
    for number, (tie, unknown) in enumerate(zip(scene.ties, too_much, strict=True)):
        names, items = [part.robot for part in tie.parts], [part.target.id for part in tie.parts]
        bodies, trees = [built.bodies[name] for name in names], [built.trees[name] for name in names]
        poses = [there[name].poses[item] for name, item in zip(names, items, strict=True)]
        built.ties.append(f"tie.{number}")
        hold = [tree.places[item] if unknown else tree.held_at(item) for tree, item in zip(trees, items, strict=True)]
        if unknown:
            text = "holds more than joints can move: no tool sensor measures what goes through it"
            built.notes.append(f"the constraint between {' and '.join(names)} {text}")
        built.crosses |= add_tie(built.spec, tie, built.ties[-1], bodies, hold, poses, trees[0].scale)
        held = [
            [own[body].name for body in tree.rigid_with(place.body)]
            for own, tree, place in zip(bodies, trees, hold, strict=True)
        ]
        built.apart |= set(itertools.product(*held))


def _add_robot(
    built: Built, robot: Robot, number: int, meshes: MeshFiles, payload: Inertial | None, there: Assembled
) -> None:
    tree = tree_of(robot)
    inertials, notes = inertials_of(tree)
    if payload is not None:
        key = tool_body(tree)
        if key is None:
            raise ArmError(f"robot {robot.name} has no frame that could hold a load")
        inertials[key] = together([inertials[key], payload]) if key in inertials else payload
    prefix, bits = f"{robot.name}/", bits_of_robot(number)
    if meshes.folder is not None:
        meshes = meshes._replace(folder=meshes.folder / (robot.path or ""))
    ground, on_ground = _ground(built, robot)
    bodies: dict[int, Any] = {}
    for name, rigid in tree.bodies.items():
        under = ground if rigid.parent is None else bodies[rigid.parent]
        pose = on_ground @ rigid.before if rigid.parent is None else rigid.before
        body = add_body(under, rigid, pose, prefix, inertials.get(name))
        bodies[name] = body
        if name == tool_body(tree) and not any(shapes_of(carried) for carried, _ in rigid.carried):
            add_tip(body, rigid, tree, f"{prefix}tool", bits)
        else:
            notes += tuple(add_body_shapes(built.spec, body, rigid, tree, f"{prefix}{label(name)}", bits, meshes))
    for item, place in tree.places.items():
        bodies[place.body].add_site(
            name=f"{prefix}{item}", pos=place.pose[:3, 3], quat=quaternion(place.pose[:3, :3]), size=[0.005] * 3
        )
    for obstacle in robot.obstacles:
        place = tree.places[obstacle.pred or BASE_ID]
        own = BITS_OF_OBSTACLE if place.body == BASE_ID and robot.base.on is None else bits
        note = add_shape(
            built.spec, bodies[place.body], obstacle, place.pose, f"{prefix}obstacle.{obstacle.name}", own, meshes
        )
        notes += (note,) if note else ()
    built.crosses.update(add_closures(built.spec, bodies, tree, prefix, there.poses))
    add_couplings(built.spec, tree, prefix, there.q)
    add_sensor(built.spec, bodies, tree, prefix)
    if robot.base.mobile is not None:
        notes += ("its mobile base stands still",)
    built.trees[robot.name], built.start[robot.name], built.inertials[robot.name] = tree, there.q, inertials
    built.bodies[robot.name] = bodies
    built.notes += [f"{robot.name}: {note}" for note in notes]


def _add_drives(built: Built) -> None:
    """Friction, armature and brakes: what a file does not say is estimated from the inertia that a joint sees."""
    spec = built.spec
    model = compiled(spec)
    data = mujoco.MjData(model)
    set_start(built, model, data)
    _leave_out_false_contacts(built, model, data)
    for name, tree in built.trees.items():
        drives, notes = drives_of(tree, model, data)
        built.drives[name], held = drives, {link.id for link in held_links(tree)}
        built.notes += [f"{name}: {note}" for note in notes]
        for link, drive in drives.items():
            joint = spec.joint(f"{name}/{link}")
            joint.armature = drive.armature
            joint.damping = [drive.viscous, 0.0, 0.0] if np.ndim(joint.damping) else drive.viscous
            joint.frictionloss = drive.coulomb
            joint.solref_friction = list(SOLREF)
            joint.solimp_friction = list(SOLIMP)
            if drive.driven or link in held:
                spec.add_equality(
                    name=f"{name}/brake.{link}",
                    type=mujoco.mjtEq.mjEQ_JOINT,
                    objtype=mujoco.mjtObj.mjOBJ_JOINT,
                    name1=f"{name}/{link}",
                    active=False,
                    solref=list(SOLREF),
                    solimp=list(SOLIMP),
                )


def _leave_out_false_contacts(built: Built, model: Any, data: Any) -> None:
    """A capsule that is only a guess may reach into what the robot stands on: these two are kept apart for good."""
    pairs = set()
    for contact in data.contact:
        names = [model.geom(geom).name for geom in contact.geom]
        if contact.dist < 0.0 and any(GENERIC in name for name in names):
            pairs.add(tuple(model.body(int(model.geom_bodyid[geom])).name for geom in contact.geom))
    for first, second in sorted(pairs - built.apart - {(second, first) for first, second in built.apart}):
        built.apart.add((first, second))
        built.notes.append(f"{first} and {second} touch at the start: contact between them is left out")


def set_start(built: Built, model: Any, data: Any) -> None:
    """Put all robots where they begin, at rest."""
    mujoco.mj_resetData(model, data)
    for name, tree in built.trees.items():
        for link, value in zip(tree.moving, built.start[name], strict=True):
            data.qpos[model.joint(f"{name}/{link.id}").qposadr[0]] = value
    for joint, value in built.crosses.items():
        data.qpos[model.joint(joint).qposadr[0]] = value
    mujoco.mj_forward(model, data)
