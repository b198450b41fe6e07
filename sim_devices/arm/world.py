"""The world: one physics in which all arms of a scene live, touch what is there, and each other."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from sim_devices.arm.arm import EmulatedArm
from sim_devices.arm.body import ArmBody
from sim_devices.arm.closing import Curves
from sim_devices.arm.drives import driven_links
from sim_devices.arm.errors import ArmError
from sim_devices.arm.faults import ArmFaultScript
from sim_devices.arm.machine import Floats
from sim_devices.arm.masses import Inertial, inertials_of
from sim_devices.arm.model import STEP, TICK, Built, build, set_start
from sim_devices.arm.physics import compiled, mujoco
from sim_devices.arm.sensor_truth import TrueSensor, true_gain, unknown_load
from sim_devices.arm.settings import ArmSettings
from sim_devices.arm.ties import TiedForce
from sim_devices.arm.together import tied_groups
from sim_devices.arm.tree import checked, tool_body, tree_of
from sim_devices.arm.truth import TrueParameters, truth_of
from station.mad.scene import Scene

SUBSTEPS = round(TICK / STEP)
LONGEST_GAP = 0.5  # that is lived through after a pause of the machine; more is skipped [s]


class World:
    """All robots of a scene, each an emulated arm; those that are not driven stand on their brakes."""

    def __init__(
        self,
        scene: Scene,
        settings: ArmSettings | Mapping[str, ArmSettings] | None = None,
        *,
        robots: Sequence[str] | None = None,
        faults: str | Mapping[str, str | ArmFaultScript] = "",
        seed: int | Mapping[str, int] = 0,
        start: Mapping[str, Floats] | None = None,
    ) -> None:
        """Make a world.

        Args:
            scene: what there is.
            settings: of all arms, or by name of the robot.
            robots: names of those that become arms; all if None.
            faults: a script for all arms, or by name of the robot.
            seed: of noise, bias and errors of manufacture, for all arms or by name; each takes another number from it.
            start: all joint values to begin with, by name of the robot, in the order of the file [rad | m].
        """
        self._scene = scene
        names = [robot.name for robot in scene.robots]
        unknown = {*(robots or ()), *(start or ()), *_keys(settings), *_keys(faults), *_keys(seed)} - set(names)
        if unknown:
            raise ArmError(f"no robot '{min(unknown)}' in this scene; there are: {', '.join(names) or 'none'}")
        chosen = names if robots is None else list(robots)
        _check_tied(scene, chosen)
        given = {name: _of(settings, name, ArmSettings()) or ArmSettings() for name in names}
        self._seeds = {name: _of(seed, name, 0) + number for number, name in enumerate(names)}
        self._truths = {
            robot.name: truth_of(
                robot,
                len(driven_links(tree_of(checked(robot)))),
                given[robot.name],
                self._seeds[robot.name],
                [part.target.id for tie in scene.ties for part in tie.parts if part.robot == robot.name],
            )
            for robot in scene.robots
        }
        self._loads = {name: unknown_load(given[name], self._seeds[name]) for name in names}
        self._built = self._build(scene, start)
        tied = [name for name in chosen if len(self.tied(name)) > 1 and given[name].integral]
        self.notes = (*self._built.notes, *(f"{name}: no integral part, as it is tied to others" for name in tied))
        self._model = compiled(self._built.spec)
        self._data = mujoco.MjData(self._model)
        set_start(self._built, self._model, self._data)
        self._curves = [Curves(self._model, self._data, tree) for tree in self._built.trees.values()]
        self.ties = tuple(TiedForce(self._model, self._data, tie) for tie in self._built.ties)  # as in the scene
        self._known, self._known_data = self._what_controllers_know(scene, start)
        self._now: float | None = None
        self.lived = 0.0  # since it was made [s]
        self.bodies = {name: ArmBody(self._built, self._model, self._data, name) for name in names}
        for body in self.bodies.values():
            body.stand()
        self.arms = {
            name: EmulatedArm(self, scene.robot(name), given[name], _script(_of(faults, name, "")), self._seeds[name])
            for name in chosen
        }

    def _build(self, scene: Scene, start: Mapping[str, Floats] | None) -> Built:
        payloads: dict[str, Inertial] = {name: load for name, load in self._loads.items() if load is not None}
        true = {name: truth.robot for name, truth in self._truths.items()}
        return build(scene, true=true, payloads=payloads, start=start)

    def _what_controllers_know(self, scene: Scene, start: Mapping[str, Floats] | None) -> tuple[Any, Any]:
        """The model that controllers have: the same as the truth, or that of the scene without loads."""
        as_told = all(self._truths[robot.name].robot == robot for robot in scene.robots)
        if as_told and all(load is None for load in self._loads.values()):
            return self._model, self._data
        model = compiled(build(scene, start=start).spec)
        model.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_CONSTRAINT | mujoco.mjtDisableBit.mjDSBL_CONTACT
        return model, mujoco.MjData(model)

    def true_parameters(self, name: str) -> TrueParameters:
        """What is true of a robot, whatever the scene says."""
        return self._truths[name]

    def true_sensor(self, name: str) -> TrueSensor:
        """What is true of an arm's tool sensor and of what its tool holds."""
        return TrueSensor(
            true_gain(self.arms[name].settings, self._seeds[name]), self.arms[name].sensor_bias, self._loads[name]
        )

    def tool_as_known(self, name: str) -> Floats:
        """Mass [kg] and centre [m] of a tool, as the scene tells a controller: without loads."""
        tree = tree_of(self._scene.robot(name))
        tool = inertials_of(tree)[0].get(tool_body(tree) or 0)
        return np.zeros(4) if tool is None else np.array([tool.mass, *tool.com])

    @property
    def physics(self) -> tuple[Any, Any]:
        """The MuJoCo model and data, for views and tests: to be looked at, not stepped."""
        return self._model, self._data

    @property
    def built(self) -> Built:
        """How the model was made."""
        return self._built

    @property
    def known(self) -> tuple[Any, Any]:
        """Model and data as controllers know them, at the present joints."""
        return self._known, self._known_data

    def tied(self, name: str) -> tuple[str, ...]:
        """Names of the robots that are tied to one, itself included, in the order of the scene."""
        return next(names for names in tied_groups(self._scene) if name in names)

    def advance(self, now: float) -> None:
        """Live until `now` [s]; the first call says when the world begins."""
        if not math.isfinite(now):
            return
        if self._now is None:
            self._now = now
            return
        self._now = max(self._now, now - LONGEST_GAP)
        while self._now + TICK <= now + 1e-9:
            self._now += TICK
            self._tick()

    @property
    def moment(self) -> float:
        """Of its last tick, by the station's clock [s]; not a number before the first."""
        return math.nan if self._now is None else self._now

    def _tick(self) -> None:
        self.lived += TICK
        if self._known_data is not self._data:
            self._known_data.qpos[:], self._known_data.qvel[:] = self._data.qpos, self._data.qvel
            mujoco.mj_fwdPosition(self._known, self._known_data)
            mujoco.mj_fwdVelocity(self._known, self._known_data)
        for arm in self.arms.values():
            arm.command()
        for curves in self._curves:
            curves.follow()
        before = self._data.time
        mujoco.mj_step(self._model, self._data, SUBSTEPS)
        if self._data.time <= before:  # numbers that were not finite, or huge: MuJoCo has begun anew by itself
            self._begin_anew()
        for arm in self.arms.values():
            arm.sense()

    def _begin_anew(self) -> None:
        """After a breakdown of the physics: everything where it began, on the brakes, all arms FAULT."""
        set_start(self._built, self._model, self._data)
        for body in self.bodies.values():
            body.stand()
        for arm in self.arms.values():
            arm.put_back("the physics broke down and began anew; reset it")

    @property
    def energy(self) -> float:
        """Kinetic energy of everything that moves [J]."""
        speed = self._data.qvel
        full = np.zeros((self._model.nv, self._model.nv))
        mujoco.mj_fullM(self._model, self._data, full)
        return float(0.5 * speed @ full @ speed)


def emulated_arm(
    scene: Scene,
    robot: str | None = None,
    settings: ArmSettings | None = None,
    *,
    faults: str | ArmFaultScript = "",
    seed: int = 0,
    start: Floats | None = None,
) -> EmulatedArm:
    """One arm of a scene, the first if none is named; other robots are there too, standing on their brakes.

    An ArmError for a robot that is tied to others: it could not move; see `World`.
    """
    if not scene.robots:
        raise ArmError("this scene has no robot; an emulated arm needs one")
    name = scene.robots[0].name if robot is None else robot
    world = World(
        scene,
        None if settings is None else {name: settings},
        robots=[name],
        faults={name: faults},
        seed=seed,
        start=None if start is None else {name: start},
    )
    return world.arms[name]


def _check_tied(scene: Scene, chosen: Sequence[str]) -> None:
    """Refuse arms that could not move, since robots that are tied to them stand on their brakes."""
    for names in tied_groups(scene):
        braked = [name for name in names if name not in chosen and driven_links(tree_of(scene.robot(name)))]
        arms = [name for name in names if name in chosen]
        if arms and braked:
            raise ArmError(
                f"robot {arms[0]} is tied to {' and '.join(braked)} on its brakes and cannot move; emulate all: "
                f"{' '.join(f'--controller {name}=sim:arm' for name in names)}"
            )


def _keys(value: object) -> Sequence[str]:
    return list(value) if isinstance(value, Mapping) else ()


def _of(value: Any, name: str, otherwise: Any) -> Any:
    return value.get(name, otherwise) if isinstance(value, Mapping) else value


def _script(faults: str | ArmFaultScript) -> ArmFaultScript:
    return ArmFaultScript(faults) if isinstance(faults, str) else faults
