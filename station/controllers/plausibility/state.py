"""From when on an arm is doubted, what is remembered of its joints, and what was found, under one name each."""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import IntEnum

from station.devices.parameter import SettingsError, check, parameter
from station.kernel import Bools1, Floats1, Floats2, Record, field

LONGEST = 0.25  # between two readings that are compared [s]
STANDING_SPEED = 0.02  # a joint that is faster does not stand [rad/s]


@dataclass(frozen=True, kw_only=True)
class PlausibilitySettings:
    """From when on what an arm says is doubted. Lengths of sliding joints count as in shaping, by its `metre`."""

    step_warn: float = parameter(
        0.005, "step of a measured joint, beyond what it can have moved, from which it is told", "rad", 1e-5, 10.0
    )
    step_stop: float = parameter(0.02, "… and from which the arm is stopped", "rad", 1e-5, 10.0)
    knock: float = parameter(
        10.0, "times its own limit that a joint may be accelerated, by a blow as well", "", 1.0, 1000.0
    )
    stands: float = parameter(0.002, "motion below which a joint counts as standing", "rad", 1e-6, 1.0)
    strain: float = parameter(
        0.35,
        "effort of a standing joint that nothing explains, over its largest, from which it is stopped",
        "",
        0.01,
        1.0,
    )
    strain_time: float = parameter(0.01, "and for how long", "s", 0.001, 10.0)
    weight_warn: float = parameter(
        0.06, "effort at rest that nothing explains, over its largest, from which it is told", "", 0.001, 1.0
    )
    weight_stop: float = parameter(0.2, "… and from which the arm is not led", "", 0.001, 1.0)
    rest: float = parameter(0.3, "all joints must have stood, for the two above", "s", 0.01, 60.0)
    told: float = parameter(
        0.02,
        "told motion that a joint must show, besides what arm and link may lag; 15 % of it if it went before",
        "rad",
        1e-4,
        1.0,
    )
    free: float = parameter(
        20.0,
        "force on the tool above which that is not judged: it touches something; a tenth if it is held",
        "N",
        0.1,
        1e4,
    )

    def __post_init__(self) -> None:
        check(self)
        if self.step_stop < self.step_warn or self.weight_stop < self.weight_warn:
            raise SettingsError("step_stop and weight_stop are no less than step_warn and weight_warn")


class Doubt(IntEnum):
    """What an arm says that cannot be."""

    NOTHING = 0
    STEP = 1  # a joint was measured further away than it can have moved
    STRAINS = 2  # a joint stands under an effort that nothing explains
    WEIGHT = 3  # efforts at rest do not fit the masses of the file
    ORDER = 4  # a joint moves as another was told
    OPPOSITE = 5  # a joint goes the other way
    HELD = 6  # a joint was told to move and stands
    FROZEN = 7  # a joint that was moving says the very same again and again


class PlausibilityBounds(Record):
    """`PlausibilitySettings` for kernels, and what they must know of joints, n of them, and bodies, b."""

    step_warn: float = field("rad")
    step_stop: float = field("rad")
    knock: float
    stands: float = field("rad")
    strain: float
    strain_time: float = field("s")
    weight_warn: float
    weight_stop: float
    rest: float = field("s")
    told: float = field("rad")
    free: float = field("N")
    weighs: bool = field("", "efforts can be judged: every link has its mass, and no joint is passive")
    speed: Floats1 = field("rad/s | m/s", "largest", shape="n")
    acceleration: Floats1 = field("rad/s² | m/s²", "largest", shape="n")
    effort: Floats1 = field("N·m | N", "largest; infinite where it is not known", shape="n")
    scale: Floats1 = field("m/rad", "what counts as a radian; of a turn: 1", shape="n")
    mass: Floats1 = field("kg", shape="b")
    moment: Floats2 = field("kg·m", "first moment of mass, in the axes of the body", shape=("b", 3))


class Reading(Record):
    """What an arm has said of its joints."""

    q: Floats1 = field("rad | m", shape="n")
    v: Floats1 = field("rad/s | m/s", "not a number where it is not measured", shape="n", default=math.nan)
    effort: Floats1 = field("N·m | N", "not a number where it is not measured", shape="n", default=math.nan)


class Found(Record):
    """What was found."""

    doubt: Doubt
    joint: int
    other: int = field("", "joint that moved instead")
    value: float = field("rad | m | N·m | N", "by which it is doubted")
    stop: bool = field("", "the arm must be stopped; until somebody has looked")
    news: bool = field("", "it has changed; until somebody has looked")
    firm: bool = field("", "this has stopped the arm")


class PlausibilityState(Record):
    """What lives from reading to reading."""

    time: float = field("s", "of the last reading that was taken, by the arm's clock", default=-math.inf)
    arrival: float = field("s", "and by ours", default=-math.inf)
    aside: bool = field("", "a reading was put aside since")
    glitches: int = field("", "readings put aside in all, whose next was plausible again")
    found: Found
    place: Floats1 = field("rad | m", "of the last reading that was taken", shape="n")
    pace: Floats1 = field("rad/s | m/s", shape="n")
    anchor: Floats1 = field("rad | m", "where it stands", shape="n")
    stood: Floats1 = field("s", "and for how long", shape="n")
    strained: Floats1 = field("s", "time that it has stood under an effort that nothing explains", shape="n")
    unexplained: Floats1 = field("N·m | N", "effort that weight and tool do not explain, of this reading", shape="n")
    residual: Floats1 = field("N·m | N", "the same, low-passed", shape="n")
    begun: Floats1 = field("rad | m", "where it began to be led", shape="n")
    same: Floats1 = field("s", "for how long it has said the very same", shape="n")
    went: Floats1 = field("rad/s | m/s", "how fast it went before that", shape="n")
    right: Bools1 = field("", "its first motion was as told", shape="n")
