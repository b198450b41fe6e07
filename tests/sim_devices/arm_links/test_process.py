"""The emulated arm as a process: started, found by name, and ended with its parent."""

from __future__ import annotations

import pytest

import station
from sim_devices.arm_links.process import ArmWishes, started
from sim_devices.running import running
from station.controllers import open_controller, scene_joints
from station.controllers.errors import ControllerSilentError

SCARA = "robots/scara.mad"


def test_an_arm_is_started_and_found_by_the_names_of_its_scene() -> None:
    joints = scene_joints(station.load(SCARA)["scara"].joints)
    with started(ArmWishes(SCARA, delay=0.002)) as address:
        assert address in [note.address for note in running() if note.kind == "arm"]
        with open_controller(address, joints=joints[::-1]) as controller:
            assert [joint.name for joint in controller.capabilities.joints] == [joint.name for joint in joints[::-1]]
            assert controller.capabilities.emulated
    assert address not in [note.address for note in running()]


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
