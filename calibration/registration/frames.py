"""Where frames are now, as tasks take it: `station task move --calibration FILE`; a file keeps its other frames."""

from __future__ import annotations

import hashlib
import json
import os
from pathlib import Path

import numpy as np

from calibration.errors import ResultFileError
from calibration.parameters import Floats
from station.tasks.task import TaskError, read_calibration


def write_frames(path: str | Path, name: str, pose: Floats) -> str:
    """Put a frame into a file of frames, new or there already; returns the id of what is in it now.

    A ResultFileError if the file holds something else; it is left as it is then.
    """
    path = Path(path)
    frames: dict[str, list[list[float]]] = {}
    if path.exists():
        try:
            frames = {key: np.asarray(one).tolist() for key, one in read_calibration(path).frames.items()}
        except TaskError as error:
            raise ResultFileError(f"{error}; give another name") from None
    frames[name] = np.asarray(pose).tolist()
    identity = hashlib.sha256(json.dumps(frames, sort_keys=True).encode()).hexdigest()[:16]
    unfinished = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        unfinished.write_text(json.dumps({"id": identity, "frames": frames}, indent=1) + "\n", encoding="utf8")
        unfinished.replace(path)
    except OSError as error:
        raise ResultFileError(f"{path}: cannot be written: {error.strerror or error}") from None
    finally:
        unfinished.unlink(missing_ok=True)
    return identity
