from __future__ import annotations

import math

from hypothesis import given
from hypothesis import strategies as st

from station.mad.units import RADIANS_PER_DEGREE, JointType, LengthUnit, Unit, from_text, scale_of, to_text

SCALES = [RADIANS_PER_DEGREE, LengthUnit.MM.value, LengthUnit.M.value]


@given(st.floats(allow_nan=False, allow_infinity=False), st.sampled_from(SCALES))
def test_any_float_is_written_so_that_it_reads_back_bit_for_bit(value: float, scale: object) -> None:
    assert from_text(to_text(value, scale), scale) == value  # type: ignore[arg-type]


@given(st.decimals(-1000, 1000, places=4), st.sampled_from(SCALES))
def test_what_a_person_wrote_is_written_back_as_they_wrote_it(number: object, scale: object) -> None:
    text = f"{number:f}"
    written = to_text(from_text(text, scale), scale)  # type: ignore[arg-type]
    assert float(written) == float(text)
    assert len(written) <= len(text)


def test_right_angles_are_the_floats_everybody_uses() -> None:
    assert from_text("90", RADIANS_PER_DEGREE) == math.pi / 2
    assert from_text("-180", RADIANS_PER_DEGREE) == -math.pi
    assert to_text(math.pi / 4, RADIANS_PER_DEGREE) == "45"


def test_numbers_beyond_floats_are_not_finite_and_never_an_exception() -> None:
    for text in ("1e400", "-1e400", "1e999999999999999999999", "nan", "inf"):
        for scale in SCALES:
            assert not math.isfinite(from_text(text, scale))


def test_joint_units_follow_the_joint() -> None:
    assert scale_of(Unit.JOINT_SPEED, LengthUnit.MM, JointType.PRISMATIC) == LengthUnit.MM.value
    assert scale_of(Unit.JOINT_SPEED, LengthUnit.M, JointType.REVOLUTE) == RADIANS_PER_DEGREE
    assert scale_of(Unit.JOINT_EFFORT, LengthUnit.MM, JointType.PRISMATIC) == 1
