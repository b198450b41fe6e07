"""Episodes and the gripper in what the servo shows: by commands, keys and buttons of the device."""

from __future__ import annotations

import math
import os
from pathlib import Path
from types import SimpleNamespace

import pytest
from click.testing import CliRunner

from station.cli import station
from station.devices.parameter import SettingsError
from station.errors import StationError
from station.run.episodes import Buttons, Wishes, buttons_of, episodes_led, wishes_of
from station.run.keyboard import watched
from station.servo.facts import facts_of
from station.servo.shared import (
    CommandClient,
    CommandError,
    Emulated,
    Episode,
    EpisodeState,
    EpisodeStep,
    GripperCode,
    Reason,
    SetTask,
    ShowGripper,
    StateReader,
)
from station.servo.shared.runtime import COMMANDS
from tests.servo.rigs import GANTRY, Bench, ideal
from tests.servo.test_stopping import eventually, keyboard

START, SUCCESS, FAILURE, DISCARD = (Episode(step) for step in EpisodeStep)
THIRD, FOURTH = 4, 8  # bits of buttons beyond dead-man and clutch


def now(bench: Bench) -> tuple[int, EpisodeState]:
    return bench.shared.episode, bench.shared.episode_state


def test_commands_begin_and_end_episodes(tmp_path: Path) -> None:
    with ideal(GANTRY, tmp_path) as bench:
        decide = bench.servo.part.orders.decide
        assert now(bench) == (0, EpisodeState.NONE)
        assert [decide(step) for step in (SUCCESS, FAILURE, DISCARD)] == [Reason.EPISODE] * 3
        assert decide(SetTask("pick – it up")) is Reason.ACCEPTED
        assert decide(START) is Reason.ACCEPTED
        assert decide(START) is Reason.EPISODE
        assert now(bench) == (1, EpisodeState.RUNNING)
        decide(SetTask("put it down"))  # for the next one
        bench.ticks()
        with StateReader(bench.servo.part.writer.path) as reader:
            shown = reader.read()
            assert shown is not None
            assert shown.task_text == "pick – it up"
        assert decide(SUCCESS) is Reason.ACCEPTED
        assert now(bench) == (1, EpisodeState.SUCCESS)
        assert decide(DISCARD) is Reason.ACCEPTED  # on second thoughts
        assert decide(DISCARD) is Reason.EPISODE
        assert now(bench) == (1, EpisodeState.DISCARDED)
        decide(START)
        decide(FAILURE)
        assert now(bench) == (2, EpisodeState.FAILURE)


def test_what_the_gripper_says_is_shown_with_its_time(tmp_path: Path) -> None:
    with ideal(GANTRY, tmp_path) as bench:
        shared = bench.shared
        assert shared.gripper_status == GripperCode.NONE
        assert math.isnan(shared.gripper_width)
        bench.ticks(10)
        bench.servo.part.orders.decide(ShowGripper(GripperCode.READY, 0.03, 0.02, True, True))
        assert shared.emulated & Emulated.GRIPPER
        assert (shared.gripper_width, shared.gripper_command, shared.gripper_detected) == (0.03, 0.02, 1)
        assert shared.gripper_time == pytest.approx(bench.servo.clock.now())
        bench.servo.part.orders.decide(ShowGripper(GripperCode.LOST))
        assert math.isnan(shared.gripper_width)
        assert shared.gripper_detected == 0
        assert not shared.emulated & Emulated.GRIPPER


def test_keys_lead_episodes_only_while_something_is_recorded(tmp_path: Path) -> None:
    with ideal(GANTRY, tmp_path) as bench, keyboard() as (fingers, source):
        with watched(bench.servo.part.writer.path, source) as keys:
            os.write(fingers, b"nt")  # the answer to the second says that the first was read, too
            said: list[str] = []
            assert eventually(bench, lambda: keys.look(said.append) or said)
            assert now(bench) == (0, EpisodeState.NONE)
            assert len(keys.help) == 1
        with watched(bench.servo.part.writer.path, source, episodes=True) as keys:
            assert len(keys.help) == 2
            for key, wanted in (
                (b"n", (1, EpisodeState.RUNNING)),
                (b"s", (1, EpisodeState.SUCCESS)),
                (b"d", (1, EpisodeState.DISCARDED)),
                (b"n", (2, EpisodeState.RUNNING)),
                (b"f", (2, EpisodeState.FAILURE)),
            ):
                os.write(fingers, key)
                assert eventually(bench, lambda wanted=wanted: now(bench) == wanted)
            said.clear()
            os.write(fingers, b"s")
            assert eventually(bench, lambda: keys.look(said.append) or said)
            assert said == ["success: refused, an episode goes on already, or none does"]


def test_buttons_of_the_device_lead_episodes(tmp_path: Path) -> None:
    with ideal(GANTRY, tmp_path) as bench:
        with CommandClient(bench.servo.part.writer.path.with_suffix(COMMANDS)) as client:
            client.send(SetTask("pick"))
            bench.ticks()
        bench.device.buttons = THIRD  # held down already: no press
        bench.ticks()
        with episodes_led(bench.servo.part.writer.path, Wishes(), Buttons(2, 3)):
            for buttons, wanted in (
                (THIRD, (0, EpisodeState.NONE)),
                (0, (0, EpisodeState.NONE)),
                (THIRD, (1, EpisodeState.RUNNING)),
                (0, (1, EpisodeState.RUNNING)),
                (THIRD, (1, EpisodeState.SUCCESS)),
                (THIRD | FOURTH, (1, EpisodeState.DISCARDED)),
                (0, (1, EpisodeState.DISCARDED)),
                (THIRD, (2, EpisodeState.RUNNING)),
            ):
                bench.device.buttons = buttons
                bench.ticks(30)
                assert eventually(bench, lambda wanted=wanted: now(bench) == wanted)


def test_buttons_are_found_by_name_and_mistakes_are_one_line(tmp_path: Path) -> None:
    about = {"buttons": ["deadman", "index", "left"], "button_roles": {"0": "the dead-man"}}
    assert buttons_of(Wishes("", "Index", "left"), about) == Buttons(1, 2)
    assert buttons_of(Wishes("pick"), about) == Buttons()
    for wishes, words in (
        (Wishes("", "middle"), "no button 'middle' for episodes; there are: deadman, index, left"),
        (Wishes("", "deadman"), "is the dead-man already"),
        (Wishes("", "index", "index"), "cannot both"),
        (Wishes("", "", "left"), "for the gripper already"),
    ):
        with pytest.raises(SettingsError, match=words):
            buttons_of(wishes, about, {2: "for the gripper"})
    with ideal(GANTRY.replace("scale { 1 1 1 }", "scale { 1 1 1 } deadman 0", 1), tmp_path) as bench:
        assert facts_of(bench.servo.part.rig, 1000.0)["button_roles"][0] == "the dead-man"


def test_episodes_without_a_recording_are_refused() -> None:
    options = {"task": None, "episode_button": None, "discard_button": None, "record": None}
    assert wishes_of(options) == Wishes()
    for given in ({"task": "pick"}, {"episode_button": "index"}, {"discard_button": "index"}):
        with pytest.raises(SettingsError, match="--record"):
            wishes_of({**options, **given})
    for text in ("x" * 193, "two\nlines", "é" * 97):
        with pytest.raises(CommandError, match="at most 192 bytes"):
            wishes_of({**options, "record": Path("x.mcap"), "task": text})


def test_another_program_leads_episodes_by_a_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """`station episode`, with a servo that answers at once."""
    asked: list[object] = []

    class Client(SimpleNamespace):
        def __enter__(self) -> Client:
            return self

        def __exit__(self, *_: object) -> None:
            return None

        def ask(self, command: object) -> SimpleNamespace:
            asked.append(command)
            done = command != SUCCESS
            return SimpleNamespace(accepted=done, told=lambda name: f"{name}: {'done' if done else 'refused'}")

    monkeypatch.setattr("station.servo.shared.CommandClient", Client)
    said = CliRunner().invoke(station, ["episode", "start", "--task", "pick"])
    assert (said.exit_code, said.output) == (0, "start: done\n")
    assert asked == [SetTask("pick"), START]
    assert CliRunner().invoke(station, ["episode", "success"]).exit_code == 1
    wrong = CliRunner().invoke(station, ["episode", "start", "--task", "x" * 999], standalone_mode=False)
    assert isinstance(wrong.exception, StationError)
