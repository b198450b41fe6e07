"""From a device or controller block of a file to an address, and what is told of it."""

from __future__ import annotations

import json
import subprocess
import sys
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import robots
import station
from station.clock import VirtualClock
from station.devices import open_device
from station.devices.registry import Found
from station.devices.software.held import HeldDevice
from station.mad.leading import leads_of
from station.run import addresses
from station.run.addresses import SharedAddressError, addresses_of, device_address, local_port, port_is_there
from station.run.options import RunOptionError, job_of
from station.servo.job import Job, PlacedError, device_url
from station.servo.rig import put_all_together
from station.servo.servo import Servo
from station.servo.shared import ServoState

pytestmark = pytest.mark.wall_clock

ROBOT = "robot r { base { } link 1 { parameters { theta 0 r 0 alpha 0 d 0 } type 2 pred 0 } %s }"
OPTIONS: dict[str, Any] = {
    **dict.fromkeys(("method", "bilateral", "architecture", "robot", "frame", "posture", "sensor", "press")),
    "device": (),
    "controller": (),
    "rate": 1000.0,
    "wait": 0.0,
    "spin": 0.0,
    "priority": 80,
    "core": -1,
}


def chosen(block: str, there: tuple[str, ...] = (), version: str = "v1.0") -> addresses.Chosen:
    """What a device block asks for on a machine with these ports."""
    word = "sensor" if version == "v1.0" else "device"
    scene = station.loads(f"RAFF {version} Test\n{word} 1 {{ {block} }}\n{ROBOT % ''}\n")
    return device_address(scene.devices[0], "test.mad", there.__contains__)


@pytest.mark.parametrize("kind", ["magellan", "spaceball"])
def test_a_cap_without_a_port_is_emulated_by_name_and_said_so(kind: str) -> None:
    url, lines = chosen(f"type {kind}")
    assert url == f"sim:{kind}"
    assert len(lines) == 1
    assert lines[0].startswith(f"test.mad:2:12: no port is said for the {kind}: an emulated one is used")


def test_a_cap_at_a_port_that_is_here_is_the_real_one() -> None:
    url, lines = chosen('type magellan port "/dev/ttyS0"', ("/dev/ttyS0",))
    assert url == "serial:/dev/ttyS0?device=magellan"
    assert lines == ('test.mad:2:26: the magellan at port "/dev/ttyS0" is used',)


def test_a_port_that_is_not_here_is_said_with_line_and_column() -> None:
    url, lines = chosen('type magellan port "COM2"')
    assert url == "sim:magellan"
    assert lines == ('test.mad:2:26: port "COM2" (/dev/ttyS1 here) is not here: an emulated magellan is used',)


def test_a_port_of_another_system_is_found_by_its_number() -> None:
    url, lines = chosen('type spaceball port "com1:"', ("/dev/ttyS0",))
    assert url == "serial:/dev/ttyS0?device=spaceball"
    assert '"com1:" (/dev/ttyS0 here)' in lines[0]


@pytest.mark.parametrize(
    ("port", "here"),
    [
        ("COM1", "/dev/ttyS0"),
        (r"\\.\COM12", "/dev/ttyS11"),
        ("COM0", "/dev/ttyS0"),
        ("/dev/ttya", "/dev/ttyS0"),
        ("ttyb", "/dev/ttyS1"),
        ("/dev/ttyd2", "/dev/ttyS1"),
        ("ttyUSB0", "/dev/ttyUSB0"),
        ("/dev/ttyACM3", "/dev/ttyACM3"),
        ("/some/where/else", "/some/where/else"),
        ("COMMON", "COMMON"),
    ],
)
def test_ports_as_other_systems_name_them(port: str, here: str) -> None:
    assert local_port(port) == here


def test_a_syntaxer_keeps_the_choice_of_its_rate() -> None:
    assert chosen('type syntaxer port "/dev/ttyACM0"', ("/dev/ttyACM0",)).url == "serial:/dev/ttyACM0"


def test_a_port_without_a_type_is_a_syntaxer_and_said_so() -> None:
    url, lines = chosen('port "/dev/ttyACM0"', ("/dev/ttyACM0",))
    assert url == "serial:/dev/ttyACM0"
    assert "no type is said, so it is taken for a syntaxer" in lines[0]


def test_panel_and_keyboard_are_those_of_the_window() -> None:
    assert chosen('port "Mover" type panel') == ("panel:Mover", ())
    assert chosen('port "no name" type panel').url == "panel:"
    assert chosen("type keyboard") == ("keyboard:", ())


@pytest.mark.parametrize(
    ("plugged", "url", "said"),
    [
        ([], "sim:spacemouse", "no spacemouse is plugged in: an emulated one is used"),
        (["usb:falcon?serial=A1"], "sim:spacemouse", "no spacemouse is plugged in"),
        (["usb:spacemouse"], "usb:spacemouse", None),
        (["usb:spacemouse?port=1-2", "usb:spacemouse?port=1-3"], "usb:spacemouse?port=1-2", "several are plugged in"),
    ],
)
def test_a_device_on_usb_is_the_one_that_is_plugged_in(
    plugged: list[str], url: str, said: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Usb:
        def load(self) -> Usb:
            return self

        def find(self) -> list[Found]:
            return [Found(one, "", "", False) for one in plugged]

    monkeypatch.setattr(addresses, "schemes", lambda: {"usb": Usb()})
    found = chosen("type spacemouse")
    assert found.url == url
    assert len(found.lines) == (said is not None)
    assert (said or "") in "".join(found.lines)


def test_an_unknown_type_lists_those_there_are() -> None:
    url, lines = chosen("type joystick")
    assert url == "sim:syntaxer"
    assert lines[0].startswith("test.mad:2:12: there is no device of type joystick here (syntaxer, magellan, ")


def test_an_address_comes_before_type_and_port() -> None:
    url, lines = chosen('type magellan address "sim:falcon" port "COM1"', version="v2.0")
    assert url == "sim:falcon"
    assert lines == ('test.mad:2:47: port "COM1" is not used: the address is',)


def test_a_port_may_be_a_name_without_a_chip(tmp_path: Path) -> None:
    assert not port_is_there(str(tmp_path / "none"))
    (tmp_path / "a?b").touch()
    assert not port_is_there(str(tmp_path / "a?b"))  # would be taken apart
    (tmp_path / "port").touch()
    assert port_is_there(str(tmp_path / "port"))


def of_text(text: str, device: str = "", controller: str = "") -> tuple[str, str, tuple[str, ...]]:
    """Addresses of the first device and of the robot, and lines."""
    scene = station.loads(text, "test.mad")
    leads, idle = leads_of(scene)
    devices = {leads[0].name: device} if device else {}
    found = addresses_of(scene, leads, scene.robots, devices, {scene.robots[0].name: controller} if controller else {})
    return found.devices[leads[0].name], found.controllers.get(scene.robots[0].name, ""), (*found.lines, *idle)


TWO = f"""RAFF v2.0 Two
device 1 {{ type spaceball }}
device 2 {{ name "bender" type panel }}
{ROBOT}
"""
ARM = 'controller { address "tcp://10.0.0.7:5555" rate 100 watchdog 0.1 joints ( 1 ) }'


def test_what_leads_and_drives_is_read_from_the_file() -> None:
    device, controller, lines = of_text(TWO % ARM)
    assert (device, controller) == ("sim:spaceball", "tcp://10.0.0.7:5555")
    told = "\n".join(lines)
    assert "Two:3:1: device bender leads nothing" in told
    assert "rate" not in told  # all of the block is used
    assert "joints" not in told
    assert len(lines) == 2


def test_what_was_asked_for_comes_first_and_what_it_replaces_is_said() -> None:
    device, controller, lines = of_text(TWO % ARM, "sim:magellan", "none")
    assert (device, controller) == ("sim:magellan", "none")
    told = "\n".join(lines)
    assert "Two:2:1: type spaceball of device 1 not used: sim:magellan was asked for" in told
    assert "controller tcp://10.0.0.7:5555 is not used: none was asked for" in told


def test_the_device_that_the_file_names_may_be_asked_for() -> None:
    _, _, lines = of_text(TWO % "", "serial:/dev/ttyS4?device=spaceball")
    assert not any("spaceball" in line for line in lines)


SECOND = "link 2 { parameters { theta 0 r 0 alpha 0 d 0 } type revolute pred 1 }\n"
BOTH = 'controller { address "sim:arm" joints ( 1 ) } controller { name "tip" address "tcp://b:1" joints ( 2 ) }'


def driven(blocks: str, tmp_path: Path, *asked: str) -> tuple[dict[str, str], list[str]]:
    """Controllers of a run, and lines about them."""
    file, lines = tmp_path / "two.mad", list[str]()
    file.write_text(TWO % (SECOND + blocks))
    job = job_of(str(file), {**OPTIONS, "controller": asked}, lines.append)
    return job.controllers, [line for line in lines if ": controller" in line]


def test_all_controllers_of_a_robot_are_used(tmp_path: Path) -> None:
    assert driven(BOTH, tmp_path) == ({"r.1": "sim:arm", "r.tip": "tcp://b:1"}, [])


@pytest.mark.parametrize("name", ["tip", "r.tip"])
def test_one_of_several_controllers_is_asked_for_by_its_name(name: str, tmp_path: Path) -> None:
    found, lines = driven(BOTH, tmp_path, f"{name}=sim:arm")
    assert found == {"r.1": "sim:arm", "r.tip": "sim:arm"}
    assert len(lines) == 1
    assert lines[0].startswith(f"{tmp_path}/two.mad:5:47: controller tcp://b:1 is not used: sim:arm was asked for")


@pytest.mark.parametrize("asked", ["r=tcp://c:1", "tcp://c:1"])
def test_one_may_be_asked_for_all_joints(asked: str, tmp_path: Path) -> None:
    found, lines = driven(BOTH, tmp_path, asked)
    assert found == {"r": "tcp://c:1"}
    assert len(lines) == 2
    assert driven(BOTH, tmp_path, "none")[0] == driven(BOTH, tmp_path, "1=none", "tip=none")[0] == {}


@pytest.mark.parametrize(
    ("blocks", "asked", "said"),
    [
        (BOTH.replace("( 2 )", "( 1 )"), (), ":5:91: error: link 1 is driven by sim:arm already"),
        (BOTH.partition("} c")[0] + "}", (), ":5:32: robot r: no controller drives the joints of links 2"),
        (BOTH, ("tip=none",), ":5:47: nobody would drive the joints of controller r.tip"),
        (BOTH, ("r=sim:arm", "tip=sim:arm"), "--controller r.tip=sim:arm: sim:arm was asked for all joints of r"),
        (BOTH, ("top=sim:arm",), "no top; in two.mad there are: r, r.1, r.tip"),
        (BOTH, ("tip=sim:arm", "r.tip=sim:arm"), "r.tip has an address already"),
        (BOTH.replace('"tip"', '"1"'), (), ":5:60: error: a controller named '1' would be taken for another one"),
    ],
)
def test_joints_of_two_or_of_nobody_are_refused_with_line_and_column(
    blocks: str, asked: tuple[str, ...], said: str, tmp_path: Path
) -> None:
    with pytest.raises(station.StationError) as found:
        driven(blocks, tmp_path, *asked)
    assert said in str(found.value)


def test_a_file_that_names_no_device_says_what_is_used(tmp_path: Path) -> None:
    file = tmp_path / "plain.mad"
    file.write_text(f"RAFF v2.0 Plain\n{ROBOT % ''}\n")
    lines: list[str] = []
    job = job_of(str(file), OPTIONS, lines.append)
    assert (job.devices, job.controllers) == ({"1": "sim:syntaxer"}, {})
    assert lines == [f"{file}: the file says no device: an emulated syntaxer is used"]


def test_no_controller_may_be_asked_for() -> None:
    assert list(job_of("hobby-arm", OPTIONS).controllers.values()) == ["sim:arm"]
    assert job_of("hobby-arm", {**OPTIONS, "controller": ("none",)}).controllers == {}


@pytest.mark.parametrize(
    ("option", "value", "said"),
    [
        ("device", ("left=sim:falcon",), "no left; in two_arms_bar there are: 1, 2"),
        ("device", ("1=sim:falcon", "1=sim:syntaxer"), "1 has an address already: sim:falcon"),
        ("device", ("sim:falcon", "sim:syntaxer"), "without a name it is for the first: write NAME=sim:syntaxer"),
        ("device", ("1=",), "the address is empty"),
        ("controller", ("ur5e=sim:arm",), "no ur5e; in two_arms_bar there are: left, right"),
    ],
)
def test_unknown_names_and_names_twice_are_refused(option: str, value: tuple[str, ...], said: str) -> None:
    with pytest.raises(RunOptionError, match=said):
        job_of("two_arms_bar", {**OPTIONS, option: value})


def test_devices_and_controllers_are_given_by_name() -> None:
    wanted = {"device": ("2=sim:falcon?hand=none", "sim:syntaxer"), "controller": ("right=tcp://10.0.0.7:5555",)}
    job = job_of("two_arms_bar", {**OPTIONS, **wanted})
    assert job.devices == {"1": "sim:syntaxer", "2": "sim:falcon?hand=none"}
    assert job.controllers == {"right": "tcp://10.0.0.7:5555"}


PAIR = """RAFF v2.0 Pair
device 1 { name "a=b:c" %s }
device 2 { %s }
robot left { base { } link 1 { parameters { 0 0 0 0 } type revolute pred 0 } constraint { link 1 device ( 1 ) } %s }
robot right { base { } link 1 { parameters { 0 0 0 0 } type revolute pred 0 } constraint { link 1 device ( 2 ) } %s }
robot table { base { } }
"""


def pair(folder: Path, *inside: str) -> str:
    """A file of two hands and two robots, with more in their blocks."""
    file = folder / "pair.mad"
    file.write_text(PAIR % (*inside, *("",) * (4 - len(inside))))
    return str(file)


def test_a_name_may_have_any_signs(tmp_path: Path) -> None:
    job = job_of(pair(tmp_path), {**OPTIONS, "device": ("a=b:c=sim:falcon?hand=none",)})
    assert job.devices == {"a=b:c": "sim:falcon?hand=none", "2": "sim:syntaxer"}


@pytest.mark.parametrize(
    ("inside", "options", "said"),
    [
        (
            ('address "serial:/dev/ttyS0"', 'address "serial:/dev/ttyS0?device=magellan"'),
            {},
            r":3:12: device 2 and device a=b:c \(.*:2:25\) have one address, serial:/dev/ttyS0; each needs its own",
        ),
        (
            ("", "", 'controller { address "tcp://h:1" }', 'controller { address "tcp://h:1" }'),
            {},
            r":5:\d+: controller right and controller left \(.*:4:\d+\) have one address",
        ),
        (
            (),
            {"controller": ("left=ur://h", "right=ur://h")},
            "--controller right: controller right and controller left",
        ),
    ],
)
def test_two_have_no_address_in_common(tmp_path: Path, inside: Any, options: Any, said: str) -> None:
    with pytest.raises(SharedAddressError, match=said):
        job_of(pair(tmp_path, *inside), {**OPTIONS, **options})


def test_emulators_are_each_ones_own(tmp_path: Path) -> None:
    job = job_of(pair(tmp_path), {**OPTIONS, "controller": ("left=sim:arm", "right=sim:arm")})
    assert job.devices == {"a=b:c": "sim:syntaxer", "2": "sim:syntaxer"}
    assert job.controllers == {"left": "sim:arm", "right": "sim:arm"}


def test_two_panels_are_two(tmp_path: Path) -> None:
    job = job_of(pair(tmp_path, "type panel", "type panel"), OPTIONS)
    assert list(job.devices.values()) == ["panel:", "panel:2"]
    with pytest.raises(SharedAddressError, match="have one address, panel:Mover"):
        job_of(pair(tmp_path, 'type panel port "Mover"', 'type panel port "Mover"'), OPTIONS)


def test_two_of_one_kind_on_usb_are_two(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Usb:
        def load(self) -> Usb:
            return self

        def find(self) -> list[Found]:
            return [Found(f"usb:falcon?serial={name}", "", "", False) for name in plugged]

    monkeypatch.setattr(addresses, "schemes", lambda: {"usb": Usb()})
    file, plugged, lines = pair(tmp_path, "type falcon", "type falcon"), "AB", list[str]()
    assert list(job_of(file, OPTIONS).devices.values()) == ["usb:falcon?serial=A", "usb:falcon?serial=B"]
    plugged = "A"
    assert list(job_of(file, OPTIONS, lines.append).devices.values()) == ["usb:falcon?serial=A", "sim:falcon"]
    assert f"{file}:3:12: no other falcon is plugged in: an emulated one is used" in lines


def test_what_is_not_used_is_said(tmp_path: Path) -> None:
    lines: list[str] = []
    file = pair(tmp_path)
    job_of(file, {**OPTIONS, "robot": "right"}, lines.append)
    assert f"{file}:2:1: device a=b:c leads nothing" in lines
    lines.clear()
    job_of(file, OPTIONS, lines.append)
    assert f"{file}:6:1: robot table has no joint: it stays as it is" in lines
    assert not any("leads nothing" in line for line in lines)


def test_an_address_for_a_device_that_leads_nothing_is_refused(tmp_path: Path) -> None:
    asked = {**OPTIONS, "robot": "right", "device": ("a=b:c=sim:falcon",)}
    with pytest.raises(RunOptionError, match=r"device a=b:c leads nothing; in pair.mad there are: 2$"):
        job_of(pair(tmp_path), asked)


def test_what_goes_wrong_with_an_address_is_told_with_its_place(tmp_path: Path) -> None:
    file = pair(tmp_path, 'address "smi:syntaxer"', "", 'controller { address "smi:arm" }')
    job = job_of(file, {**OPTIONS, "device": ("2=sim:falcn",)})
    for what, name, at in (
        ("device", "a=b:c", f"{file}:2:25"),
        ("device", "2", "--device 2"),
        ("controller", "left", f"{file}:4:"),
    ):
        with pytest.raises(PlacedError) as caught, job.placed(what, name):
            raise RunOptionError("no such thing")
        assert str(caught.value).startswith(at)
        assert str(caught.value).endswith(": no such thing")
    assert Job.from_line(job.to_line()) == job


@pytest.mark.parametrize(
    ("inside", "said"),
    [
        (('address "smi:syntaxer"',), ":2:25: smi:syntaxer: unknown kind of address 'smi'; there are: "),
        (('address "sim:syntaxr"',), ":2:25: sim:syntaxr: there is no emulator 'syntaxr'; there"),
        (("", "", 'controller { address "sim:amr" }'), "there is no emulated 'amr'; write sim:arm"),
    ],
)
def test_a_run_with_a_wrong_address_ends_with_its_place(tmp_path: Path, inside: Any, said: str) -> None:
    file = pair(tmp_path, *inside)
    command = [sys.executable, "-m", "station", "run", file, "--seconds", "1", "--headless", "--no-report"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=600, check=False)
    assert done.returncode == 2, done.stderr
    assert done.stderr.count("\n") == 1, done.stderr
    line = done.stderr.strip()
    assert line.startswith(f"{file}:")
    assert said in line


PRINTED = {
    "macdac": {"1": "sim:spaceball"},
    "cross-delta": {"1": "sim:spaceball"},
    "redundant": {"1": "sim:spaceball", "2": "panel:Mover"},
    "planar-hybrid": {"1": "sim:spaceball"},
}


@pytest.mark.parametrize("name", PRINTED)
def test_the_devices_of_the_printed_files_lead(name: str, tmp_path: Path) -> None:
    lines: list[str] = []
    job = job_of(name, OPTIONS, lines.append)
    assert job.devices == PRINTED[name]
    assert len(lines) == 1
    assert ": no port is said for the spaceball: an emulated one is used" in lines[0]
    clock, scene = VirtualClock(), station.load(robots.path(name))
    with ExitStack() as stack:
        devices = {each: stack.enter_context(open_device(device_url(job, each), clock)) for each in job.devices}
        rigs = put_all_together(scene, devices, job.wanted, {})
        servo = stack.enter_context(Servo(rigs, clock=clock, folder=tmp_path))
        begin: dict[str, Any] = {}
        led: dict[str, float] = {}
        for tick in range(3000):
            for part in servo.parts:
                if isinstance(part.device, HeldDevice):  # as a window holds it: at rest, pressed, pushed
                    part.device.hold([0.4 * (tick > 300)] * 3 + [0.0] * 3, int(tick > 100))
            servo.tick()
            for part in servo.parts:
                pose = part.shared.predicted_pose[:3, 3].copy()
                if part.state is ServoState.ENGAGED:
                    led[part.name] = max(
                        led.get(part.name, 0.0), float(np.linalg.norm(pose - begin.setdefault(part.name, pose)))
                    )
        assert set(led) == set(job.devices)
        assert min(led.values()) > 0.005  # [m]


@pytest.mark.parametrize("name", PRINTED)
def test_the_printed_files_run_with_the_device_they_name(name: str) -> None:
    command = [sys.executable, "-m", "station", "run", name, "--seconds", "2.5", "--json", "--no-report"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=600, check=False)
    assert done.returncode == 0, done.stderr
    data = json.loads(done.stdout)
    assert data["device"].startswith("sim:spaceball")
    assert any("ENGAGED" in str(state) for state in data["states"]), data["states"]
    assert f"{robots.path(name)}:" in done.stderr
    assert "an emulated one is used" in done.stderr
