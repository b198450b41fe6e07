"""Which dimensions of a robot are estimated, under which names, and which are given up first if they repeat others.

`stand x … a` (where the robot's world is for whoever measures), `tool x … a`, `frame 16 x … a` (ends of loops),
`link 3 alpha | d | beta | theta | r`, `link 3 zero` (added to what the encoder tells) and `link 3 ratio` (by which that
is multiplied first).
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from calibration.geometry.loops import closures_of
from calibration.geometry.screws import FRAME_MOTIONS, STAND, TURNS, Tree, joint_motion, lines_up
from calibration.geometry.settings import GeometrySettings
from calibration.parameters import Floats, Ints, Parameter
from station.mad.scene import Frame, Link
from station.mad.units import JointType

# Of dimensions that repeat each other, those with the larger number are fixed.
KEEP_STAND, KEEP_TOOL, KEEP_ANGLE, KEEP_LENGTH, KEEP_ZERO, KEEP_ALONG, KEEP_ENDS = range(7)


@dataclass
class Listing:
    """Parameters, and the motion of the tree that each of them is."""

    tree: Tree
    settings: GeometrySettings
    parameters: list[Parameter] = field(default_factory=list)
    numbers: list[int] = field(default_factory=list)
    zeros: dict[int, int] = field(default_factory=dict)  # place among parameters → link
    ratios: dict[int, int] = field(default_factory=dict)  # place among parameters → link

    @property
    def motions(self) -> Ints:
        """Number of the motion of each parameter."""
        return np.array(self.numbers, dtype=np.int64)

    def add(self, name: str, owner: int, motion: str, keep: int, *, known: bool = True) -> None:
        """One dimension more."""
        turns = motion in TURNS
        typical = self.settings.angle_error if turns else self.settings.length_error
        number = self.tree.motions.number[owner, motion]
        self.parameters.append(
            Parameter(
                name=name,
                unit="rad" if turns else "m",
                nominal=float(self.tree.nominal()[number]),
                typical=typical,
                prior=typical if known and self.settings.prior else None,
                keep=keep,
            )
        )
        self.numbers.append(number)

    def add_ratio(self, link: int) -> None:
        """The gear ratio of a joint."""
        typical = self.settings.ratio_error
        prior = typical if self.settings.prior else None
        self.ratios[len(self.parameters)] = link
        self.parameters.append(
            Parameter(name=f"link {link} ratio", unit="", nominal=1.0, typical=typical, prior=prior, keep=KEEP_ALONG)
        )
        self.numbers.append(own_motion(self.tree, self.tree.items[link]))


def list_parameters(
    tree: Tree,
    settings: GeometrySettings,
    measured: tuple[int, bool],
    encoders: tuple[int, ...],
    poses: dict[int, Floats],
) -> Listing:
    """All that can be wrong about a robot.

    Args:
        tree: the robot.
        settings: what is wanted.
        measured: id of the measured frame, and whether its turn was measured.
        encoders: links with an encoder.
        poses: of all links at one configuration, which tells parallel axes.
    """
    made = Listing(tree, settings)
    if settings.stand:
        for motion in FRAME_MOTIONS:
            made.add(f"stand {motion}", STAND, motion, KEEP_STAND, known=False)
    _list_frames(made, *measured)
    for item in tree.items.values():
        if isinstance(item, Link):
            _list_row(made, item, item.id in encoders, poses)
    if settings.ratios:
        for name in encoders:
            made.add_ratio(name)
    return made


def _list_frames(made: Listing, tool: int, turned: bool) -> None:
    ends = {target.id for closure in closures_of(made.tree.robot) for target in closure.targets}
    for name, item in made.tree.items.items():
        if isinstance(item, Frame) and name == tool:
            for motion in FRAME_MOTIONS if turned or name in ends else FRAME_MOTIONS[:3]:
                made.add(f"tool {motion}", name, motion, KEEP_TOOL)
        elif isinstance(item, Frame) and name in ends:
            for motion in FRAME_MOTIONS:
                made.add(f"frame {name} {motion}", name, motion, KEEP_ENDS)


def _list_row(made: Listing, link: Link, has_encoder: bool, poses: dict[int, Floats]) -> None:
    name = f"link {link.id}"
    made.add(f"{name} alpha", link.id, "alpha", KEEP_ANGLE)
    made.add(f"{name} d", link.id, "d", KEEP_LENGTH)
    if link.joint is not JointType.FIXED and lines_up(made.tree, link, poses, made.settings.parallel):
        made.add(f"{name} beta", link.id, "beta", KEEP_ANGLE)
    for motion, keep in (("theta", KEEP_ZERO), ("r", KEEP_ALONG)):
        if made.tree.motions.number[link.id, motion] != own_motion(made.tree, link):
            made.add(f"{name} {motion}", link.id, motion, keep)
        elif has_encoder:  # without one, the joint takes whatever value it has to
            made.zeros[len(made.parameters)] = link.id
            made.add(f"{name} zero", link.id, motion, KEEP_ZERO)


def own_motion(tree: Tree, item: Link | Frame) -> int:
    """Number of the motion that is a joint's own, -1 if the item has no joint."""
    if not isinstance(item, Link) or item.joint is JointType.FIXED:
        return -1
    return joint_motion(tree, item)
