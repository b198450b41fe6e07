"""Compiles the C firmware on first use and keeps the result in the cache folder, named after the sources' text."""

from __future__ import annotations

import hashlib
import os
import shlex
import shutil
import subprocess
import tempfile
from collections.abc import Iterable, Sequence
from functools import cache
from pathlib import Path

from station.cache import cache_home
from station.errors import StationError

SOURCES = Path(__file__).parent
WARNINGS = ("-Wall", "-Wextra", "-Werror", "-Wconversion", "-Wsign-conversion", "-pedantic")
ARM_COMPILER = "arm-none-eabi-gcc"
ARM_FLAGS = ("-mcpu=cortex-m3", "-mthumb", "-Os", "-ffreestanding", "-nostdlib", "-fno-tree-loop-distribute-patterns")
SANITIZERS = ("-g", "-O1", "-fsanitize=address,undefined", "-fno-sanitize-recover=all", "-fno-omit-frame-pointer")


KEPT = 3  # folders of earlier versions that are kept, for environments that share a home


class FirmwareBuildError(StationError, RuntimeError):
    """The C firmware cannot be made on this machine."""


def core_sources() -> list[Path]:
    """The portable part: everything but hardware."""
    return sorted((SOURCES / "core").glob("*.c"))


def compiler() -> list[str]:
    """Command of the C compiler: what `CC` says, or the first of cc, gcc, clang."""
    wish = os.environ.get("CC")
    for name in [wish] if wish else ["cc", "gcc", "clang"]:
        words = shlex.split(name)
        if words and shutil.which(words[0]):
            return words
    if wish:
        raise FirmwareBuildError(f"CC={wish}: no such program; unset CC to use cc, gcc or clang")
    raise FirmwareBuildError("the firmware needs a C compiler: apt-get install gcc")


def text_hash(files: Iterable[Path]) -> str:
    """Short name for the contents of some files."""
    digest = hashlib.sha256()
    for file in sorted(files):
        digest.update(file.read_bytes())
    return digest.hexdigest()[:16]


def versioned_folder(name: str, version: str) -> Path | None:
    """Folder `name-version` of the cache, made if need be; old versions go. None where nothing can be kept."""
    folder = cache_home() / f"{name}-{version}"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        same = f"{name}-" + "[0-9a-f]" * len(version)  # and not those of another name that begins alike
        others = [path for path in folder.parent.glob(same) if path != folder]
        others.sort(key=lambda path: path.stat().st_mtime, reverse=True)
        for path in others[KEPT:]:
            shutil.rmtree(path, ignore_errors=True)
    except OSError:  # a read-only home: make it anew each time rather than not at all
        return None
    return folder


@cache
def output_folder() -> Path:
    """Where products of exactly these sources are kept."""
    files = [path for path in SOURCES.rglob("*") if path.suffix in {".c", ".h", ".ld", ".py"}]
    folder = versioned_folder("firmware", text_hash(files))
    return folder if folder is not None else Path(tempfile.mkdtemp(prefix="firmware-"))


def build(name: str, sources: Sequence[Path], flags: Sequence[str] = ("-O2",)) -> Path:
    """Compile sources into one product of the cache, unless it is there already; returns its path."""
    product = output_folder() / name
    if not product.exists():
        _compile(product, [*compiler(), *flags], sources)
    return product


def _compile(product: Path, command: Sequence[str], sources: Sequence[Path], libraries: Sequence[str] = ()) -> None:
    with tempfile.TemporaryDirectory(dir=product.parent) as scratch:
        draft = Path(scratch) / product.name
        words = [*command, "-std=c11", *WARNINGS, "-o", str(draft), *map(str, sources), *libraries]
        result = subprocess.run(words, capture_output=True, text=True, check=False)  # noqa: S603  # our own words
        if result.returncode != 0:
            raise FirmwareBuildError(f"the C compiler refused {product.name}:\n{result.stderr.strip()}")
        draft.replace(product)  # at once, whoever else is building the same


def build_library() -> Path:
    """The firmware as a shared library, for `Firmware`."""
    sources = [*core_sources(), SOURCES / "host" / "library.c"]
    return build("firmware.so", sources, ("-O2", "-fPIC", "-shared"))


def build_process() -> Path:
    """The firmware as a program of its own, on a pty that it opens."""
    return build("firmware", [*core_sources(), SOURCES / "host" / "main.c", SOURCES / "host" / "library.c"])


def build_arm_image() -> Path:
    """The firmware as an image for a Cortex-M3 (lm3s6965evb), to be run by qemu-system-arm or flashed."""
    if shutil.which(ARM_COMPILER) is None:
        raise FirmwareBuildError("the ARM image needs a cross compiler: apt-get install gcc-arm-none-eabi")
    product, arm = output_folder() / "firmware.elf", SOURCES / "arm"
    if not product.exists():
        flags = (*ARM_FLAGS, "-I", str(arm / "include"), "-T", str(arm / "lm3s6965.ld"))
        _compile(product, [ARM_COMPILER, *flags], [*core_sources(), *sorted(arm.glob("*.c"))], ["-lgcc"])
    return product
