"""Panels of the design study against stored pictures; to store them anew: `python -m tests.view.test_panel_pictures`.

Letters differ from machine to machine, so pictures are compared as they look from afar, and small parts may differ.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from PySide6 import QtCore, QtGui

from station.view.panels.design_pictures import device, links, postures
from tests.view.test_stored import STORED, image_of

NAMES = ("design-window", "design-link", "design-postures", "design-device")
BLOCK = 12  # pixels that are taken as one
SMALL = (590, 370)  # of a stored window [px]
DIFFERENT = 40.0  # of 255, from which a block is another one
ALLOWED = 0.03  # part of the blocks that may be others


def drawn(folder: Path) -> None:
    """All pictures that are stored."""
    for picture in (links, postures, device):
        with tempfile.TemporaryDirectory() as place:
            picture(folder, Path(place))
    for name in NAMES:
        image = QtGui.QImage(str(folder / f"{name}.png"))
        if image.width() > SMALL[0]:
            smooth = QtCore.Qt.TransformationMode.SmoothTransformation
            image.scaled(*SMALL, QtCore.Qt.AspectRatioMode.IgnoreAspectRatio, smooth).save(str(folder / f"{name}.png"))


@pytest.fixture(scope="module")
def pictures(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    folder = tmp_path_factory.mktemp("pictures")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("QT_QPA_PLATFORM", "offscreen")
        drawn(folder)
        yield folder


def from_afar(image: NDArray[np.uint8]) -> NDArray[np.float64]:
    """Means of blocks."""
    height, width = (side - side % BLOCK for side in image.shape[:2])
    blocks = image[:height, :width].reshape(height // BLOCK, BLOCK, width // BLOCK, BLOCK, 3)
    return np.asarray(blocks.mean(axis=(1, 3)))


def difference(one: NDArray[np.uint8], two: NDArray[np.uint8]) -> float:
    """Part of the blocks that are others."""
    return float((np.abs(from_afar(one) - from_afar(two)).max(axis=2) > DIFFERENT).mean())


@pytest.mark.parametrize("name", NAMES)
def test_it_looks_as_it_did(pictures: Path, name: str) -> None:
    seen, wanted = image_of(pictures / f"{name}.png"), image_of(STORED / f"{name}.png")
    assert seen.shape == wanted.shape
    assert difference(seen, wanted) <= ALLOWED


def test_another_panel_would_be_noticed() -> None:
    postures_seen, link_seen = (image_of(STORED / f"{name}.png") for name in ("design-postures", "design-link"))
    height, width = (min(a, b) for a, b in zip(postures_seen.shape[:2], link_seen.shape[:2], strict=True))
    assert difference(postures_seen[:height, :width], link_seen[:height, :width]) > 2.0 * ALLOWED


if __name__ == "__main__":
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    drawn(STORED)
