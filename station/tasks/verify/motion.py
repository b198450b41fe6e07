"""`Motion`: the path that is checked, with everything that several checks need, made once."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from station.kernel import Ints
from station.mechanism import Mechanism
from station.tasks.task import Task
from station.tasks.task.joints import dependent_joints, driven_joints, independent_joints, tool_path, whole_path
from station.tasks.task.model import Floats
from station.tasks.verify.results import Where


@dataclass(eq=False)
class Motion:
    """A task on its robot."""

    task: Task
    mechanism: Mechanism
    whole: Floats  # n×joints, all of them [rad | m]
    gaps: Floats  # of loops [m]

    @classmethod
    def of(cls, task: Task, mechanism: Mechanism) -> Motion:
        """With passive joints filled in; the mechanism is moved."""
        whole = whole_path(mechanism, task.q)
        return cls(task, mechanism, whole.q, whole.gaps)

    @cached_property
    def driven(self) -> list[int]:
        """Numbers of the joints that an arm drives."""
        return driven_joints(self.mechanism)

    @cached_property
    def free(self) -> Ints:
        """Joints that say where all others are."""
        return np.array(independent_joints(self.mechanism), dtype=np.int64)

    @cached_property
    def carried(self) -> Ints:
        """Joints that follow from those, by the loops."""
        return dependent_joints(self.mechanism)

    @cached_property
    def tool(self) -> Floats:
        """Places of the tool, n×3 [m]."""
        poses = tool_path(self.mechanism, self.task.frame, self.whole)
        return np.ascontiguousarray(poses[:, :3, 3])

    @cached_property
    def way(self) -> Floats:
        """Of the tool since the begin [m]."""
        steps = np.linalg.norm(np.diff(self.tool, axis=0), axis=1)
        return np.concatenate([[0.0], np.cumsum(steps)])

    def where(self, sample: float) -> Where:
        """A place; samples may be fractions."""
        last = len(self.whole) - 1
        at = float(np.clip(sample, 0.0, last))
        numbers = np.arange(last + 1)
        tool = [float(np.interp(at, numbers, self.tool[:, i])) for i in range(3)]
        way = float(np.interp(at, numbers, self.way))
        return Where(at * self.task.period, way, self.task.segment_at(at), (tool[0], tool[1], tool[2]))

    def at_text(self, sample: float) -> str:
        """The same in words."""
        place = self.where(sample)
        name = self.task.segments[place.segment].name
        called = f" ({name})" if name else ""
        return f"at {place.time:.3f} s, {1000.0 * place.way:.0f} mm along the path, segment {place.segment}{called}"

    def joint_name(self, number: int) -> str:
        """What people call a joint."""
        joint = self.mechanism.joints[number]
        return joint.name or f"joint {joint.id}"

    @staticmethod
    def intervals(bad: np.ndarray) -> list[tuple[int, int]]:
        """First and last of each run of samples that are bad."""
        edges = np.flatnonzero(np.diff(np.concatenate([[0], bad.astype(np.int8), [0]])))
        return [(int(first), int(last) - 1) for first, last in edges.reshape(-1, 2)]
