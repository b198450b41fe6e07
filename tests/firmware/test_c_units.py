"""The firmware's own unit tests in C, under the address and undefined-behaviour sanitizers."""

from __future__ import annotations

import pytest

from firmware_bridge.firmware.build import SOURCES
from tests.firmware.compiling import build_checked, needs_compiler, run

pytestmark = needs_compiler


@pytest.mark.parametrize("name", ["test_limits", "test_guard", "test_firmware"])
def test_c_unit_tests_pass_under_the_sanitizers(name: str) -> None:
    assert " 0 failed" in run(build_checked(name))


def test_c_codec_agrees_with_the_shared_vectors() -> None:
    assert " 0 failed" in run(build_checked("test_codec"), str(SOURCES / "vectors.txt"))


def test_every_c_test_is_run_here() -> None:
    assert {path.stem for path in (SOURCES / "tests").glob("*.c")} == {
        "test_limits",
        "test_guard",
        "test_firmware",
        "test_codec",
        "fuzz",
    }


def test_core_needs_nothing_but_string_h_and_the_integer_types() -> None:
    allowed = {"<stdbool.h>", "<stddef.h>", "<stdint.h>", "<string.h>"}
    for path in (SOURCES / "core").iterdir():
        includes = {line.split()[1] for line in path.read_text().splitlines() if line.startswith("#include")}
        foreign = {name for name in includes if name.startswith("<")} - allowed
        assert not foreign, f"{path.name} includes {foreign}"
        assert "malloc" not in path.read_text()
