"""What every test here needs: a C compiler, or a reason why it did not run."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from firmware_bridge.firmware.build import SANITIZERS, SOURCES, FirmwareBuildError, build, compiler, core_sources


def has_compiler() -> bool:
    try:
        compiler()
    except FirmwareBuildError:
        return False
    return True


needs_compiler = pytest.mark.skipif(not has_compiler(), reason="no C compiler: apt-get install gcc")


def build_checked(name: str) -> Path:
    """A program of firmware/tests with the sanitizers in it."""
    sources = [*core_sources(), SOURCES / "host" / "library.c", SOURCES / "tests" / f"{name}.c"]
    return build(f"{name}-checked", sources, SANITIZERS)


def run(program: Path, *words: str) -> str:
    """Its output; a failed check or a finding of the sanitizers fails the test with what the program said."""
    result = subprocess.run([str(program), *words], capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stdout + result.stderr
    return result.stdout
