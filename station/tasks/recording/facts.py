"""What a recording says of where it comes from: versions, seeds, files, calibration."""

from __future__ import annotations

import contextlib
import json
import platform
from collections.abc import Iterable, Iterator, Mapping
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl

from station.applied import Applied
from station.json_reader import parse_json
from station.tasks.recording.writing import Writer
from station.version import __version__

LIBRARIES = ("numpy", "numba", "scipy", "mcap", "mujoco-core", "ruckig", "coal")
LARGEST_FILE = 4 << 20  # bytes that are attached of a file
DEFAULT_SEED = "0"  # of emulators whose address names none


def versions() -> dict[str, str]:
    """Of everything that may change a run."""
    answer = {"station": __version__, "python": platform.python_version(), "system": platform.platform()}
    for name in LIBRARIES:
        try:
            answer[name] = version(name)
        except PackageNotFoundError:
            continue
    return answer


def seeds(urls: Mapping[str, str]) -> dict[str, str]:
    """Seeds of the emulated parts, by their role; only they have any."""
    return {role: options_of(url).get("seed", DEFAULT_SEED) for role, url in urls.items() if url.startswith("sim:")}


def files_of(scene: str, urls: Iterable[str], more: Iterable[str] = ()) -> tuple[str, ...]:
    """The scene, files that the addresses of emulators name, and more that there may be; each once."""
    named = [scene, *more]
    for url in urls:
        named += [value.removeprefix("@") for value in options_of(url).values()]
    return tuple(dict.fromkeys(name for name in named if name and _is_file(name)))


def options_of(url: str) -> dict[str, str]:
    """What is behind the question mark of an address."""
    return dict(parse_qsl(url.partition("?")[2]))


def calibration_of(text: Mapping[str, Any]) -> dict[str, str]:
    """The calibrations that a servo says it uses: their ids, and by their names all that is known of each, as JSON."""
    used = [Applied.from_told(told) for told in text.get("calibration") or ()]
    return {
        "ids": ", ".join(one.result for one in used) or "none",
        **{one.name: json.dumps(one.told, ensure_ascii=False) for one in used},
    }


def calibrations_in(metadata: Mapping[str, str]) -> tuple[Applied, ...]:
    """The same from the metadata of a recording; entries of older ones, which have ids alone, are passed over."""
    found = []
    for name, value in metadata.items():
        with contextlib.suppress(ValueError, TypeError):
            if name != "ids":
                found.append(Applied.from_told(parse_json(value, name)))
    return tuple(found)


def attach(writer: Writer, paths: Iterable[str]) -> list[str]:
    """Put files into a recording under their names; returns those that could not be read, with the reason."""
    troubles = []
    taken: set[str] = set()
    for path in map(Path, paths):
        try:
            if path.stat().st_size > LARGEST_FILE:
                troubles.append(f"{path} is not in the recording: larger than {LARGEST_FILE >> 20} MB")
                continue
            data = path.read_bytes()
        except OSError as error:
            troubles.append(f"{path} is not in the recording: {error.strerror}")
            continue
        name = next(_names(path, taken))
        taken.add(name)
        writer.attachment(name, data, "text/plain" if path.suffix in (".mad", ".urdf", ".hand") else "")
    return troubles


def _names(path: Path, taken: set[str]) -> Iterator[str]:
    """Names for a file, the first that is free."""
    for number in range(1, len(taken) + 2):
        name = path.name if number == 1 else f"{path.stem}-{number}{path.suffix}"
        if name not in taken:
            yield name


def _is_file(name: str) -> bool:
    try:
        return Path(name).is_file()
    except (OSError, ValueError):  # too long for a name, or not one
        return False
