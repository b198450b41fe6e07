"""Reports of SpaceMice on USB, in both lengths, and buttons with gaps."""

from __future__ import annotations

import pytest

from firmware_bridge.spacemouse.hid_models import MODELS, NO_CAP, PRO, Model, buttons_of
from firmware_bridge.spacemouse.hid_reports import MOST, Report, encode_buttons, encode_motion, parse

COUNTS = (350, -350, 1, -1, 0, 200)


def test_a_navigator_sends_translation_and_rotation_apart() -> None:
    first, second = encode_motion(COUNTS, together=False)
    assert (len(first), len(second)) == (7, 7)
    assert parse(first) == Report((350, -350, 1), 0)
    assert parse(second) == Report((-1, 0, 200), 3)


def test_a_wireless_one_sends_all_six_in_13_bytes() -> None:
    (report,) = encode_motion(COUNTS, together=True)
    assert len(report) == 13
    assert parse(report) == Report(COUNTS, 0)


def test_numbers_are_little_endian_and_signed() -> None:
    assert parse(bytes.fromhex("01 5e01 a2fe 0000")) == Report((350, -350, 0), 0)


@pytest.mark.parametrize("length", [*range(7), *range(8, 13), *range(14, 80)])
def test_motion_of_any_other_length_is_refused(length: int) -> None:
    assert parse((b"\x01" + bytes(100))[:length]) is None


def test_counts_that_no_cap_gives_are_refused() -> None:
    assert parse(b"\x01" + (MOST + 1).to_bytes(2, "little") + bytes(4)) is None


def test_buttons_may_be_told_in_any_number_of_bytes() -> None:
    for size in range(1, 7):
        assert parse(encode_buttons(0b10, size)) == Report(buttons=2)


def test_other_reports_such_as_the_battery_are_let_pass() -> None:
    assert parse(b"\x17\x50") == Report()


def test_buttons_of_a_pro_come_without_gaps() -> None:
    pro = Model("pro", PRO)
    assert buttons_of(pro, 1 << 22) == 1 << 10
    assert buttons_of(pro, 1 << 26) == 1 << 14
    assert buttons_of(pro, 1 << 3 | 1 << 21) == 0, "these bits have no button"
    assert PRO[10][1] == "esc"


def test_no_id_is_both_a_cap_and_none() -> None:
    assert not MODELS.keys() & NO_CAP.keys()


@pytest.mark.parametrize("model", MODELS.values(), ids=lambda model: model.name)
def test_names_and_bits_of_buttons_are_unique(model: Model) -> None:
    bits, names = zip(*model.buttons, strict=True)
    assert len(set(bits)) == len(bits)
    assert len(set(names)) == len(names)
    assert max(bits) < 32
