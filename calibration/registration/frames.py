"""Where frames are now, as tasks take it: `station task move --calibration FILE`; a file keeps its other frames."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import numpy as np

from calibration.errors import ResultFileError
from calibration.parameters import Floats
from calibration.replacing import alone, replace_whole
from station.applied import Applied
from station.tasks.task import TaskError, read_calibration

FRAME = "frame "  # before the name of a frame: the part of a bench that a registration is of


def frames_in(path: Path) -> tuple[dict[str, Any], dict[str, Any]]:
    """Frames of a file and where they come from, none if there is no file; a ResultFileError if it is another one."""
    if not path.exists():
        return {}, {}
    try:
        held = read_calibration(path)
    except TaskError as error:
        raise ResultFileError(f"{error}; give another name") from None
    frames = {key: np.asarray(one).tolist() for key, one in held.frames.items()}
    return frames, {one.part.removeprefix(FRAME): one.told for one in held.applied if one.part.startswith(FRAME)}


def write_frames(path: str | Path, name: str, pose: Floats, source: Applied | None = None) -> str:
    """Put a frame into a file of frames, new or there already; returns the id of what is in it now.

    `source` is the result that it comes from: runs and recordings that use the frame tell of it. A ResultFileError if
    the file holds something else; it is left as it is then.
    """
    path = Path(path)
    with alone(path):
        frames, sources = frames_in(path)
        frames[name] = np.asarray(pose).tolist()
        sources.pop(name, None)
        if source is not None:
            sources[name] = source._replace(part=f"{FRAME}{name}").told
        identity = hashlib.sha256(json.dumps(frames, sort_keys=True).encode()).hexdigest()[:16]
        held = {"id": identity, "frames": frames, "sources": sources}
        replace_whole(path, json.dumps(held, indent=1, ensure_ascii=False))
    return identity
