"""Pictures of README and manual: they are there, they move, and they are not too large."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from station.view.panels import LIVE, PANELS, Panel
from station.view.panels.live_pictures import SIZES, write_gif
from station.view.panels.task import TaskPanel

ROOT = Path(__file__).parents[2]
LARGEST = 2_000_000  # bytes
PICTURE = re.compile(r"!\[[^]]+\]\(([^)]+)\)")


def test_the_readme_opens_with_one_animation_and_one_picture() -> None:
    opening = (ROOT / "README.md").read_text(encoding="utf8").partition("\n## ")[0]
    film, picture = (ROOT / name for name in PICTURE.findall(opening))
    assert film.stat().st_size < LARGEST
    with Image.open(film) as image:
        assert getattr(image, "n_frames", 1) > 50
        first = np.asarray(image.convert("RGB"), float)
        image.seek(30)
        assert np.abs(np.asarray(image.convert("RGB"), float) - first).max() > 50.0
    with Image.open(picture) as image:
        assert getattr(image, "n_frames", 1) == 1


@pytest.mark.parametrize("panel", LIVE)
def test_every_panel_has_its_picture_in_the_manual(panel: type[Panel]) -> None:
    manual = ROOT / "docs" / "view_live.md"
    name = f"pictures/live-{panel.title.lower()}.png"
    assert name in PICTURE.findall(manual.read_text(encoding="utf8"))
    assert panel.key in manual.read_text(encoding="utf8")
    with Image.open(manual.parent / name) as image:
        width, height = SIZES[panel.title]
        assert image.width >= width  # letters may need more
        assert image.height == height


@pytest.mark.parametrize("panel", [*PANELS, TaskPanel])
def test_the_page_about_the_view_shows_every_panel_with_its_key(panel: type[Panel]) -> None:
    page = ROOT / "docs" / "view.md"
    (row,) = (line for line in page.read_text(encoding="utf8").splitlines() if line.startswith(f"| {panel.title} ("))
    assert f"({panel.key})" in row
    (name,) = PICTURE.findall(row)
    assert (page.parent / name).is_file()


def test_an_animation_goes_round_and_keeps_its_time(tmp_path: Path) -> None:
    frames = [np.full((20, 30, 3), 12 * number, np.uint8) for number in range(10)]
    write_gif(tmp_path / "film.gif", frames, 0.06)
    with Image.open(tmp_path / "film.gif") as image:
        assert image.info["loop"] == 0
        assert image.info["duration"] == 60
        assert getattr(image, "n_frames", 1) == 10
        image.seek(9)
        assert abs(int(np.asarray(image.convert("RGB"))[5, 5, 0]) - 108) < 4
