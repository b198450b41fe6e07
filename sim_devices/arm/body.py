"""One arm within the physics of a world: its joints, brakes, tool and loops, by the order of its controller."""

from __future__ import annotations

from typing import Any

import numpy as np

from sim_devices.arm.drives import driven_links, held_links
from sim_devices.arm.machine import Floats
from sim_devices.arm.model import Built
from sim_devices.arm.physics import mujoco
from sim_devices.arm.tree import tool_body

BRAKE = 1.5  # effort of a brake that rubs, over that of its drive
BITES_AT = 0.01  # speed of all joints at which brakes lock [rad/s | m/s]


class ArmBody:
    """What moves, and what holds it."""

    def __init__(self, built: Built, model: Any, data: Any, name: str) -> None:
        tree = built.trees[name]
        self._model, self._data = model, data
        self.links = driven_links(tree)
        joints = [model.joint(f"{name}/{link.id}") for link in self.links]
        self._places = np.array([joint.qposadr[0] for joint in joints])
        self.driven = [int(joint.dofadr[0]) for joint in joints]
        self._dofs = np.array(self.driven)
        rest = [model.joint(f"{name}/{link.id}") for link in tree.moving if link not in self.links]
        rest += [model.joint(joint) for joint in built.crosses if joint.startswith(f"{name}/")]
        self.passive = [int(joint.dofadr[0]) for joint in rest]
        self._all_places = np.array([model.joint(f"{name}/{link.id}").qposadr[0] for link in tree.moving])
        self._brakes = np.array([model.equality(f"{name}/brake.{link.id}").id for link in self.links])
        self._friction = model.dof_frictionloss[self._dofs].copy()
        self._grip = BRAKE * np.array([built.drives[name][link.id].effort for link in self.links])
        prefixes = (f"{name}/closure.", f"{name}/coupling.")
        self._closures = [i for i in range(model.neq) if model.equality(i).name.startswith(prefixes)]
        self.ties = [int(model.equality(tie).id) for tie in built.ties]  # equalities between robots, whosesoever
        key = tool_body(tree)
        self._tool = None if key is None else model.body(f"{name}/tool").id
        self._site = None if key is None else model.site(f"{name}/tool").id
        self._sensed = np.zeros(0, dtype=np.int64)
        if key is not None:
            begin = [model.sensor(f"{name}/{kind}").adr[0] for kind in ("force", "torque")]
            self._sensed = np.concatenate([np.arange(3) + start for start in begin])
        self._jammed: int | None = None
        self._braked = self._bites = False
        self._held = [
            (model.equality(f"{name}/brake.{link.id}").id, model.joint(f"{name}/{link.id}").qposadr[0])
            for link in held_links(tree)
        ]

    def soften_tool(self, time: float) -> None:
        """Let a touch of the tool settle in so long [s]; what it touches has no say in it."""
        of_tool = self._model.geom_bodyid == (-1 if self._tool is None else self._tool)
        self._model.geom_solref[of_tool, 0] = time
        self._model.geom_priority[of_tool] = 1

    def stand(self) -> None:
        """On all brakes from now on, those of other controllers too."""
        for brake, place in self._held:
            self._lock(int(brake), int(place))
        self._braked = False
        self.brake(True)

    @property
    def q(self) -> Floats:
        """True values of the driven joints [rad | m]."""
        return np.asarray(self._data.qpos[self._places])

    @property
    def v(self) -> Floats:
        """True speeds of the driven joints [rad/s | m/s]."""
        return np.asarray(self._data.qvel[self._dofs])

    @property
    def all_q(self) -> Floats:
        """True values of all joints in the order of the file, passive ones too [rad | m]."""
        return np.asarray(self._data.qpos[self._all_places])

    def drive(self, efforts: Floats | float) -> None:
        """What the motors give [N·m | N]."""
        self._data.qfrc_applied[self._dofs] = efforts

    def brake(self, engaged: bool) -> None:
        """Hold all driven joints by their brakes, or let them go. Joints that move rub first, then lock."""
        if engaged == self._braked:
            return
        self._braked, self._bites = engaged, False
        self._model.dof_frictionloss[self._dofs] = self._friction + (self._grip if engaged else 0.0)
        self.let_brakes_bite()
        self._set_locks()

    def let_brakes_bite(self) -> None:
        """Lock the joints once they stand; called every tick while somebody else than the drives holds them."""
        if self._braked and not self._bites and (np.abs(self.v) < BITES_AT).all():
            self._bites = True
            self._model.dof_frictionloss[self._dofs] = self._friction
            self._set_locks()

    def jam(self, place: int | None) -> None:
        """Lock one driven joint where it is, or none."""
        if place != self._jammed:
            self._jammed = place
            self._set_locks()

    def _set_locks(self) -> None:
        for place, brake in enumerate(self._brakes):
            if not (self._bites or place == self._jammed):
                self._data.eq_active[brake] = False
            elif not self._data.eq_active[brake]:
                self._lock(int(brake), int(self._places[place]))

    def _lock(self, brake: int, place: int) -> None:
        self._model.eq_data[brake, 0] = self._data.qpos[place]
        self._data.eq_active[brake] = True

    @property
    def measures_wrench(self) -> bool:
        """Whether there is a tool to measure at."""
        return self._tool is not None

    @property
    def through_tool(self) -> Floats:
        """Force and torque that the arm gives its tool, in the frame of the tool [N, N·m]."""
        return np.asarray(self._data.sensordata[self._sensed])

    @property
    def tool_pose(self) -> Floats:
        """True 4×4 pose of the tool in the world [m]; of the base's world if there is no tool."""
        pose = np.eye(4)
        if self._site is not None:
            pose[:3, :3] = self._data.site_xmat[self._site].reshape(3, 3)
            pose[:3, 3] = self._data.site_xpos[self._site]
        return pose

    @property
    def tool_turn(self) -> Floats:
        """Rotation of the tool in the world, nine numbers by rows; not a copy."""
        return np.asarray(self._data.site_xmat[self._site])

    def push(self, wrench: Floats) -> None:
        """Somebody pushes the tool from now on: force and torque in world axes, at the tool [N, N·m]."""
        if self._tool is None or self._site is None:
            return
        arm = self._data.site_xpos[self._site] - self._data.xipos[self._tool]
        self._data.xfrc_applied[self._tool, :3] = wrench[:3]
        self._data.xfrc_applied[self._tool, 3:] = wrench[3:] + np.cross(arm, wrench[:3])

    @property
    def contact_force(self) -> Floats:
        """True sum of the contact forces on the tool, in world axes [N]."""
        model, data, total, one = self._model, self._data, np.zeros(3), np.zeros(6)
        for number in range(data.ncon):
            contact = data.contact[number]
            bodies = [int(model.geom_bodyid[geom]) for geom in contact.geom]
            if self._tool in bodies:
                mujoco.mj_contactForce(model, data, number, one)
                world = contact.frame.reshape(3, 3).T @ one[:3]  # acts on the second of the two
                total += world if bodies[1] == self._tool else -world
        return total

    @property
    def closure_gap(self) -> float:
        """Largest error of any row of loops and couplings [m; rad times the size of the robot]."""
        data = self._data
        ours = np.isin(data.efc_id[: data.ne], self._closures)
        return float(np.abs(data.efc_pos[: data.ne][ours]).max(initial=0.0))
