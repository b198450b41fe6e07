"""The 3D mouse: records as its maker has them, a greeting that resets what does not answer, and its reach."""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from firmware_bridge.mouse3d import MIDDLE, STATION, Parser, Record, decode, encode, open_mouse3d, record_of
from sim_devices.ends import SocketEnd
from sim_devices.faults import FaultScript, parse_faults
from sim_devices.mouse3d import Mouse3dEmulator
from station.clock import VirtualClock
from station.devices import open_device
from station.devices.address import parse_address
from station.devices.device import AxisKind, Device, DeviceStatus
from station.devices.errors import DeviceMismatchError, DeviceSilentError


def test_a_record_by_hand() -> None:
    # 10 inches right, 1 inch down, 20 inches to the operator; yaw 90°; left button.
    data = bytes([0x84, 0, 78, 16, 0x7F, 0x78, 0x18, 1, 28, 32, 0, 0, 28, 16, 0, 0])
    record = decode(data)
    assert record == Record(0x04, (10_000, -1_000, 20_000), (0, 3600, 0))
    assert encode(record) == data
    assert record.buttons == 1
    assert record.pose[:3, 3] == pytest.approx([0.508 - MIDDLE, 0.254, -0.0254])  # to the operator, right, up
    assert record.pose[:3, :3] @ (1.0, 0.0, 0.0) == pytest.approx([0.0, 1.0, 0.0], abs=1e-12)  # about what is up


def test_the_rotation_is_yaw_pitch_roll_of_the_makers_axes() -> None:
    random = np.random.default_rng(2)
    for _ in range(50):
        pitch, yaw, roll = (int(count) for count in random.integers(0, 14_400, 3))
        makers = Rotation.from_euler("YXZ", np.array([yaw, pitch, roll]) / 40.0, degrees=True).as_matrix()
        assert np.allclose(Record(0, (0, 0, 0), (pitch, yaw, roll)).pose[:3, :3], STATION @ makers @ STATION.T)


def test_any_pose_comes_back_within_half_a_count() -> None:
    random = np.random.default_rng(3)
    for _ in range(300):
        pose = np.eye(4)
        pose[:3, :3] = Rotation.random(random_state=random).as_matrix()
        pose[:3, 3] = random.uniform(-0.4, 0.4, 3)
        back = decode(encode(record_of(pose, 0b1010))).pose
        assert np.abs(back[:3, 3] - pose[:3, 3]).max() < 0.0254e-3
        angle = np.linalg.norm(Rotation.from_matrix(back[:3, :3] @ pose[:3, :3].T).as_rotvec())
        assert angle < math.radians(0.04)
    assert record_of(np.eye(4), 0b1010).buttons == 0b1010


def test_records_are_found_among_other_bytes() -> None:
    record = record_of(np.eye(4), 1)
    data, parser = encode(record), Parser()
    assert parser.feed(b"\x01\x02" + data[:7]) == []
    assert parser.feed(data[7:] + data[:9] + data) == [record, record]
    random = np.random.default_rng(1)
    for found in Parser().feed(random.bytes(20_000)):  # whatever it is, it is a pose
        assert np.isfinite(found.pose).all()


class Bench:
    """A driver and its emulator on one clock."""

    def __init__(self, device: Device, emulator: Mouse3dEmulator, clock: VirtualClock) -> None:
        self.device, self.emulator, self.clock = device, emulator, clock

    def status(self) -> DeviceStatus:
        return self.device.status

    def live(self, seconds: float) -> list[Any]:
        found = []
        for _ in range(round(1000 * seconds)):
            self.clock.advance(0.001)
            sample = self.device.newest()
            if sample is not None:
                found.append(sample)
        return found


@contextmanager
def opened(faults: str = "") -> Iterator[Bench]:
    clock, end = VirtualClock(), SocketEnd("line")
    emulator = Mouse3dEmulator(end, clock, FaultScript(parse_faults(faults)))
    try:
        with open_mouse3d(parse_address("serial:line?device=mouse3d"), clock, end.connect) as device:
            yield Bench(device, emulator, clock)
    finally:
        emulator.close()


def test_it_points_with_all_six_axes_fifty_times_a_second() -> None:
    with opened() as bench:
        assert all(axis.kind is AxisKind.ABSOLUTE for axis in bench.device.capabilities.axes)
        samples = bench.live(1.0)
        assert 48 <= len(samples) <= 51
        assert bench.status() is DeviceStatus.READY


def test_places_turns_and_speeds_arrive() -> None:
    with opened() as bench:
        samples = []
        for number in range(100):
            bench.emulator.pose[1, 3] = 0.001 * number
            bench.emulator.pose[:3, :3] = Rotation.from_rotvec((0.0, 0.0, 0.01 * number)).as_matrix()
            samples += bench.live(0.01)
        assert samples[-1].pose[1, 3] == pytest.approx(0.098, abs=0.003)
        assert samples[-1].velocity[1] == pytest.approx(0.1, rel=0.1)
        assert samples[-1].velocity[5] == pytest.approx(1.0, rel=0.1)


def test_a_mouse_that_does_not_answer_is_reset() -> None:
    with opened("deaf at 0 for 0.5") as bench:
        assert bench.clock.now() > 1.0
        assert bench.live(0.1)


def test_beyond_its_reach_it_is_lost_and_comes_back_by_itself() -> None:
    with opened() as bench:
        bench.emulator.pose[2, 3] = 1.0
        bench.live(0.2)
        assert bench.status() is DeviceStatus.LOST
        assert "beyond the reach" in bench.device.reason
        bench.emulator.pose[2, 3] = 0.0
        assert bench.live(0.1)
        assert bench.status() is DeviceStatus.READY


def test_silence_is_noticed_and_a_mouse_that_was_off_is_greeted_again() -> None:
    with opened("brown-out at 1 for 0.5") as bench:
        bench.live(1.1 - bench.clock.now())
        assert bench.status() is DeviceStatus.LOST
        assert bench.live(3.0)
        assert bench.status() is DeviceStatus.READY


def test_what_is_no_mouse_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(DeviceMismatchError, match="what answers there is no 3D mouse"), opened("other-device at 0"):
        pass
    with pytest.raises(DeviceSilentError), opened("deaf at 0"):
        pass
    monkeypatch.setattr("sim_devices.mouse3d.WORKS", (0xAF, 0x3F))
    with pytest.raises(DeviceMismatchError, match="the triangle does not work"), opened():
        pass


def test_the_emulated_hand_moves_and_turns_it() -> None:
    clock = VirtualClock()
    with open_device("sim:mouse3d?hand=tighten 1; reach 0.05 0.1 0 in 0.5; twist z=20deg for 1", clock) as device:
        samples = []
        for _ in range(1800):
            clock.advance(0.001)
            sample = device.newest()
            samples += [sample] if sample is not None else []
    assert samples[-1].pose[:3, 3] == pytest.approx([0.05, 0.1, 0.0], abs=0.01)
    assert Rotation.from_matrix(samples[-1].pose[:3, :3]).as_rotvec()[2] > math.radians(8.0)
