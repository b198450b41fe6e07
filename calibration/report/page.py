"""`html`: one page about results, whatever was calibrated; it needs nothing else than itself."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape
from typing import Any

import numpy as np

from calibration.identify import Fixed
from calibration.report import plots
from calibration.results import Result
from calibration.units import SHOWN
from station.monitor.glyphs import number
from station.monitor.pages.sheet import SHEET

MOST_ROWS = 200
LONGEST = 200  # characters of a value


def html(results: Sequence[Result], earlier: Sequence[Result] = ()) -> bytes:
    """A page with everything inside: a part for each result, and what else there is."""
    whom = results[0].subject
    what = results[0].method.capitalize() if len(results) == 1 else "Calibration"
    title = f"{what} of {whom.name or whom.id[:16]}"
    head = "<!doctype html>\n<html lang=en><meta charset=utf-8><meta name=viewport content='width=device-width'>\n"
    parts = [f"{head}<title>{escape(title)}</title>\n<style>{SHEET}</style>\n<main>"]
    if len(results) > 1:
        entries = "".join(f"<li><a href='#{one.id}'>{escape(one.method)}</a>" for one in results)
        parts.append(f"<h1>{escape(title)}</h1>\n<ul>{entries}</ul>")
    for result in results:
        parts += _section(title if len(results) == 1 else result.method.capitalize(), result)
    parts.append(_earlier(earlier))
    return "\n".join([*(part for part in parts if part), "</main></html>\n"]).encode()


def _section(title: str, result: Result) -> list[str]:
    parts = [_header(title, result), *_held_back(result.values)]
    for name, judgement in judgements(result.values):
        parts += _judged(name, judgement, str(result.values.get("against", "the nominal values")))
    return [*parts, _values(result.values), _origin(result)]


def judgements(values: dict[str, Any], name: str = "") -> Iterator[tuple[str, dict[str, Any]]]:
    """Everything in a result that was judged, with a name if there are several."""
    for key, value in values.items():
        if not isinstance(value, dict):
            continue
        if {"parameters", "residuals", "chi_square"} <= set(value):
            yield name if key == "judgement" else f"{name} {key}".strip(), value
        else:
            yield from judgements(value, f"{name} {key}".strip())


def _header(title: str, result: Result) -> str:
    serial = result.values.get("serial_number")
    whom = f"{result.subject}" + (f", arm {serial}" if serial else "")
    emulated = any(str(one).startswith("SIM-") for one in (serial, result.subject.id))
    badge = " · <b class=emulated>EMULATED</b>" if emulated else ""
    return f"<h1 id='{result.id}'>{escape(title)}</h1>\n<p class=sub>{escape(result.date)} · {escape(whom)}{badge}</p>"


def _tiles(tiles: list[tuple[str, str, str]]) -> str:
    cells = "".join(f"<div><b>{value}</b> {unit}<small>{escape(what)}</small></div>" for value, unit, what in tiles)
    return f"<div class=tiles>{cells}</div>"


def _held_back(values: dict[str, Any]) -> list[str]:
    errors = values.get("held_back")
    if not isinstance(errors, dict) or not errors.get("after"):
        return []
    factor, unit = SHOWN.get(str(errors["unit"]), (1.0, str(errors["unit"])))
    sizes = {name: factor * np.abs(np.array(errors[name], dtype=np.float64)) for name in ("before", "after")}
    before, after = (float(np.sqrt(np.mean(one**2))) for one in sizes.values())
    tiles = [
        (f"{before:.3g}", unit, "error before, root mean square"),
        (f"{after:.3g}", unit, "error after, on data held back"),
        (f"{before / max(after, 1e-300):.3g}", "×", "better"),
        (f"{float(sizes['after'].max()):.3g}", unit, "largest error after"),
    ]
    svg = plots.drawn("Held-back errors", 2.5, plots.held_back(errors))
    against = str(values.get("against", "nominal values, at their best place"))
    about = f"Each part of the data was predicted from an estimate that had not seen it; before: {against}."
    return [_tiles(tiles), _figure("Errors on held-back data", about, svg)]


def _judged(name: str, judgement: dict[str, Any], against: str) -> list[str]:
    told = {key: float(judgement[key]) for key in ("noise", "chance", "condition")}
    free = [one for one in judgement["parameters"] if not one["fixed"]]
    left = judgement.get("freedom", 1) != 0
    tiles = [
        (f"{judgement['observations']}", "", "observations"),
        (f"{len(judgement['outliers'])}", "", "left out as outliers"),
        (f"{len(free)}", f"of {len(judgement['parameters'])}", "parameters told"),
        (f"{told['noise']:.3g}", "×", "noise, of what was stated")
        if left
        else ("–", "", "nothing left to judge noise by"),
        (f"{told['chance']:.2g}" if left else "–", "", "chance of such residuals"),
        (f"{told['condition']:.3g}", "", "condition"),
    ]
    height, draw = plots.parameters(judgement)
    return [
        f"<h2>{escape(name)}</h2>" if name else "",
        _tiles(tiles),
        _figure(
            "Residuals",
            "Per observation, in standard deviations of the stated noise: 1 is what noise alone leaves.",
            plots.drawn(f"Residuals {name}".strip(), 2.6, plots.residuals(judgement)),
        ),
        _figure("Parameters", f"What was found, against {against}.", plots.drawn(f"Parameters {name}", height, draw))
        if free
        else "",
        _figure(
            "Identifiability",
            "Singular values of the parameters' columns, each of length 1; largest over smallest is the condition.",
            plots.drawn(f"Identifiability {name}".strip(), 1.9, plots.identifiability(judgement)),
        )
        if judgement.get("singular_values")
        else "",
        _alike(judgement),
        _fixed(judgement),
        _table(judgement),
    ]


def _figure(title: str, caption: str, svg: str) -> str:
    return f"<figure><h2>{escape(title)}</h2><figcaption>{escape(caption)}</figcaption>\n{svg}</figure>"


def _fixed(judgement: dict[str, Any]) -> str:
    if not judgement["fixed"]:
        return ""
    rows = "".join(f"<tr><th>{escape(str(one['name']))}<td>{escape(Fixed(**one).reason)}" for one in judgement["fixed"])
    return f"<h2>Fixed at nominal values</h2>\n<table class=facts>{rows}</table>"


def _alike(judgement: dict[str, Any]) -> str:
    if not judgement["alike"]:
        return ""
    rows = "".join(
        f"<tr><td>{escape(a)}<td>{escape(b)}<td class=number>{share:+.4f}" for a, b, share in judgement["alike"]
    )
    return f"<h2>Hardly told apart</h2>\n<table><tr><th>this<th>and this<th>correlation{rows}</table>"


def _table(judgement: dict[str, Any]) -> str:
    rows = []
    for one in judgement["parameters"][:MOST_ROWS]:
        factor, unit = SHOWN.get(str(one["unit"]), (1.0, str(one["unit"])))
        nominal, value = factor * float(one["nominal"]), factor * float(one["value"])
        spread = "fixed" if one["fixed"] else f"± {number(factor * float(one['deviation']), 5)}"
        change = "" if one["fixed"] else f"{value - nominal:+.5f}"
        rows.append(
            f"<tr><th>{escape(str(one['name']))}<td class=number>{nominal:.5f}<td class=number>{value:.5f}"
            f"<td class=number>{change}<td class=number>{spread}<td>{escape(unit)}"
        )
    top = "<tr><th>parameter<th>nominal<th>estimate<th>change<th>standard deviation<th>unit"
    return f"<details><summary>All parameters ({len(rows)})</summary><table>{top}{''.join(rows)}</table></details>"


def _values(values: dict[str, Any]) -> str:
    """What was found, as far as it can be read."""
    left_out = {"held_back", "judgement", "mad", "covariance", "before", "after"}
    rows = []
    for name, value in values.items():
        if name in left_out or (isinstance(value, dict) and next(judgements({name: value}), None)):
            continue
        text = _words(value)
        if text:
            rows.append(f"<tr><th>{escape(name.replace('_', ' '))}<td>{text}")
    return f"<h2>Values</h2>\n<table class=facts>{''.join(rows)}</table>" if rows else ""


def _words(value: Any) -> str:
    if isinstance(value, list) and value and all(isinstance(row, list) for row in value):
        return "<br>".join(escape("  ".join(_one(one) for one in row)) for row in value[:8])
    if isinstance(value, list) and value and all(isinstance(row, dict) for row in value):
        names = list(value[0])
        rows = "".join("<tr>" + "".join(f"<td>{_words(row.get(name))}" for name in names) for row in value[:MOST_ROWS])
        return f"<table><tr>{''.join(f'<th>{escape(str(name))}' for name in names)}{rows}</table>"
    if isinstance(value, dict):
        rows = "".join(f"<tr><th>{escape(str(key))}<td>{_words(one)}" for key, one in value.items())
        return f"<table class=facts>{rows}</table>" if rows else ""
    return escape(_one(value)[:LONGEST])


def _one(value: Any) -> str:
    if isinstance(value, float):
        return f"{value:.6g}"
    return ", ".join(_one(one) for one in value) if isinstance(value, list) else str(value)


def _origin(result: Result) -> str:
    facts = {
        "result": result.id,
        "method": result.method,
        "belongs to": f"{result.subject.kind} {result.subject.id}",
        "data": f"SHA-256 {result.data_hash}",
        "date": result.date,
    }
    rows = "".join(f"<tr><th>{name}<td>{escape(text)}" for name, text in facts.items())
    return f"<h2>Where it comes from</h2>\n<table class=facts>{rows}</table>"


def _earlier(earlier: Sequence[Result]) -> str:
    if not earlier:
        return ""
    rows = "".join(f"<tr><td>{escape(one.date)}<td>{one.id}<td>{escape(one.method)}" for one in earlier)
    return f"<h2>Other results in this file</h2>\n<table><tr><th>date<th>result<th>method{rows}</table>"
