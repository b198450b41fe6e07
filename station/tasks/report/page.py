"""`sections`: what a page about a recorded run says of the recording. HTML with everything inside."""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping, Sequence
from html import escape
from typing import NamedTuple

from station.json_reader import parse_json
from station.tasks.recording.channels import EVENTS
from station.tasks.recording.facts import calibrations_in
from station.tasks.replay.ticks import Ticks
from station.tasks.report import plots
from station.tasks.report.curves import Curves

MOST_EVENTS = 200
LONGEST = 300  # characters of a value in a table


class Picture(NamedTuple):
    """A picture of the robot."""

    caption: str
    png: bytes


def sections(ticks: Ticks, curves: Curves, pictures: Sequence[Picture], notes: Sequence[str] = ()) -> str:
    """Parts of the page, in the order in which they are read."""
    parts = [
        _pictures(pictures, notes),
        _plot("Way of the followed frame", "From above and from the side.", plots.way(curves)),
        _plot(
            "Arm against predicted robot",
            "Distance of the followed frame, and largest difference of a joint between setpoint and measurement.",
            plots.arm(curves),
        ),
        _plot(
            "Margins",
            "Distance from singularities (0 is one), from the nearest obstacle, and how old samples and measurements "
            "were when they were used.",
            plots.margins(curves),
        ),
        _events(ticks),
        _origin(ticks),
    ]
    return "\n".join(part for part in parts if part)


def heading(ticks: Ticks) -> str:
    """Over the sections of one part among several."""
    return f"<h1>{escape(ticks.name)}: the recording</h1>"


def _pictures(pictures: Sequence[Picture], notes: Sequence[str]) -> str:
    if not pictures and not notes:
        return ""
    shown = "".join(
        f"<figure style='flex:1 1 16rem;margin:0'><figcaption>{escape(caption)}</figcaption>"
        f"<img alt='{escape(caption, quote=True)}' style='width:100%;height:auto' "
        f"src='data:image/png;base64,{base64.b64encode(png).decode()}'></figure>"
        for caption, png in pictures
    )
    told = "".join(f"<p class=sub>{escape(note)}</p>" for note in notes)
    row = "display:flex;flex-wrap:wrap;gap:.8rem;margin:.6rem 0 1.2rem"
    return f"<h2>The robot</h2>\n<div style='{row}'>{shown}</div>{told}"


def _plot(title: str, caption: str, svg: str) -> str:
    return f"<figure><h2>{escape(title)}</h2><figcaption>{escape(caption)}</figcaption>\n{svg}</figure>"


def _events(ticks: Ticks) -> str:
    if EVENTS not in ticks.recording.channels:
        return ""
    events = ticks.recording.messages(EVENTS)
    rows = "".join(
        f"<tr><td class=number>{(event['log_time'] - ticks.start_ns) * 1e-9:.3f} s<td>{escape(event['kind'])}"
        f"<td>{escape(event['text'])}\n"
        for event in events[:MOST_EVENTS]
    )
    more = f"<tr><td colspan=3>and {len(events) - MOST_EVENTS} more" if len(events) > MOST_EVENTS else ""
    return (
        f"<details><summary>Events ({len(events)})</summary><table class=spells><tr><th>at<th>of<th>what\n{rows}{more}"
        "</table></details>"
    )


def _origin(ticks: Ticks) -> str:
    """Where the numbers come from."""
    recording = ticks.recording
    facts = {
        "file": recording.path.name,
        "sha256": recording.content_hash,
        "channels": ", ".join(f"{name} {count}" for name, count in recording.counts.items()),
        "attached": ", ".join(recording.attachments) or "nothing",
        **{name: _words(recording.metadata.get(name, {})) for name in ("end", "run", "seeds", "versions")},
    }
    for used in calibrations_in(recording.metadata.get("calibration", {})):
        facts[f"calibrated {used.name}"] = ", ".join(f"{key} {value}" for key, value in used.told.items())
    if "recovered" in recording.metadata:
        facts["recovered"] = _words(recording.metadata["recovered"])
    if ticks.missing:
        facts["not recorded"] = ", ".join(ticks.missing)
    rows = "".join(f"<tr><th>{escape(name)}<td>{escape(text[:LONGEST])}\n" for name, text in facts.items() if text)
    return f"<h2>Recording</h2>\n<table class=facts>{rows}</table>"


def _words(values: Mapping[str, str]) -> str:
    return ", ".join(f"{key}: {_plain(value)}" for key, value in values.items() if value not in ("", "none"))


def _plain(value: str) -> str:
    try:
        told = parse_json(value, "")
    except ValueError:
        return value
    return value if isinstance(told, int | float | str) else json.dumps(told)
