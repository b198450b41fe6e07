"""The page that a run leaves behind."""

from __future__ import annotations

import math
import re
import struct
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path
from xml.etree import ElementTree

import pytest

from station.monitor import Collector, ReportError, ReportKindError, Run, Summary, report
from station.servo.shared import Cause, Event, ServoState, StateReader, StateWriter

MOST_BYTES = 1_500_000


@pytest.fixture(scope="module")
def page(run: Run, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return report(run, tmp_path_factory.mktemp("report") / "run.html")


class Outline(HTMLParser):
    """Texts and attributes of a page."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.texts: list[str] = []
        self.links: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.links += [value or "" for name, value in attrs if name in ("src", "href", "xlink:href")]

    def handle_data(self, data: str) -> None:
        self.texts.append(data.strip())


def outline(path: Path) -> Outline:
    made = Outline()
    made.feed(path.read_text(encoding="utf8"))
    return made


def test_a_page_needs_nothing_else(page: Path) -> None:
    found, text = outline(page), page.read_text(encoding="utf8")
    assert page.stat().st_size < MOST_BYTES
    assert "script" not in found.tags
    assert "link" not in found.tags
    assert all(link.startswith("#") for link in found.links)
    assert "@import" not in text
    assert not re.search(r"url\((?!#)", text)


def test_a_page_has_every_plot_and_fact(run: Run, page: Path) -> None:
    found = outline(page)
    text = "\n".join(found.texts)
    assert found.tags.count("svg") == 7
    for title in ("Tracking", "Forces on the hand by cause", "Energy", "Joints", "Stages of a tick"):
        assert title in found.texts
    for line in Summary.of(run).text.splitlines():
        assert line[11:] in text
    for word in ("EMULATED", Event.HAPTICS_FAULT.words, "x [mm]", "force [N]", "torque [N·m]", "by cause [mJ]"):
        assert word in text
    for cause in (Cause.COUPLING, Cause.SINGULARITY, Cause.PASSIVITY):
        assert cause.name.lower() in found.texts
    assert Cause.GUIDES.name.lower() not in found.texts  # nothing came of them
    for joint in run.bench.joints:
        assert joint.name in found.texts


def test_drawings_are_sound_and_share_no_names(page: Path) -> None:
    text = page.read_text(encoding="utf8")
    drawings = re.findall(r"<svg.*?</svg>", text, flags=re.DOTALL)
    names: list[str] = []
    for drawing in drawings:
        ElementTree.fromstring(re.sub(r"role=img aria-label='[^']*'", "", drawing))
        own = re.findall(r'id="([^"]*)"', drawing)
        assert set(re.findall(r"url\(#([^)]*)\)", drawing)) <= set(own)
        assert set(re.findall(r'href="#([^"]*)"', drawing)) <= set(own)
        names += own
    assert len(names) == len(set(names))


def test_labels_keep_all_their_digits(page: Path) -> None:
    assert "0.005" in outline(page).texts  # of the torque; coordinates have fewer digits


def test_the_same_run_gives_the_same_page(run: Run, page: Path, tmp_path: Path) -> None:
    assert report(run, tmp_path / "again.html").read_bytes() == page.read_bytes()


def test_a_picture_is_one_page(run: Run, tmp_path: Path) -> None:
    path = report(run, tmp_path / "run.png")
    content = path.read_bytes()
    assert content.startswith(b"\x89PNG")
    width, height = struct.unpack(">II", content[16:24])
    assert 900 <= width <= 1500
    assert height > 2 * width
    assert len(content) < MOST_BYTES


@pytest.mark.parametrize("name", ["run.html", "run.png"])
def test_an_empty_run_is_one_line(reader: StateReader, tmp_path: Path, name: str) -> None:
    path = report(Collector(reader).run(), tmp_path / name)
    if name.endswith("html"):
        page = outline(path)
        assert "svg" not in page.tags
        assert any("no tick was recorded" in text for text in page.texts)


@pytest.mark.parametrize("name", ["run.html", "run.png"])
@pytest.mark.parametrize("joints", [0, 1, 30])
def test_a_run_of_one_tick_without_a_number_can_be_drawn(folder: Path, tmp_path: Path, name: str, joints: int) -> None:
    with StateWriter(joints, {}, folder=folder) as writer, StateReader(writer.path) as state:
        for field in (
            "target_pose",
            "predicted_q",
            "wrench_parts",
            "wrench",
            "energy_rendered",
            "energy_parts",
            "spent",
        ):
            writer.shared.view(field)[...] = math.nan
        writer.shared.tick, writer.shared.view("state")[:], writer.shared.view("cause")[:] = 1, 99, 99
        writer.publish()
        collector = Collector(state)
        collector.poll()
        assert report(collector.run(), tmp_path / name).stat().st_size > 1000


def test_names_of_a_bench_cannot_break_the_page(folder: Path, tmp_path: Path) -> None:
    text = {"robot": "<script>alert(1)</script>", "joints": [{"name": "$x_1$ & <b>", "low": -1.0, "high": 1.0}]}
    with StateWriter(1, text, folder=folder) as writer, StateReader(writer.path) as state:
        for tick in range(1, 20):
            writer.shared.tick, writer.shared.state = tick, ServoState.ENGAGED
            writer.publish()
        collector = Collector(state)
        collector.poll()
        page = outline(report(collector.run(), tmp_path / "run.html"))
    assert "script" not in page.tags
    assert "$x_1$ & <b>" in page.texts


def test_numbers_on_axes_are_plain(page: Path) -> None:
    assert not any("\\" in text or "$" in text for text in outline(page).texts)


@pytest.mark.parametrize("name", ["run.pdf", "run", "run.html.gz"])
def test_other_kinds_of_report_are_refused_in_one_line(run: Run, tmp_path: Path, name: str) -> None:
    with pytest.raises(ReportKindError, match=r"a report ends in \.html or \.png"):
        report(run, tmp_path / name)


def test_a_place_that_cannot_be_written_is_told_in_one_line(run: Run, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", encoding="utf8")
    with pytest.raises(ReportError, match="cannot be written"):
        report(run, tmp_path / "file" / "run.html")
    (tmp_path / "run.html").mkdir()
    with pytest.raises(ReportError, match="is a folder; name a file in it"):
        report(run, tmp_path / "run.html")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["file", "run.html"]  # nothing half-made is left


def test_without_the_plot_library_there_is_one_line(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in sys.modules if name.startswith("station.monitor.pages")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(ReportError, match="install it with: pip install matplotlib"):
        report(run, tmp_path / "run.html")


def test_watching_does_not_load_the_plot_library() -> None:
    code = "import sys, station.monitor; sys.exit('matplotlib' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
