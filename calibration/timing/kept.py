"""What was sent and heard, kept beside the result, so that its hash can be checked and the estimate made again."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from calibration.collection import Collection, Held, read_collection
from calibration.errors import DataError
from calibration.leading import Led, Sent
from calibration.results import Subject, load_results
from calibration.timing.devices import DeviceHeard
from station.clock import Exchange
from station.controllers import Measurement

SHORT = 12  # letters of the hash in the name of a file


def keep(out: Path, subject: Subject, facts: dict[str, Any], data: dict[str, Any], data_hash: str) -> str:
    """Write what was measured beside a result file that may be written; the name of the file, which is of its hash."""
    if out.exists():
        load_results(out, subject)  # a WrongDeviceError: nothing is left behind for a result that is refused
    path = out.with_name(f"{out.stem}-{data_hash[:SHORT]}.jsonl")
    held = Collection(path, subject, [], facts)
    if not held.observations:
        held.add(0, data)
    return path.name


def kept(path: Path, what: str) -> Held:
    """What `keep` has written; a DataError if it is something else."""
    held = read_collection(path)
    if held.facts.get("what") != what or len(held.observations) != 1:
        raise DataError(f"{path}: holds no data of {what}; give the file that its result names")
    return held


def led_data(led: Led) -> dict[str, Any]:
    """For a file: times [s] and joints [rad | m]."""
    return {
        "sent": [[one.time, *one.q] for one in led.sent],
        "heard": [[one.controller_time, one.arrival, *one.q] for one in led.heard],
        "exchanged": [list(one) for one in led.exchanged],
    }


def led_of(path: Path, data: dict[str, Any]) -> Led:
    """What `led_data` was made of, as far as timing looks at it; a DataError if it makes no sense."""
    try:
        sent = [Sent(float(row[0]), np.array(row[1:], dtype=np.float64)) for row in data["sent"]]
        heard = [
            Measurement(np.array(row[2:], dtype=np.float64), None, None, None, -1, float(row[0]), float(row[1]), number)
            for number, row in enumerate(data["heard"])
        ]
        return Led(sent, heard, [Exchange(*map(float, row)) for row in data["exchanged"]])
    except (KeyError, TypeError, ValueError, IndexError):
        raise DataError(f"{path}: what was sent and heard is damaged; measure anew") from None


def heard_data(heard: DeviceHeard) -> dict[str, Any]:
    """For a file: times [s]."""
    return {"told": heard.told, "arrival": heard.arrival, "exchanged": [list(one) for one in heard.exchanged]}


def heard_of(path: Path, data: dict[str, Any]) -> DeviceHeard:
    """What `heard_data` was made of; a DataError if it makes no sense."""
    try:
        told, arrival = (np.array(data[name], dtype=np.float64) for name in ("told", "arrival"))
        return DeviceHeard(told, arrival, [Exchange(*map(float, row)) for row in data["exchanged"]])
    except (KeyError, TypeError, ValueError):
        raise DataError(f"{path}: what was heard is damaged; measure anew") from None
