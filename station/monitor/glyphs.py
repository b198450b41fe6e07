"""Small pictures out of letters: bars, joints between their stops, numbers that keep their width."""

from __future__ import annotations

import math

from rich.text import Text

EIGHTHS = " ▏▎▍▌▋▊▉█"
NOT_KNOWN = "–"
PLAIN = str.maketrans("▏▎▍▌▋▊▉█─├┤●○·°µ–…→", ":::==###-|||o.du-.>")  # for terminals without these letters


def number(value: float, digits: int = 1, width: int = 0) -> str:
    """A number with some digits after the point, right-aligned; a dash if it is none."""
    text = f"{value:.{digits}f}" if math.isfinite(value) and abs(value) < 1e9 else NOT_KNOWN
    return f"{text.removeprefix('-') if float_is_zero(text) else text:>{width}}"


def short(value: float) -> str:
    """A number with two digits after the point, or none if it is large."""
    return number(value, 2 if abs(value) < 100.0 else 0)


def float_is_zero(text: str) -> bool:
    """Whether a text shows zero, be it "-0.00"."""
    return not text.strip("-0.")


def clock(seconds: float) -> str:
    """Minutes and seconds; hours if there are any."""
    if not math.isfinite(seconds):
        return NOT_KNOWN
    minutes, rest = divmod(max(seconds, 0.0), 60.0)
    hours, minutes = divmod(int(minutes), 60)
    return f"{hours}:{minutes:02d}:{rest:04.1f}" if hours else f"{minutes:02d}:{rest:04.1f}"


def age(seconds: float) -> str:
    """How old something is, in a unit that fits."""
    if not math.isfinite(seconds) or seconds > 1e6:
        return NOT_KNOWN
    if seconds < 1.0:
        return f"{1e3 * seconds:.{1 if seconds < 0.1 else 0}f} ms"
    return f"{seconds:.1f} s"


def bar(share: float, width: int, style: str) -> Text:
    """A bar that fills a share of its width, 0 to 1, to an eighth of a letter."""
    share = min(max(share, 0.0), 1.0) if math.isfinite(share) else 0.0
    whole, rest = divmod(round(share * width * 8), 8)
    return Text(("█" * whole + (EIGHTHS[rest] if rest else "")).ljust(width), style)


def track(share: float, width: int, style: str) -> Text:
    """A place between two ends, 0 to 1; the end it touches is drawn in the style, too."""
    inner = max(width - 2, 1)
    text = Text("├" + "─" * inner + "┤", "dim")
    if math.isfinite(share):
        spot = 1 + min(max(round(share * (inner - 1)), 0), inner - 1)
        text = Text.assemble(text[:spot], ("●", style), text[spot + 1 :])
    return text


def spread(width: int, left: Text, right: Text) -> Text:
    """Two texts at both ends of a line; the left one gives way."""
    left = left.copy()
    left.truncate(max(width - right.cell_len - 1, 0), overflow="ellipsis", pad=True)
    return Text.assemble(left, " ", right) if right.cell_len else left


def fitted(text: Text, width: int) -> Text:
    """Exactly so wide."""
    text = text.copy()
    text.truncate(width, overflow="ellipsis", pad=True)
    return text
