"""Commands that have to do with arms, as a person calls them: mistakes are told at once, and what is printed works."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from sim_devices.arm_links.process import ArmWishes
from station.cli import main
from station.controllers import open_controller
from station.keys import make_keys

pytestmark = pytest.mark.wall_clock

STATION = [sys.executable, "-c", "from station.cli import main; main()"]


def told(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    """The one line with which a command refuses."""
    monkeypatch.setattr(sys, "argv", ["station", *arguments])
    with pytest.raises(SystemExit) as ended:
        main()
    said = capsys.readouterr()
    assert ended.value.code == 2
    assert said.out == ""
    (line,) = said.err.strip().splitlines()
    return line


@pytest.fixture
def keys_of_user(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder where `station keys` writes; the working folder is another one."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    (tmp_path / "work").mkdir()
    monkeypatch.chdir(tmp_path / "work")
    return tmp_path / "config" / "haptic-station" / "keys"


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["gripper", "--faults", "nonsense!!"], "--faults is not for the emulator 'gripper'; it takes --seconds;"),
        (["gripper", "--delay", "7"], "--delay is not for"),
        (["syntaxer", "--link", "foo:"], "--link is not for the emulator 'syntaxer'; it takes --hand, --faults"),
        (["syntaxer", "ur5e"], "FILE is not for"),
        (["falcon", "--wrong", "3"], "--wrong is not for"),
        (["arm", "ur5e", "--hand", "none"], "--hand is not for the emulator 'arm'"),
        (["toaster", "--link", "foo:"], "there is no emulator 'toaster'; there are: syntaxer"),
        (["toaster"], "arm, ur, dynamixel, gripper, robotiq"),
        (["robotiq", "--faults", "nonsense!!"], "--faults is not for the emulator 'gripper'"),
        (["ur", "--hand", "none"], "--hand is not for the emulator 'ur'; it takes --robot"),
        (["ur", "--link", "serial:"], "--link is not for the emulator 'ur'"),
        (["ur", "scara"], "has six joints that turn"),
        (["arm", "ur5e", "--link", ""], "the address is empty"),
    ],
)
def test_an_emulator_refuses_what_it_does_not_know(
    arguments: list[str], words: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert words in told(monkeypatch, capsys, "emulate", *arguments)


@pytest.mark.parametrize(
    ("words", "asked"),
    [
        (["ur"], ("ur5e", "ur")),
        (["ur", "puma560"], ("puma560", "ur")),
        (["dynamixel"], ("hobby-arm", "dynamixel")),
        (["arm", "scara"], ("scara", "tcp://127.0.0.1:0")),
    ],
)
def test_an_arm_is_emulated_by_the_name_of_its_maker(
    words: list[str], asked: tuple[str, str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    served: list[ArmWishes] = []

    def serve(wishes: ArmWishes, announce: Callable[[str], object], _seconds: float) -> None:
        served.append(wishes)
        announce("some:address")

    monkeypatch.setattr("sim_devices.arm_links.process.serve", serve)
    monkeypatch.setattr(sys, "argv", ["station", "emulate", *words])
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code in (0, None)
    assert [(Path(wishes.scene).stem, wishes.link) for wishes in served] == [asked]
    assert f"station run {asked[0]} --controller 'some:address'" in capsys.readouterr().err


def test_arms_that_are_tied_are_emulated_together_and_named() -> None:
    command = [*STATION, "emulate", "arm", "two_arms_bar", "--seconds", "0.1"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr
    (left, at_left), (right, at_right) = (line.split() for line in done.stdout.splitlines())
    assert (left, right) == ("left", "right")
    assert at_left != at_right
    look = f"station run two_arms_bar --controller 'left={at_left}' --controller 'right={at_right}'"
    assert f"emulated arms in one physics; try them with: {look}" in done.stderr


def test_one_of_them_alone_is_refused_and_told_how(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    said = told(monkeypatch, capsys, "emulate", "arm", "two_arms_bar", "--robot", "right")
    assert "robot right is tied to left on its brakes and cannot move; emulate all: --controller left=sim:arm" in said


def test_a_gripper_is_emulated_by_the_name_of_its_maker() -> None:
    command = [*STATION, "emulate", "robotiq", "--seconds", "0.1"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("robotiq:/")


def test_faults_of_an_arm_may_be_in_a_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    script = tmp_path / "bad.faults"
    script.write_text("silence at 60 for 1\nexplode at 1\n")
    assert "line 2: unknown fault 'explode'" in told(
        monkeypatch, capsys, "emulate", "arm", "ur5e", "--faults", f"@{script}"
    )
    missing = told(monkeypatch, capsys, "emulate", "arm", "ur5e", "--faults", "@/no/such/file")
    assert "/no/such/file cannot be read" in missing


@pytest.mark.parametrize(
    "arguments",
    [
        ["run", "ur5e", "--controller", ""],
        ["run", "ur5e", "--device", " "],
        ["run", "ur5e", "--gripper="],
        ["run", "--publish", ""],
        ["park", "ur5e", "--controller", ""],
        ["release", "--yes", "--controller", ""],
        ["execute", "task.mcap", "--controller", ""],
        ["agent", "--controller", "", "--listen", "tcp://127.0.0.1:0"],
        ["rehearse", "ur5e", "--device", ""],
        ["calibrate", "timing", "ur5e", "--controller", ""],
        ["devices", ""],
    ],
)
def test_an_empty_address_is_not_taken_for_none(
    arguments: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert "the address is empty (an unset variable?)" in told(monkeypatch, capsys, *arguments)


@pytest.mark.parametrize("command", [["run", "ur5e"], ["run", "/no/such/file.mad"], ["park", "ur5e"]])
@pytest.mark.parametrize("url", ["tcp://{}", "modbus://{}", "ur://{}"])
def test_that_nobody_listens_is_told_before_anything_is_loaded(
    command: list[str], url: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))  # and does not listen
        place = url.format(f"127.0.0.1:{unused.getsockname()[1]}")
        line = told(monkeypatch, capsys, *command, "--controller", place)
    assert line == f"{place}: nobody listens there; is the arm switched on and on the network, and is this its address?"


def test_keys_that_are_not_there_are_told_with_both_places(
    keys_of_user: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    line = told(monkeypatch, capsys, "run", "ur5e", "--controller", "tcp://arm:5555?server=arm.key")
    assert f"station.key_secret cannot be read: it is neither here nor in {keys_of_user}; make keys with" in line


def test_the_address_that_an_arm_with_keys_prints_opens_it_from_any_folder(
    keys_of_user: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_keys("arm")
    mine = make_keys("station")
    allowed = keys_of_user / "allowed"
    allowed.mkdir()
    (allowed / "bench.key").write_bytes(mine.public.read_bytes())
    link = "tcp://0.0.0.0:0?key=arm.key_secret&allowed=allowed"
    words = [*STATION, "emulate", "arm", "scara", "--link", link]
    with subprocess.Popen(
        words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=os.environ.copy()
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        try:
            address, advice = process.stdout.readline().strip(), process.stderr.readline()
            assert address.startswith("tcp://127.0.0.1:")
            assert address.endswith("?server=arm.key&key=station.key_secret")
            assert f"station run scara --controller '{address}'" in advice
            monkeypatch.chdir(tmp_path)
            with open_controller(address) as controller:
                assert controller.capabilities.emulated
        finally:
            process.terminate()
            process.wait(10.0)
