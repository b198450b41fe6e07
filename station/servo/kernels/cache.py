"""How everything in this folder is compiled, see `station.compiled`: in parts, so that a change costs only its own.

The last part calls the others, and the solver's step, by address (`station.calling`): compiled into it they would be
compiled once more, which takes minutes.
"""

from __future__ import annotations

from pathlib import Path

from station.compiled import Compiler
from station.servo.pacing.kernels.cache import FILES as PACING
from station.servo.shared.kernels.cache import FILES as SHARED

_HERE, _STATION = Path(__file__).parent, Path(__file__).parents[2]
_SUPERVISOR = _STATION / "controllers" / "supervisor"
_COMMON = (_HERE / "at.py", _HERE / "fields.py")


def _files(folder: str, *names: str) -> list[Path]:
    """Named files of a folder of kernels, or all."""
    place = _STATION / folder / "kernels"
    return [place / f"{name}.py" for name in names] if names else sorted(place.glob("*.py"))


_MAPPING, _HAPTICS = _files("devices/mapping"), _files("haptics")
_ROBOT = _files("mechanism", "memory", "at", "tree")

deciding = Compiler(
    "servo-decide",
    [*_COMMON, *_files("servo", "decide")],
    uses=[
        *_MAPPING,
        *_ROBOT,
        *_files("haptics", "layout"),
        *_files("mechanism", "tasks"),
        *_files("controllers/supervisor"),
        _SUPERVISOR / "table.py",
        _SUPERVISOR / "words.py",
    ],
)

feeling = Compiler(
    "servo-feel",
    [
        *_COMMON,
        *_files(
            "servo", "feel", "hand", "sensitivity", "stops", "singularity", "obstacles", "guides", "cues", "at_stop"
        ),
    ],
    uses=[
        *_MAPPING,
        *_HAPTICS,
        *_ROBOT,
        *_files("mechanism", "closures", "dense"),
        *_files("controllers/supervisor", "layout"),
    ],
)

showing = Compiler(
    "servo-show",
    [*_COMMON, *_files("servo", "show", "at_stop")],
    uses=[
        *PACING,
        *SHARED,
        *_ROBOT,
        *_files("haptics", "layout"),
        *_files("devices/mapping", "layout"),
        *_files("controllers/supervisor", "layout"),
    ],
)

measuring = Compiler(
    "servo-measured",
    _files("servo", "measured"),
    uses=[*_ROBOT, *_files("controllers/shaping", "layout"), _STATION / "controllers" / "tare.py"],
)

ticking = Compiler(
    "servo-tick",
    [*_COMMON, *_files("servo", "tick", "wiring")],
    uses=[
        *PACING,
        *_files("controllers/supervisor", "layout"),
        *(_STATION / "devices" / name for name in ("age.py", "swift.py")),
        _STATION / "calling.py",
        _STATION / "mechanism" / "kernels" / "memory.py",
    ],
)
