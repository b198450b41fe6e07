"""The emulated arm as a process: started, found by name, and ended with its parent."""

from __future__ import annotations

from contextlib import ExitStack

import pytest

import station
from sim_devices.arm_links.process import ArmWishes, started, started_together
from sim_devices.running import running
from station.controllers import open_controller, scene_joints
from station.controllers.errors import ControllerSilentError

pytestmark = pytest.mark.wall_clock

SCARA, PAIR = "robots/scara.mad", "robots/two_arms_bar.mad"


def test_an_arm_is_started_and_found_by_the_names_of_its_scene() -> None:
    joints = scene_joints(station.load(SCARA)["scara"].joints)
    with started(ArmWishes(SCARA, delay=0.002)) as address:
        assert address in [note.address for note in running() if note.kind == "arm"]
        with open_controller(address, joints=joints[::-1]) as controller:
            assert [joint.name for joint in controller.capabilities.joints] == [joint.name for joint in joints[::-1]]
            assert controller.capabilities.emulated
    assert address not in [note.address for note in running()]


def test_arms_that_hold_one_bar_are_one_process_each_at_its_own_link() -> None:
    wishes = [ArmWishes(PAIR, robot="right", delay=0.02), ArmWishes(PAIR, robot="left", link="serial:", seed=3)]
    with started_together(wishes) as addresses:
        assert [address.partition(":")[0] for address in addresses] == ["tcp", "serial"]
        notes = {note.address: note.process for note in running() if note.kind == "arm"}
        assert len({notes[address] for address in addresses}) == 1
        with ExitStack() as stack:
            right, left = (stack.enter_context(open_controller(address)) for address in addresses)
            assert right.capabilities.model == "emulated right"
            assert (left.capabilities.model, left.capabilities.serial_number) == ("emulated left", "SIM-0003")
    assert not {note.address for note in running()} & set(addresses)


@pytest.mark.parametrize(
    ("wishes", "words"),
    [
        ([ArmWishes(PAIR, robot="left")], "robot left is tied to right on its brakes and cannot move; emulate all"),
        ([ArmWishes(PAIR), ArmWishes(PAIR, robot="left")], "robot left cannot be two arms"),
        ([ArmWishes(PAIR), ArmWishes(PAIR, robot="right", faults="flood")], "unknown fault 'flood'"),
        ([ArmWishes(PAIR), ArmWishes(PAIR, robot="middle")], "no robot 'middle' in this scene; there are: left, right"),
    ],
)
def test_arms_that_cannot_be_emulated_together_say_why_on_one_line(wishes: list[ArmWishes], words: str) -> None:
    with pytest.raises(ControllerSilentError) as caught, started_together(wishes):
        pytest.fail("they started")
    assert words in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("wishes", "words"),
    [
        (ArmWishes("robots/there-is-none.mad"), "there-is-none.mad"),
        (ArmWishes(SCARA, faults="flood"), "unknown fault 'flood'"),
        (ArmWishes(SCARA, link="tcp://0.0.0.0:0"), "needs keys"),
        (ArmWishes(SCARA, loss=2.0), "loss"),
    ],
)
def test_what_cannot_be_started_says_why_on_one_line(wishes: ArmWishes, words: str) -> None:
    with pytest.raises(ControllerSilentError) as caught, started(wishes):
        pytest.fail("it started")
    assert words in str(caught.value)
    assert "\n" not in str(caught.value)
