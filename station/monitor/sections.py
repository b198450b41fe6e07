"""The parts of the dashboard: each is a list of lines of a given width."""

from __future__ import annotations

import math
from collections.abc import Sequence

from rich.text import Text

from station.monitor.bench import BenchJoint, readable
from station.monitor.glyphs import NOT_KNOWN, age, bar, clock, number, short, spread, track
from station.monitor.moment import Moment
from station.servo.pacing import Measure
from station.servo.shared import Cause

STYLES = {
    "OFF": "bold white on #5c6370",
    "READY": "bold white on #2f6fb0",
    "ENGAGED": "bold white on #2e8b57",
    "HOLD": "bold black on #d7a520",
    "FAULT": "bold white on #c0392b",
}
ALARM = STYLES["FAULT"]
EMULATED = STYLES["HOLD"]
GOOD, WARN, BAD, LABEL, TITLE, FORCE = "#4caf7a", "#d7a520", "#e05a4b", "dim", "bold", "#5fa8d3"
LABEL_WIDTH = 10
LEAST_SPEED = 0.005  # part of a joint's limit that is worth a number
ROOMY = 48  # a block of this width has room for more words
SILENT_FORCE = 5e-4  # shown as zero [N]


def header(moment: Moment, width: int) -> list[Text]:
    """State in big letters with its cause, what is not real; if something is wrong, its reason, what to do, signs."""
    word, hint = moment.headline
    badge = Text(f"  {' '.join(word)}  ", STYLES.get(word, ALARM))
    left = Text.assemble(badge, "  ", (hint, "bold" if word == "FAULT" else ""))
    first = spread(width, left, Text(clock(moment.now), "bold"))
    emulated = moment.emulated
    second = Text()
    second.append(" EMULATED " if emulated else "nothing emulated", EMULATED if emulated else LABEL)
    second.append(f" {', '.join(emulated)}", WARN)
    arm = moment.bench.controller if moment.bench.has_controller else "no arm: the predicted robot alone"
    second.append(f"  {moment.bench.device} · {arm}", LABEL)
    told = [Text(f"→ {moment.what_next}", WARN)] if moment.what_next else []
    together = "; ".join(moment.signs)
    told += [Text(line, WARN) for line in ([together] if 0 < len(together) <= width else moment.signs)]
    told += [Text(moment.said, "bold")] if moment.said else []
    reason = [Text(f"reason: {moment.reason}", BAD)] if moment.reason else []
    return [first, spread(width, second, Text(moment.bench.title, LABEL)), *reason, *(told or [Text()])]


def forces(moment: Moment, width: int, rows: int) -> list[Text]:
    """The force on the hand, and a bar for each cause."""
    total = f"{number(moment.force, 2)} N  {number(moment.torque, 3)} N·m"
    name = "Force on the hand" + (f", bars to {moment.scale:g} N" if width >= ROOMY + 6 else "")
    lines = [_title(name, width, Text(total, "bold"))]
    causes, parts = list(Cause), moment.parts
    if len(causes) > rows - 1:  # the quiet ones go first
        shown = sorted(causes, key=lambda cause: cause not in moment.seen)[: max(rows - 1, 0)]
        causes = [cause for cause in causes if cause in shown]
    room = max(width - 22, 4)
    for cause in causes:
        size = parts[cause]
        quiet = not size > SILENT_FORCE
        text = Text(f"{readable(cause.name):<13.13} ", "dim" if quiet else "")
        text.append_text(bar(size / moment.scale, room, FORCE))
        shown_size = "·" if quiet and not math.isnan(size) else f"{number(size, 2)} N"
        lines.append(spread(width, text, Text(f"{shown_size:>7}", "dim" if quiet else "")))
    return lines


def joints(moment: Moment, width: int, rows: int) -> list[Text]:
    """Every joint between its stops, and how fast it is: in per cent of its own limit, if it has one."""
    known = moment.bench.joints
    lines = [_title("Joints", width, Text(", ".join(moment.acting), WARN))]
    room = max(rows - 1, 0)
    shown = known if len(known) <= room else known[: max(room - 1, 0)]
    snapshot = moment.snapshot
    for joint, place, speed, acting in zip(
        known, snapshot.predicted_q, snapshot.predicted_v, snapshot.joint_acting, strict=True
    ):
        if len(lines) > len(shown):
            break
        lines.append(_joint(joint, float(place), float(speed), int(acting), width))
    if len(shown) < len(known) and room:
        lines.append(Text(f"… {len(known) - len(shown)} more", LABEL))
    return lines


def _joint(joint: BenchJoint, place: float, speed: float, acting: int, width: int) -> Text:
    part = abs(speed) / joint.speed  # not a number without a limit
    quick = f"{100.0 * part:3.0f} %" if part >= LEAST_SPEED else ""
    style, word = {-1: (BAD, "stop"), 1: (BAD, "stop"), 2: (WARN, "speed")}.get(acting, (GOOD, quick))
    name = 14 if width >= ROOMY else 9
    room = max(width - name - 10 - 6, 5)
    share = (place - joint.low) / (joint.high - joint.low) if joint.limited else math.nan
    shown = track(share, room, style) if joint.limited else Text(f"{'no stops':^{room}}", "dim")
    text = Text.assemble(f"{joint.name:<{name}.{name}}", shown, f"{number(joint.shown(place), 1, 7)}{joint.unit:<3}")
    return Text.assemble(text, (f" {word:<5}", style))


def hand(moment: Moment, width: int) -> list[Text]:
    """How well the robot follows, both ends of the chain, and energy."""
    apart, angle = moment.error
    snapshot = moment.snapshot
    device = f"{moment.device}  age {age(moment.real('hand_age'))}  lost {moment.whole('hand_lost')}"
    arm = "none"
    if moment.controller != "none":
        arm = f"{moment.controller}  age {age(moment.real('measured_age'))}"
    energy, springs = (number(1e3 * moment.real(name), 1) for name in ("energy_rendered", "energy_potential"))
    generated = 1e3 * moment.generated
    taken = 1e3 * float(snapshot.energy_parts[Cause.PASSIVITY])
    led = moment.bench.led.partition(",")[0]  # which frame; why was told at the start, and is in the summary
    return [
        _title("Hand and robot", width, Text(f"leads {led}", LABEL) if led else None),
        _row("tracking", f"{number(1e3 * apart, 2)} mm  {number(math.degrees(angle), 2)}° off target"),
        _row("device", device, _health(moment.device)),
        _row("arm", arm, _health(moment.controller)),
        *([_row("gripper", moment.gripper, _health(moment.gripper.partition(" ")[0]))] if moment.gripper else []),
        *([_row("episode", moment.episode)] if moment.episode else []),
        _row("energy", f"in {energy} mJ, springs {springs} mJ"),
        _row("generated", f"{number(generated, 3)} mJ", WARN if generated > 1.0 else ""),
        _row("passivity", f"took {number(taken, 2)} mJ, passes {_percent(moment.real('passivity_ratio'))}"),
        _row("records", f"{moment.records}  lost {moment.lost}" + _restarts(moment), WARN if moment.lost else ""),
    ]


def timing(moment: Moment, width: int) -> list[Text]:
    """Whether the servo keeps its time."""
    tick = [_micro(moment.percentile(Measure.TICK, place)) for place in (0, 2, 4)]
    late, skipped = moment.whole("late_ticks"), moment.whole("skipped_ticks")
    stages = ", ".join(f"{name} {count}" for name, count in moment.late_by_stage.items())
    wake = _micro(moment.percentile(Measure.WAKE_UP, 2))
    latency = f"p50 {short(moment.latency)} periods, {short(1e3 * moment.percentile(Measure.LATENCY, 0))} ms"
    return [
        _title("Time", width),
        _row("rate", f"{number(moment.rate, 0)} Hz, tick {moment.whole('tick')}"),
        _row("tick cost", f"p50 {tick[0]} p99 {tick[1]} max {tick[2]} µs"),
        _row("wake-up", f"p99 {wake} µs late"),
        _row("latency", latency, WARN if moment.latency > 1.2 else ""),
        _row("late", f"{late}" + (f"  {stages}" if stages else ""), WARN if late else ""),
        _row("skipped", f"{skipped}", WARN if skipped else ""),
        _row("stolen", f"{_percent(moment.steal, 1)} of the processors", WARN if moment.steal > 0.05 else ""),
    ]


def notes(moment: Moment) -> list[Text]:
    """What the operator should know."""
    return [Text(f"note: {note}", "dim italic") for note in moment.bench.notes]


def _title(text: str, width: int, right: Text | None = None) -> Text:
    right = right or Text()
    right.truncate(max(width - len(text) - 4, 0), overflow="ellipsis")
    rule = "─" * max(width - len(text) - right.cell_len - (2 if right.cell_len else 1), 0)
    return Text.assemble((f"{text} ", TITLE), (rule, "grey30"), " " if right.cell_len else "", right)


def _row(label: str, text: str, style: str = "") -> Text:
    return Text.assemble((f"{label:<{LABEL_WIDTH}}", LABEL), (text, style))


def _health(status: str) -> str:
    return {"ready": "", "active": "", "none": LABEL, "lost": BAD, "silent": BAD, "fault": BAD, "stopped": BAD}.get(
        status, WARN
    )


def _micro(seconds: float) -> str:
    return number(1e6 * seconds, 0)


def _percent(share: float, digits: int = 0) -> str:
    return f"{number(100.0 * share, digits)} %" if math.isfinite(share) else NOT_KNOWN


def _restarts(moment: Moment) -> str:
    return f"  restarted {moment.restarts}×" if moment.restarts else ""


def joined(blocks: Sequence[Sequence[Text]], widths: Sequence[int], gap: int = 3) -> list[Text]:
    """Blocks of lines side by side."""
    lines = []
    for index in range(max(len(block) for block in blocks)):
        line = Text()
        for block, width in zip(blocks, widths, strict=True):
            cell = block[index].copy() if index < len(block) else Text()
            cell.truncate(width, overflow="ellipsis", pad=True)
            line.append_text(cell).append(" " * gap)
        line.rstrip()
        lines.append(line)
    return lines
