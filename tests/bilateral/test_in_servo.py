"""Contact of an emulated arm in the tick: physics, bytes, a network with delay, driver, reflection, forces, device."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlencode

import numpy as np
import pytest

import station
from firmware_bridge.arm.driver import ArmController
from firmware_bridge.arm.serial_link import SerialLink
from sim_devices.arm import ArmSettings, EmulatedArm, NetworkSettings, emulated_arm
from sim_devices.arm_links.emulator import ArmEmulator
from sim_devices.arm_links.serving import far_side
from sim_devices.ends import SocketEnd
from station.bilateral import Architecture, BilateralMethod, BilateralStatus
from station.clock import VirtualClock
from station.devices import open_device
from station.haptics import Method
from station.servo.rig import Wanted, put_together
from station.servo.servo import Servo
from station.servo.shared import Cause, LinkMethod, ServoState, SetReflection
from station.servo.shared.words import Reason
from tests.servo.rigs import Bench
from tests.sim_devices.arm.benches import LEVER

# The hand lowers the tool onto a table that the station knows nothing of, presses, and lifts it again.
HAND = (
    "tighten 0.6 in 0.1; reach 0.22 0 0 in 0.6; press deadman; hold 0.9; reach 0.22 0 -0.034 in 0.6; hold 2; "
    "reach 0.22 0 0 in 0.6; hold 2"
)
TABLE = "obstacle table { box { 400 400 100 } pos { 700 0 -110 } }"  # its top is 60 mm under the tool
DEVICE = "device 1 {{ type syntaxer  scale {{ 2 2 2 }}  haptics {{ contact 0.1  {haptics} }} }}\n"
DOWN, PRESSED, UP = 1.6, 4.2, 6.0  # when the hand begins to lower the tool, presses, and has gone [s]


class ContactBench(Bench):
    """A bench whose arm meets a table."""

    def __init__(self, servo: Servo, device: object, arm: EmulatedArm, server: ArmEmulator) -> None:
        super().__init__(servo, device)
        self.arm, self.server = arm, server


@contextmanager
def contact_bench(
    folder: Path,
    delay: float = 0.0,
    haptics: str = "",
    bilateral: BilateralMethod | None = None,
    architecture: Architecture | None = None,
    method: Method = Method.COUPLING_ONLY,
    link: str = "serial:",
    hand: str = HAND,
    faults: str = "",
    epoch: float = 0.0,
) -> Iterator[ContactBench]:
    """The arm has `faults`, and its clock begins at `epoch` [s]."""
    clock, end = VirtualClock(), SocketEnd("emulated arm")
    soft = ArmSettings(bandwidth=4.0, integral=0.0)
    arm = emulated_arm(station.loads(LEVER + TABLE), settings=soft, faults=faults)
    if epoch:
        reading = arm.reading
        arm.reading = lambda: (said := reading())._replace(time=said.time + epoch)  # type: ignore[method-assign]
    network = NetworkSettings(delay=delay, jitter=0.2 * delay, loss=0.05) if delay else None
    server = far_side(link, arm, clock, network=network, end=end)
    controller = ArmController("serial:emulated", clock, SerialLink(end.connect))
    try:
        controller.wait_until_ready()
        scene = station.loads(LEVER.replace("robot lever", DEVICE.format(haptics=haptics) + "robot lever"))
        with open_device("sim:syntaxer?" + urlencode({"hand": hand}), clock) as device, controller:
            wanted = Wanted(method=method, bilateral=bilateral, architecture=architecture)
            with Servo(put_together(scene, device, wanted, controller), clock=clock, folder=folder) as servo:
                yield ContactBench(servo, device, arm, server)
    finally:
        server.close()


def until(bench: Bench, time: float) -> Iterator[None]:
    while bench.servo.clock.now() < time - 1e-9:
        bench.ticks()
        yield


def generated(bench: Bench, time: float) -> float:
    """Most energy that contact has given to the hand until some time, by the ledger [J]."""
    lowest = 0.0
    for _ in until(bench, time):
        lowest = min(lowest, float(bench.shared.energy_parts[Cause.CONTACT]))
    return -lowest


@pytest.mark.parametrize("delay", [0.0, 0.02, 0.1])
def test_contact_of_the_arm_is_felt_and_generates_next_to_nothing(tmp_path: Path, delay: float) -> None:
    with contact_bench(tmp_path, delay) as bench:
        lost = generated(bench, PRESSED)
        assert bench.servo.part.state is ServoState.ENGAGED
        assert bench.shared.measured_wrench[2] > 3.0  # the table pushes the tool up
        assert bench.shared.wrench_parts[Cause.CONTACT, 2] > 0.1  # and the hand feels it
        assert bench.shared.reflection_method == LinkMethod.PASSIVITY
        lost = max(lost, generated(bench, UP))
        assert lost < 0.005
        assert bench.shared.wrench_parts[Cause.CONTACT, 2] == pytest.approx(0.0, abs=0.1)


def test_the_age_of_measurements_counts_the_way_over_the_link(tmp_path: Path) -> None:
    with contact_bench(tmp_path, 0.1) as bench:
        for _ in until(bench, DOWN):
            pass
        assert bench.shared.measured_age == pytest.approx(0.11, abs=0.02)
        assert bench.shared.predicted_age < 0.005  # the predicted robot obeys at once


def test_the_file_chooses_the_method_and_the_command_line_goes_first(tmp_path: Path) -> None:
    said = "bilateral { type direct  architecture position_position  firmness 900 }"
    with contact_bench(tmp_path, haptics=said) as bench:
        chosen = bench.servo.part.rig.reflection
        assert (chosen.method, chosen.architecture) == (BilateralMethod.DIRECT, Architecture.POSITION_POSITION)
        assert chosen.firmness == 900.0
        assert chosen.force_scale == 0.1
    with contact_bench(tmp_path, 0.0, said, BilateralMethod.PASSIVITY, Architecture.FOUR_CHANNEL) as bench:
        chosen = bench.servo.part.rig.reflection
        assert (chosen.method, chosen.architecture) == (BilateralMethod.PASSIVITY, Architecture.FOUR_CHANNEL)


def test_waves_need_an_arm_that_knows_them(tmp_path: Path) -> None:
    with (
        pytest.raises(station.StationError, match="waves need an arm side that runs its end"),
        contact_bench(tmp_path, bilateral=BilateralMethod.WAVES),
    ):
        pass


def test_the_method_is_changed_by_command(tmp_path: Path) -> None:
    with contact_bench(tmp_path) as bench:
        decide = bench.servo.part.orders.decide
        assert decide(SetReflection(LinkMethod.DIRECT)) is Reason.ACCEPTED
        bench.ticks()
        assert bench.shared.reflection_method == LinkMethod.DIRECT
        assert decide(SetReflection(LinkMethod.WAVES)) is Reason.OUT_OF_RANGE
        bench.ticks()
        assert bench.shared.reflection_method == LinkMethod.DIRECT


@pytest.mark.parametrize("architecture", [Architecture.POSITION_POSITION, Architecture.FOUR_CHANNEL])
def test_the_place_of_the_arm_is_felt_too(tmp_path: Path, architecture: Architecture) -> None:
    with contact_bench(tmp_path, architecture=architecture) as bench:
        lost = generated(bench, PRESSED)
        behind = bench.shared.measured_pose[2, 3] - bench.shared.predicted_pose[2, 3]
        assert behind > 0.002  # the table holds the tool up
        assert bench.shared.wrench_parts[Cause.CONTACT, 2] > 0.2
        assert max(lost, generated(bench, UP)) < 0.005


def test_what_other_methods_take_away_is_not_booked(tmp_path: Path) -> None:
    """Energy bounding takes a part of the contact: the hand has put less into it than was wanted."""
    with contact_bench(tmp_path, method=Method.BOUNDING) as bench:
        assert generated(bench, PRESSED) < 0.005
        assert bench.servo.part.arm is not None
        assert bench.shared.wrench_parts[Cause.PASSIVITY, 2] < -0.1
        booked = bench.servo.part.arm.end.inputs.force[2]  # that acted
        assert 0.05 < booked < 0.9 * bench.shared.wrench_parts[Cause.CONTACT, 2]


def test_an_arm_that_falls_silent_takes_its_force_along(tmp_path: Path) -> None:
    with contact_bench(tmp_path) as bench:
        for _ in until(bench, PRESSED):
            pass
        assert bench.servo.part.arm is not None
        bench.servo.part.arm.controller.newest = lambda: None  # type: ignore[method-assign]
        for _ in until(bench, PRESSED + 0.06):
            pass
        assert BilateralStatus.STALE in bench.shared.reflection_status
        for _ in until(bench, PRESSED + 0.2):
            pass
        assert np.abs(bench.servo.part.memory.felt_wrench).max() == 0.0


def test_a_steady_contact_stays_felt_with_the_observer_of_all_forces(tmp_path: Path) -> None:
    """What was pressed into it is there to be given back, so nothing is taken away."""
    with contact_bench(tmp_path, method=Method.OBSERVER) as bench:
        assert generated(bench, PRESSED) < 0.005
        felt, taken = bench.shared.wrench_parts[Cause.CONTACT, 2], bench.shared.wrench_parts[Cause.PASSIVITY, 2]
        assert felt > 0.1
        assert abs(taken) < 0.1 * felt
