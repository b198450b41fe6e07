"""Building the firmware: one clear line when it cannot be."""

from __future__ import annotations

from pathlib import Path

import pytest

from firmware_bridge.firmware import build as building
from firmware_bridge.firmware.build import FirmwareBuildError, build, compiler
from station.errors import StationError
from tests.firmware.compiling import needs_compiler


def test_no_compiler_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CC", raising=False)
    monkeypatch.setenv("PATH", "/nowhere")
    with pytest.raises(StationError, match=r"needs a C compiler: apt-get install gcc$"):
        compiler()


def test_a_compiler_that_is_not_there_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CC", "no-such-cc -O2")
    with pytest.raises(FirmwareBuildError, match=r"^CC=no-such-cc -O2: no such program"):
        compiler()


@needs_compiler
def test_a_source_that_does_not_compile_shows_what_the_compiler_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(building, "output_folder", lambda: tmp_path)
    source = tmp_path / "wrong.c"
    source.write_text("int main(void) { return nothing; }\n")
    with pytest.raises(FirmwareBuildError, match="nothing"):
        build("wrong", [source])
    assert [path.name for path in tmp_path.iterdir()] == ["wrong.c"]


@needs_compiler
def test_a_product_is_made_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(building, "output_folder", lambda: tmp_path)
    source = tmp_path / "right.c"
    source.write_text("int main(void) { return 0; }\n")
    product = build("right", [source])
    source.unlink()
    assert build("right", [source]) == product
