"""Kernels that a wheel carries are found by their key alone: on this processor, on a newer one, by any compiler."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from station.kernel import Kernel, build
from station.kernel import library as libraries
from station.kernel.__main__ import DECLARES
from station.kernel.key import LEVELS, baseline, levels, variant_key
from tests.kernel.test_key import all_kernels


def tripled(x: float) -> float:
    return 3.0 * x


@pytest.fixture
def shipped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder as in a wheel, where an own cache is empty."""
    monkeypatch.setattr(libraries, "folder", lambda: tmp_path / "own")
    monkeypatch.setattr(libraries, "SHIPPED", tmp_path / "compiled")
    return tmp_path / "compiled"


def compiled(place: Path) -> Kernel:
    """A kernel that is on disk there, and in no cache."""
    kernel = Kernel(tripled, is_entry=True, inline=False)
    assert kernel(2.0) == 6.0
    place.mkdir(parents=True)
    for file in libraries.folder().glob("*.so"):
        shutil.move(file, place)
    return Kernel(tripled, is_entry=True, inline=False)


@pytest.mark.parametrize(
    ("made_for", "runs_on"),
    [("x86-64-v2", "x86-64-v2"), ("x86-64-v2", "x86-64-v3"), ("x86-64-v3", "x86-64-v3"), ("aarch64", "aarch64")],
)
def test_what_is_shipped_runs_without_compiling(
    shipped: Path, made_for: str, runs_on: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    kernel = compiled(shipped / made_for)
    monkeypatch.setattr(libraries, "baseline", lambda: runs_on)
    monkeypatch.setattr(build, "build", lambda *_: pytest.fail("it is compiled"))
    assert kernel(2.0) == 6.0


def test_what_is_shipped_for_a_newer_processor_is_compiled(shipped: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    kernel = compiled(shipped / "x86-64-v3")
    monkeypatch.setattr(libraries, "baseline", lambda: "x86-64-v2")
    assert kernel(2.0) == 6.0
    assert list(libraries.folder().glob("station_tripled_*"))


def test_what_is_made_here_goes_before_what_is_shipped(shipped: Path) -> None:
    symbol = "station_some_key"
    for place in (shipped / levels(baseline())[0], libraries.folder()):
        place.mkdir(parents=True)
        (place / f"{symbol}.so").touch()
        assert libraries.find(symbol) == place / f"{symbol}.so"


def test_neither_the_processor_nor_the_compiler_is_in_a_key(monkeypatch: pytest.MonkeyPatch) -> None:
    kernel = Kernel(tripled, is_entry=True)
    keys = set()
    for level in LEVELS:
        monkeypatch.setenv("STATION_CPU", level)
        for version in ("0.61.0", "0.62.1"):
            monkeypatch.setattr("importlib.metadata.version", lambda _name, version=version: version)
            keys.add(variant_key(kernel, kernel.signature))
    assert len(keys) == 1


def test_every_module_that_declares_entries_is_found_by_its_text() -> None:
    modules = {one.function.__module__ for one in all_kernels() if one.is_entry}
    assert len(modules) > 50
    for name in modules:
        file = sys.modules[name].__file__
        assert file is not None
        assert DECLARES.search(Path(file).read_text(encoding="utf8")), name


def test_a_processor_that_nobody_knows_is_told_in_one_line() -> None:
    told = subprocess.run(
        [sys.executable, "-m", "station", "ik", "ur5e", "--frame", "6", "--to=-300,200,500"],
        env={**os.environ, "STATION_CPU": "z80"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert told.returncode != 0
    assert told.stderr.count("\n") == 1
    assert "STATION_CPU is z80" in told.stderr
