"""Settings of the plausibility of an arm: type, default, unit, range and one sentence each."""

from __future__ import annotations

from dataclasses import dataclass

from station.devices.parameter import SettingsError, check, parameter


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
