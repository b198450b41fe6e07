"""`Viewpoints`: places to look from that a person has given a name, kept in a small file of the user's settings."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import numpy as np

from station.atomic import whole_file
from station.json_reader import JsonError, read_json
from station.view.camera import TOOL_VIEW, VIEWPOINTS, Camera, PoseCamera
from station.view.errors import ViewpointFileError, ViewRequestError

FILE = "viewpoints.json"
FOLDER = "STATION_VIEW_SETTINGS"  # environment variable with another folder than the usual one
LONGEST = 40  # letters of a name
NUMBERS = ("distance", "azimuth", "elevation", "opening")


def usual_folder() -> Path:
    """Folder of what the view remembers."""
    given = os.environ.get(FOLDER)
    if given:
        return Path(given)
    return Path(os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config") / "haptic-station"


class Viewpoints:
    """Named viewpoints of one scene; other scenes have theirs in the same file.

    Args:
        scene: name of the scene.
        folder: where the file is; the user's if not given.
    """

    def __init__(self, scene: str, folder: Path | None = None) -> None:
        self._scene, self._folder = scene, folder

    @property
    def path(self) -> Path:
        """The file; it need not be there."""
        return (self._folder or usual_folder()) / FILE

    def names(self) -> tuple[str, ...]:
        """Of all viewpoints of this scene, in order; raises ViewpointFileError."""
        return tuple(sorted(self._read().get(self._scene, {})))

    def save(self, name: str, camera: Camera) -> None:
        """Keep where a camera is, under a name; one of that name is replaced.

        Raises:
            ViewRequestError: if the name cannot be used.
            ViewpointFileError: if the file cannot be read or written.
        """
        kept = name.strip()
        if not kept or len(kept) > LONGEST or not kept.isprintable():
            raise ViewRequestError(f"a viewpoint has a name of 1 to {LONGEST} letters, not {name!r}")
        if kept in (*VIEWPOINTS, TOOL_VIEW):
            raise ViewRequestError(f"'{kept}' is a viewpoint that is always there; give yours another name")
        known = self._read()
        known.setdefault(self._scene, {})[kept] = _numbers(camera)
        self._write(known)

    def camera(self, name: str) -> Camera:
        """A camera at a kept viewpoint; raises ViewRequestError that lists them, or ViewpointFileError."""
        known = self._read().get(self._scene, {})
        if name not in known:
            there = ", ".join([*VIEWPOINTS, TOOL_VIEW, *sorted(known)])
            raise ViewRequestError(f"no viewpoint '{name}'; there are: {there}")
        try:
            return _camera(known[name])
        except (KeyError, TypeError, ValueError):
            raise ViewpointFileError(f"{self.path}: viewpoint '{name}' cannot be used; save it anew") from None

    def remove(self, name: str) -> None:
        """Forget a viewpoint; one that is not there is no trouble."""
        known = self._read()
        if known.get(self._scene, {}).pop(name, None) is not None:
            self._write(known)

    def _read(self) -> dict[str, dict[str, Any]]:
        try:
            found = read_json(self.path)
        except FileNotFoundError:
            return {}
        except OSError as error:
            raise ViewpointFileError(
                f"{self.path}: cannot be read ({error.strerror}); move it away to begin anew"
            ) from None
        except JsonError as error:
            raise ViewpointFileError(f"{error}; move it away to begin anew") from None
        if not isinstance(found, dict) or not all(isinstance(views, dict) for views in found.values()):
            raise ViewpointFileError(f"{self.path}: holds no viewpoints; move it away to begin anew")
        return found

    def _write(self, known: dict[str, dict[str, Any]]) -> None:
        """All or nothing: a reader never meets half a file."""
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            with whole_file(self.path) as file:
                file.write(json.dumps(known, indent=1, ensure_ascii=False).encode())
        except OSError as error:
            raise ViewpointFileError(f"{self.path}: cannot be written ({error.strerror or error})") from None


def _numbers(camera: Camera) -> dict[str, Any]:
    kept: dict[str, Any] = {name: float(getattr(camera, name)) for name in NUMBERS}
    kept["centre"] = [float(value) for value in camera.centre]
    if isinstance(camera, PoseCamera):
        kept["pose"] = camera.pose.tolist()
        kept["mount"] = camera.mount.tolist()
        kept["carrier"] = list(camera.carrier) if camera.carrier is not None else None
    return kept


def _camera(kept: dict[str, Any]) -> Camera:
    numbers = {name: float(kept[name]) for name in NUMBERS}
    centre = _array(kept["centre"], (3,))
    if not np.isfinite(list(numbers.values())).all() or numbers["distance"] <= 0.0:
        raise ValueError("not a camera")
    if "pose" not in kept:
        return Camera(centre=centre, **numbers)
    carrier = (str(kept["carrier"][0]), int(kept["carrier"][1])) if kept["carrier"] is not None else None
    pose, mount = _array(kept["pose"], (4, 4)), _array(kept["mount"], (4, 4))
    return PoseCamera(centre=centre, **numbers, pose=pose, carrier=carrier, mount=mount)


def _array(values: Any, shape: tuple[int, ...]) -> np.ndarray:
    found = np.array(values, np.float64)
    if found.shape != shape or not np.isfinite(found).all():
        raise ValueError("not a place")
    return found
