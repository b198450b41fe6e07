"""`LedRobot`: a robot of a servo with the parts that lead it, and what the solver is asked for on their behalf."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from station.controllers.shaping import TiedArms, tie
from station.kernel import load_now
from station.mechanism import Mechanism
from station.mechanism.assembly import close_loops, come_nearer, squared_gap
from station.mechanism.closures import closure_rows
from station.mechanism.following import ALL
from station.mechanism.tree import frame_jacobian
from station.servo.rig import Rig
from station.servo.state import Lock, RobotMemory

if TYPE_CHECKING:
    from station.servo.part import Part

TASKS_PER_PART = 2  # place and orientation, one before the other


class LedRobot:
    """A robot, or several that are tied to each other and move as one.

    Args:
        rig: of the first part that leads it.
        parts: how many parts will.
    """

    def __init__(self, rig: Rig, parts: int) -> None:
        self.mechanism, self.surroundings = rig.robot, rig.surroundings
        _ = self.mechanism.geometry, self.mechanism.memory_ahead()  # made now, not when somebody changes something
        load_now(close_loops, come_nearer, squared_gap, closure_rows, frame_jacobian)
        self.parts: list[Part] = []
        self.switching: object | None = None  # the constraint that is being switched
        others = () if rig.surroundings is None else rig.surroundings.others
        self.memory = RobotMemory(
            t=TASKS_PER_PART * parts,
            robot=rig.robot.memory,
            joint_targets=rig.robot.q,
            others=[other.memory.address for other in others],
        )
        self.speeds = rig.robot.memory.v_max.copy()  # largest of the joints [rad/s | m/s]
        self.memory.own_low[:], self.memory.own_high[:] = own_stops(rig.robot)
        self.memory.has_obstacles = rig.surroundings is not None
        self.memory.surroundings = None if rig.surroundings is None else rig.surroundings.table  # type: ignore[assignment]

    def plan(self) -> None:
        """Order what parts ask for by its priority."""
        memory, wanted = self.memory, []
        for part, rank in zip(self.parts, self._ranks(), strict=True):
            for nth, axes in enumerate(part.followed.levels):
                wanted.append(((rank, nth), part.number, part.followed.number, axes))
        wanted.sort()
        levels = sorted({level for level, *_ in wanted})
        memory.planned = len(wanted)
        for row, (level, number, _, axes) in enumerate(wanted):
            memory.task_part[row], memory.task_axes[row] = number, axes
            memory.task_level[row] = levels.index(level)
        first = [(frame, axes & ALL) for level, _, frame, axes in wanted if level == levels[0]]
        crosses = any(part.rig.renderer.settings.singularity.crossing for part in self.parts)
        self.mechanism.memory.keeps_assembly = not crosses  # of its loops, if it has any
        alone = len(first) == 1 and len(self.parts) == 1
        memory.first_rank = self.parts[0].followed.first_rank if alone else self.mechanism.rank_of(first)

    def _ranks(self) -> list[int]:
        """As the file says; else all alike, so that hands on robots that are tied share what both cannot have.

        Hands on one robot that cannot do all they want at once come in the order of the file.
        """
        ranks = []
        for part in self.parts:
            mates = [one for one in self.parts if one.rig.alone is part.rig.alone]
            place = mates.index(part)
            ranks.append(part.followed.rank or (place if place and self._is_too_much(mates) else 0))
        return ranks

    def _is_too_much(self, parts: list[Part]) -> bool:
        """Whether the robot cannot do all at once that these parts want."""
        rows = [(part.followed.number, axes & ALL) for part in parts for axes in part.followed.levels]
        return self.mechanism.rank_of(rows) < sum(self.mechanism.rank_of([row]) for row in rows)

    def lead_joints(self, joints: range, values: Sequence[float]) -> None:
        """Ask for values of some joints [rad | m], in mode JOINTS; others stay as they were asked for."""
        memory, wanted = self.memory, self.memory.joint_targets.copy()
        wanted[joints] = values
        memory.joint_led[:] = self.mechanism.led_joints(memory.joint_targets, wanted)
        memory.joint_targets[:] = wanted

    def lock(self, joint: int, on: bool) -> None:
        """Lock or free a joint, from where it is."""
        memory = self.memory
        if on == (memory.lock[joint] == Lock.LOCKED):
            return
        if memory.lock[joint] == Lock.FREE:
            memory.low[joint], memory.high[joint] = memory.own_low[joint], memory.own_high[joint]
        memory.lock[joint] = Lock.LOCKED if on else Lock.FREED
        memory.freed_for[joint] = 0.0
        memory.has_locks = True

    def tie_arms(self) -> TiedArms | None:
        """Let the arms of robots that are tied follow together; None: there are no two of them."""
        arms = [part.arm for part in self.parts if part.arm is not None and part.memory.owns_arm]
        if len(arms) < 2:
            return None
        for arm in arms:
            arm.memory.tied = True
        return tie([(arm.shaper.state, arm.shaper.numbers, arm.inputs) for arm in arms])

    def let_through(self) -> None:
        """Let the robot be put where its arm is: joints that are locked are locked there from then on."""
        if self.memory.has_locks:
            memory = self.mechanism.memory
            memory.q_min[:], memory.q_max[:] = self.memory.own_low, self.memory.own_high

    def continue_from_here(self) -> None:
        """The predicted robot was put somewhere: what follows begins there, at rest."""
        self.memory.joint_targets[:] = self.mechanism.q
        self.memory.continued = False
        for part in self.parts:
            part.find_frame()

    def refine_obstacles(self) -> None:
        """Distances that only the library can tell."""
        assert self.surroundings is not None
        self.surroundings.ask_library(self.memory.unanswered)


def own_stops(mechanism: Mechanism) -> tuple[list[float], list[float]]:
    """Of all joints, as the file has them [rad | m]; infinite: none."""
    stops = [joint.limits or (-math.inf, math.inf) for joint in mechanism.joints]
    return [low for low, _ in stops], [high for _, high in stops]
