"""What FABRIK refuses, and the reasons it gives."""

from __future__ import annotations

import math

import numpy as np
import pytest

from station.mechanism.classic import Chain, OutsideDomainError, solve
from station.mechanism.classic.fabrik import rods
from tests.classic.arms import TIP, link, robot, universal
from tests.classic.test_chain import load


@pytest.mark.parametrize(
    ("name", "frame", "reasons"),
    [
        (
            "puma560",
            7,
            ["axis of link 2 is at 90° to that of link 1", "what link 2 carries is 150.1 mm along its axis"],
        ),
        ("panda", 9, ["the axes of links 3 and 4 pass each other at 82.5 mm"]),
        ("scara", 5, ["link 3 slides"]),
        ("macdac", 6, ["axis of link 5 is at 90° to that of link 4", "links 1 and 2 pass each other at 122 mm"]),
    ],
)
def test_other_mechanisms_are_refused_with_the_reason(name: str, frame: int, reasons: list[str]) -> None:
    arm = load(name)
    with pytest.raises(OutsideDomainError) as caught:
        solve(arm, frame, np.eye(4), "fabrik", position_only=True)
    for reason in [*reasons, f"robot '{name}'", "Use pinv, dls, transpose or ccd"]:
        assert reason in str(caught.value)


def test_offsets_out_of_the_domain_are_named() -> None:
    beside = robot([link(1, 0), link(2, 1, alpha=math.pi / 2, r=0.05), link(3, 2, d=1.0)], (1.0, 0.0, 0.0))
    with pytest.raises(OutsideDomainError, match="frame 99 runs 50 mm beside the axis of link 1"):
        rods(Chain.to(beside, TIP))
    with pytest.raises(OutsideDomainError, match="axes of links 1 and 2 pass each other at 20 mm"):
        rods(Chain.to(universal(3, apart=0.02), TIP))
    with pytest.raises(OutsideDomainError, match="reaches for positions only; ask with position_only=True"):
        rods(Chain.to(universal(3), TIP), position_only=False)
    on_axes = robot([link(1, 0), link(2, 1, alpha=math.pi / 2)], (0.0, 0.0, 0.0))
    with pytest.raises(OutsideDomainError, match="it is on all axes"):
        rods(Chain.to(on_axes, TIP))
