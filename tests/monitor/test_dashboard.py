"""The dashboard on terminals of several sizes, and on none."""

from __future__ import annotations

import io
import math
import os
import re
import signal
import threading
import time
from dataclasses import replace
from pathlib import Path

import pytest
from rich.console import Console

from station.monitor import Collector, Dashboard, Ending, Summary
from station.monitor.dashboard import nice_scale
from station.monitor.plain import line_of
from station.servo.gripper import show
from station.servo.shared import (
    BilateralStatus,
    Cause,
    DeviceCode,
    Emulated,
    EpisodeState,
    Event,
    GripperCode,
    ServoState,
    ShowGripper,
    StateReader,
    StateWriter,
    Waiting,
)
from tests.monitor import synthetic

SIZES = [(80, 24), (72, 24), (100, 30), (123, 40), (124, 24), (200, 60), (40, 24), (80, 12), (20, 5)]


def shown(collector: Collector, width: int = 80, height: int = 24, encoding: str = "utf-8") -> str:
    file = io.TextIOWrapper(io.BytesIO(), encoding=encoding)
    console = Console(file=file, record=True, width=width, height=height, force_terminal=True, color_system="truecolor")
    console.print(Dashboard(collector, console).screen(), end="")
    file.flush()
    return console.export_text(styles=False)


@pytest.fixture
def collector(writer: StateWriter, reader: StateReader) -> Collector:
    """Watching a run of 10 s that has come to its third second."""
    synthetic.publish(writer, synthetic.rows(writer.layout, 1, 3000, 10.0))
    collector = Collector(reader)
    collector.poll()
    return collector


@pytest.mark.parametrize(("width", "height"), SIZES)
def test_it_fits_the_terminal(collector: Collector, width: int, height: int) -> None:
    lines = shown(collector, width, height).rstrip("\n").split("\n")
    assert len(lines) <= height
    assert max(map(len, lines)) <= width


@pytest.mark.parametrize(("width", "height"), [(80, 24), (124, 24), (200, 60)])
def test_everything_is_on_it(collector: Collector, width: int, height: int) -> None:
    text = shown(collector, width, height)
    wanted = ["E N G A G E D", "EMULATED", "device, hand", "no arm", "00:03.0", "1000 Hz", "periods", "lost 0", "mJ"]
    wanted += [joint.name for joint in collector.bench.joints]
    wanted += [cause.name.lower() for cause in Cause]
    wanted += ["tick cost", "wake-up", "late", "skipped", "stolen", "tracking", "passivity", "generated"]
    assert [word for word in wanted if word not in text] == []


@pytest.mark.parametrize(("width", "height"), [*SIZES, (160, 50)])
def test_the_gripper_and_the_episode_are_on_it_and_it_fits(
    writer: StateWriter, collector: Collector, width: int, height: int
) -> None:
    show(writer.shared, ShowGripper(GripperCode.READY, 0.0425, 0.04, True, True), writer.shared.time)
    writer.shared.episode, writer.shared.episode_state = 3, EpisodeState.RUNNING
    writer.write_task("pick it up")
    writer.publish()
    collector.poll()
    text = shown(collector, width, height)
    lines = text.rstrip("\n").split("\n")
    assert len(lines) <= height
    assert max(map(len, lines)) <= width
    if width >= 72 and height >= 24:
        assert "42.5 of 40.0 mm" in text
        assert "3 running" in text
    if width >= 160:
        assert "object detected" in text
        assert "pick it up" in text


def test_a_gripper_of_which_nothing_is_heard_is_silent(writer: StateWriter, collector: Collector) -> None:
    show(writer.shared, ShowGripper(GripperCode.READY, 0.04), writer.shared.time - 2.0)
    writer.publish()
    collector.poll()
    moment = Dashboard(collector, Console(file=io.StringIO())).moment()
    assert moment is not None
    assert moment.gripper == "silent"
    assert "gripper silent" in line_of(moment)


def test_numbers_come_from_the_servo(writer: StateWriter, collector: Collector) -> None:
    writer.shared.wrench[:] = [3.0, 4.0, 0.0, 0.0, 0.0, 0.0]
    writer.shared.wrench_parts[:] = 0.0
    writer.shared.wrench_parts[Cause.STOPS, :3] = [3.0, 4.0, 0.0]
    writer.shared.target_pose[:] = writer.shared.predicted_pose
    writer.shared.target_pose[0, 3] += 0.0123
    writer.publish()
    collector.poll()
    text = shown(collector)
    assert "5.00 N" in text.split("\n")[3]
    assert any("stops" in line and "5.00 N" in line and "█" in line for line in text.split("\n"))
    assert "12.30 mm" in text
    assert "p50 48 p99 91 max 192 µs" in text
    assert "p50 1.10 periods" in text


def test_the_speed_of_a_joint_is_told_in_parts_of_its_own_limit(writer: StateWriter, collector: Collector) -> None:
    limits = (2.0, 1.0, math.nan, 0.5, 0.5, 0.5, 0.5)
    known = [joint._replace(speed=limit) for joint, limit in zip(collector.bench.joints, limits, strict=True)]
    collector.bench = replace(collector.bench, joints=tuple(known))
    writer.shared.predicted_v[:] = [0.5, -0.5, 0.5, 0.001, 0.5, 0.0, 0.2]
    writer.shared.joint_acting[:] = [0, 0, 0, 0, 2, 0, 0]
    writer.publish()
    collector.poll()
    lines = [next(line for line in shown(collector).split("\n") if joint.name in line) for joint in known]
    told = [re.findall(r"(\d+ %|speed)", line)[:1] for line in lines]
    assert told == [["25 %"], ["50 %"], [], [], ["speed"], [], ["40 %"]]


def test_a_fault_is_shown_with_its_cause_and_what_to_do(writer: StateWriter, collector: Collector) -> None:
    writer.shared.state, writer.shared.cause = ServoState.FAULT, Event.ESTOP
    writer.shared.device_status = DeviceCode.LOST
    writer.publish()
    collector.poll()
    text = shown(collector)
    assert "F A U L T" in text
    assert Event.ESTOP.words in text
    assert Event.ESTOP.what_next.split(",")[0] in text
    assert "lost  age" in text


@pytest.mark.parametrize(
    ("told", "words"),
    [
        ({"dead_man": "the left button"}, "hold the left button to engage"),
        ({"dead_man": None}, "engage by command: this device has no button to hold"),
        ({}, "hold the dead-man to engage"),  # a servo that does not tell
    ],
)
def test_the_button_to_hold_is_named(folder: Path, told: dict[str, str | None], words: str) -> None:
    with (
        StateWriter(synthetic.JOINTS, synthetic.TEXT | told, folder=folder) as writer,
        StateReader(writer.path) as reader,
    ):
        writer.shared.state = ServoState.READY
        writer.shared.cause = Event.ALL_READY
        writer.shared.waiting = Waiting.PRESS
        writer.publish()
        collector = Collector(reader)
        collector.poll()
        assert words in shown(collector, 120, 40)
        moment = Dashboard(collector).moment()
        assert moment is not None
        assert moment.missing == words
        button = told.get("dead_man") or "the dead-man"
        writer.shared.state = ServoState.HOLD
        writer.shared.cause = Event.HOLD_ASKED
        writer.shared.waiting = Waiting.RELEASE
        writer.publish()
        collector.poll()
        moment = Dashboard(collector).moment()
        assert moment is not None
        assert moment.missing == f"let go of {button}, then hold it"
        assert moment.what_next == f"let go of {button} and press it again"
        assert Summary.of(collector.run()).data["dead_man"] == collector.bench.dead_man


@pytest.mark.parametrize(("width", "height"), SIZES)
def test_what_the_arm_says_of_a_fault_is_on_the_screen(
    writer: StateWriter, collector: Collector, width: int, height: int
) -> None:
    reason = "reflex: joint elbow met 61 N·m"
    writer.shared.state, writer.shared.cause = ServoState.FAULT, Event.ARM_STOPPED
    writer.write_reason(reason)
    writer.publish()
    collector.poll()
    lines = shown(collector, width, height).rstrip("\n").split("\n")
    assert len(lines) <= height
    assert f"reason: {reason}"[: width - 1] in lines[2]
    assert Event.ARM_STOPPED.what_next[: width - 4] in lines[3]
    # What it says without trouble is no news.
    writer.shared.state, writer.shared.cause = ServoState.READY, Event.ALL_READY
    writer.publish()
    collector.poll()
    assert "reflex" not in shown(collector, width, height)


def goes_on(writer: StateWriter, collector: Collector, seconds: float, signs: BilateralStatus) -> None:
    """So long [s] with these bits, every tick."""
    writer.shared.reflection_status = signs
    for _ in range(round(seconds * synthetic.RATE)):
        writer.shared.tick += 1
        writer.shared.time += 1.0 / synthetic.RATE
        writer.publish()
    collector.poll()


@pytest.mark.parametrize(("width", "height"), SIZES)
def test_signs_of_the_force_sensor_come_and_go(folder: Path, width: int, height: int) -> None:
    presses, untared = "arm presses as hard as it may", "sensor not tared: press t with the arm at rest"
    with StateWriter(synthetic.JOINTS, synthetic.TEXT, folder=folder) as writer, StateReader(writer.path) as reader:
        collector = Collector(reader)
        goes_on(writer, collector, 0.2, BilateralStatus.UNTARED)
        assert "tared" not in shown(collector, width, height)  # it is being looked for
        goes_on(writer, collector, 1.0, BilateralStatus.UNTARED)
        assert untared[: width - 1] in shown(collector, width, height)
        goes_on(writer, collector, 0.1, BilateralStatus.UNTARED | BilateralStatus.PRESSING)
        lines = shown(collector, width, height).rstrip("\n").split("\n")
        assert len(lines) <= height
        assert presses[: width - 1] in lines[2]
        assert any(untared[: width - 1] in line for line in lines)
        # What to do about that stands before.
        writer.shared.state = ServoState.HOLD
        writer.shared.cause = Event.ARM_LOST
        goes_on(writer, collector, 0.5, BilateralStatus.UNTARED)
        lines = shown(collector, width, height).rstrip("\n").split("\n")
        assert (lines[2][0], untared[: width - 1] in lines[3]) == ("→", True)
        assert presses not in "".join(lines)
        goes_on(writer, collector, 0.5, BilateralStatus.GOOD)
        assert "tared" not in shown(collector, width, height)


def test_what_somebody_says_stays_for_a_moment(writer: StateWriter, collector: Collector) -> None:
    refused = "tare: refused, not in this state"
    file = io.StringIO()
    terminal = Console(file=file, width=80, height=24, force_terminal=True)
    dashboard = Dashboard(collector, terminal)
    dashboard.say(refused)
    terminal.print(dashboard.screen(), end="")
    assert refused in file.getvalue()
    goes_on(writer, collector, 4.1, BilateralStatus.GOOD)
    file.truncate(0)
    terminal.print(dashboard.screen(), end="")
    assert refused not in file.getvalue()
    log = io.StringIO()
    Dashboard(collector, Console(file=log, width=20)).say(refused)
    assert log.getvalue() == f"{refused}\n"


def test_joints_at_a_stop_or_their_speed_limit_are_marked(writer: StateWriter, collector: Collector) -> None:
    writer.shared.joint_acting[:] = 0
    writer.shared.joint_acting[1], writer.shared.joint_acting[2] = 1, 2
    writer.shared.predicted_q[1] = 1.2
    writer.publish()
    collector.poll()
    by_name = {line.split("   ")[-1]: line for line in shown(collector).split("\n")}
    shoulder = next(line for line in by_name.values() if "shoulder" in line)
    assert "●┤" in shoulder
    assert shoulder.rstrip().endswith("stop")
    assert next(line for line in by_name.values() if "elbow" in line).rstrip().endswith("speed")


def test_nothing_emulated_is_said_as_well(writer: StateWriter, collector: Collector) -> None:
    writer.shared.emulated = Emulated.NONE
    writer.publish()
    collector.poll()
    assert "nothing emulated" in shown(collector)


def test_numbers_that_are_none_or_absurd_are_shown_as_a_dash(writer: StateWriter, collector: Collector) -> None:
    for name in ("wrench", "wrench_parts", "target_pose", "predicted_q", "energy_rendered", "percentiles", "hand_age"):
        writer.shared.view(name)[...] = math.nan
    writer.shared.predicted_pose[...] = 1e300
    writer.shared.energy_potential = math.inf
    for name in ("state", "cause", "waiting", "device_status"):
        writer.shared.view(name)[...] = 99
    writer.publish()
    collector.poll()
    for width, height in SIZES:
        assert "U N K" in shown(collector, width, height)
    assert "– mm" in shown(collector)


@pytest.mark.parametrize(("width", "height"), SIZES)
def test_a_terminal_without_special_letters_gets_plain_ones(collector: Collector, width: int, height: int) -> None:
    assert shown(collector, width, height, encoding="ascii").isascii()


def test_a_file_without_special_letters_gets_plain_ones(collector: Collector) -> None:
    file = io.TextIOWrapper(io.BytesIO(), encoding="ascii")
    Dashboard(collector, Console(file=file, width=80)).follow(stop=lambda: True)
    file.seek(0)
    assert " us " in file.read()


def test_before_the_first_tick_it_waits(reader: StateReader) -> None:
    collector = Collector(reader)
    collector.poll()
    assert "waiting for the first tick" in shown(collector)


def test_a_servo_that_ended_is_called_so(writer: StateWriter, collector: Collector) -> None:
    writer.close()
    assert "S E R V O   E N D E D" in shown(collector)


def test_a_servo_without_joints_can_be_shown(folder: Path) -> None:
    with StateWriter(0, {}, folder=folder) as writer, StateReader(writer.path) as state:
        writer.shared.tick = 1
        writer.publish()
        collector = Collector(state)
        collector.poll()
        for width, height in SIZES:
            assert "O F F" in shown(collector, width, height)


def plain(collector: Collector, **how: object) -> tuple[str, Ending]:
    file = io.StringIO()
    dashboard = Dashboard(collector, Console(file=file, width=80), refresh=50.0)
    run = dashboard.follow(**how)  # type: ignore[arg-type]
    return file.getvalue(), run.ending


def test_without_a_terminal_there_is_a_line_for_each_second(writer: StateWriter, reader: StateReader) -> None:
    collector = Collector(reader)
    chunks = synthetic.chunks(4.0, size=100)

    def servo_goes_on() -> bool:
        rows = next(chunks, None)
        if rows is not None:
            synthetic.publish(writer, rows)
        return rows is None

    text, ending = plain(collector, stop=servo_goes_on)
    lines = text.splitlines()
    assert ending is Ending.ASKED
    assert sum(" error " in line for line in lines) == 5
    assert sum(" now " in line for line in lines) == 6
    assert any("FAULT" in line and Event.HAPTICS_FAULT.words in line for line in lines)
    assert "\x1b" not in text


def test_a_log_has_what_the_arm_says_also_if_it_says_it_later(writer: StateWriter, reader: StateReader) -> None:
    steps = iter(
        [
            (ServoState.ENGAGED, Event.ENGAGE, ""),
            (ServoState.FAULT, Event.ARM_STOPPED, ""),
            (ServoState.FAULT, Event.ARM_STOPPED, "reflex: 61 N·m"),
            (ServoState.FAULT, Event.ARM_STOPPED, "reflex: 61 N·m"),
            (ServoState.HOLD, Event.ARM_LOST, "no measurement for 52 ms"),
        ]
    )

    def servo_goes_on() -> bool:
        step = next(steps, None)
        if step is not None:
            writer.shared.tick += 1
            writer.shared.state, writer.shared.cause = step[:2]
            writer.write_reason(step[2])
            writer.publish()
        return step is None

    text, _ = plain(Collector(reader), stop=servo_goes_on)
    changes = [line.partition(" s  ")[2] for line in text.splitlines() if " error " not in line]
    assert changes == [
        f"now ENGAGED: {Event.ENGAGE.words}",
        f"now FAULT: {Event.ARM_STOPPED.words}",
        "FAULT, reason: reflex: 61 N·m",
        f"now HOLD: {Event.ARM_LOST.words} (no measurement for 52 ms)",
    ]


def test_a_log_has_signs_of_the_force_sensor_once(folder: Path) -> None:
    """Pressing flickers, from tick to tick and with pauses of half a second."""
    bits = {0: BilateralStatus.UNTARED, 2: BilateralStatus.PRESSING, 4: BilateralStatus.GOOD}
    with StateWriter(synthetic.JOINTS, synthetic.TEXT, folder=folder) as writer, StateReader(writer.path) as reader:
        collector = Collector(reader)

        def servo_goes_on() -> bool:
            for _ in range(100):
                tick = writer.shared.tick
                writer.shared.tick, writer.shared.time = tick + 1, 0.001 * tick
                pauses = tick % 2 == 0 or tick // 500 % 2 == 1
                status = bits[min(tick // 2000 * 2, 4)]
                gone = status is BilateralStatus.PRESSING and pauses
                writer.shared.reflection_status = BilateralStatus.GOOD if gone else status
                writer.publish()
            return writer.shared.tick >= 8000

        lines, _ = plain(collector, stop=servo_goes_on)
        signs = [line for line in lines.splitlines() if " error " not in line and " now " not in line]
    assert signs == [
        "    0.000 s  sensor not tared: press t with the arm at rest",
        "    2.001 s  arm presses as hard as it may",
        "    1.999 s  sensor not tared: over after 2.00 s",
        "    3.499 s  arm presses as hard as it may: over after 1.50 s",
    ]


def test_a_supervisor_that_flutters_does_not_flood_a_log(writer: StateWriter, reader: StateReader) -> None:
    for tick in range(1, 101):
        writer.shared.tick, writer.shared.state = tick, ServoState.READY if tick % 2 else ServoState.OFF
        writer.publish()
    text, _ = plain(Collector(reader), stop=lambda: True)
    assert text.count(" now ") == 4
    assert "96 more changes of state" in text


def test_it_ends_when_its_time_is_over(writer: StateWriter, reader: StateReader) -> None:
    synthetic.publish(writer, synthetic.rows(writer.layout, 1, 2000, 2.0))
    text, ending = plain(Collector(reader), seconds=1.5)
    assert ending is Ending.TIME_OVER
    assert "error" in text


def test_it_ends_with_the_servo_and_keeps_what_that_wrote_last(writer: StateWriter, reader: StateReader) -> None:
    collector = Collector(reader)
    synthetic.publish(writer, synthetic.rows(writer.layout, 1, 100, 1.0))
    writer.close()
    _, ending = plain(collector)
    assert ending is Ending.SERVO_ENDED
    assert collector.run().records == 100


def test_it_ends_with_a_servo_that_never_ticked(writer: StateWriter, reader: StateReader) -> None:
    writer.close()
    text, ending = plain(Collector(reader))
    assert (text, ending) == ("", Ending.SERVO_ENDED)


def test_a_servo_that_lives_but_stops_ticking_is_given_up(
    writer: StateWriter, reader: StateReader, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("station.monitor.dashboard.GIVE_UP_AFTER", 0.0)
    synthetic.publish(writer, synthetic.rows(writer.layout, 1, 10, 1.0))
    assert plain(Collector(reader))[1] is Ending.SERVO_SILENT


def test_ctrl_c_ends_it_in_order_and_gives_the_signal_back(writer: StateWriter, reader: StateReader) -> None:
    synthetic.publish(writer, synthetic.rows(writer.layout, 1, 50, 1.0))
    before = signal.getsignal(signal.SIGINT)

    def press() -> bool:
        os.kill(os.getpid(), signal.SIGINT)
        return False

    _, ending = plain(Collector(reader), stop=press)
    assert ending is Ending.ASKED
    assert signal.getsignal(signal.SIGINT) is before


def test_ctrl_c_twice_interrupts_as_usual(reader: StateReader) -> None:
    def press_twice() -> bool:
        os.kill(os.getpid(), signal.SIGINT)
        os.kill(os.getpid(), signal.SIGINT)
        time.sleep(1.0)  # an interrupt comes at once
        return False

    with pytest.raises(KeyboardInterrupt):
        plain(Collector(reader), stop=press_twice)


def test_it_can_be_followed_from_any_thread(writer: StateWriter, reader: StateReader) -> None:
    synthetic.publish(writer, synthetic.rows(writer.layout, 1, 50, 1.0))
    endings: list[Ending] = []
    thread = threading.Thread(target=lambda: endings.append(plain(Collector(reader), stop=lambda: True)[1]))
    thread.start()
    thread.join(10.0)
    assert endings == [Ending.ASKED]


def test_a_live_picture_leaves_the_terminal_as_it_was(writer: StateWriter, reader: StateReader) -> None:
    file = io.StringIO()
    console = Console(file=file, width=80, height=24, force_terminal=True, color_system="truecolor")
    chunks = synthetic.chunks(0.5, size=100)

    def servo_goes_on() -> bool:
        rows = next(chunks, None)
        if rows is not None:
            synthetic.publish(writer, rows)
        return rows is None

    Dashboard(Collector(reader), console, refresh=60.0).follow(stop=servo_goes_on)
    text = file.getvalue()
    assert "E N G A G E D" in text
    assert text.count("\x1b[?1049h") == text.count("\x1b[?1049l") == 1
    assert text.rindex("\x1b[?25h") > text.rindex("\x1b[?25l")  # the cursor is back


@pytest.mark.parametrize("refresh", [0.0, 1000.0, math.nan])
def test_a_refresh_that_makes_no_sense_is_refused(reader: StateReader, refresh: float) -> None:
    with pytest.raises(ValueError, match=r"0\.1 to 60"):
        Dashboard(Collector(reader), refresh=refresh)


def test_bars_keep_their_scale() -> None:
    assert [nice_scale(force) for force in (0.0, 1.0, 1.1, 3.0, 7.0, 14.0, math.nan)] == [1, 1, 2, 5, 10, 20, 1]
