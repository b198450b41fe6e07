"""The on-screen panel: holds what a living window says, and nothing else."""

from __future__ import annotations

import threading

import numpy as np
import pytest

from station.clock import VirtualClock
from station.devices.address import parse_address
from station.devices.device import AxisKind, DeviceStatus
from station.devices.errors import AddressError, DeviceBusyError
from station.devices.software.deflection import AXES, FULL, TRAVEL
from station.devices.software.held import HELD_FOR
from station.devices.software.panel import PanelDevice, panels


@pytest.fixture
def clock() -> VirtualClock:
    return VirtualClock(start=5.0)


@pytest.fixture
def panel(clock: VirtualClock) -> PanelDevice:
    return PanelDevice("panel:", clock)


def test_before_a_window_shows_it_there_are_no_samples(panel: PanelDevice) -> None:
    assert panel.newest() is None
    assert panel.status is DeviceStatus.OPENING
    assert "no window" in panel.reason


@pytest.mark.parametrize("axis", AXES)
def test_an_axis_is_deflected_by_a_share_of_its_travel(panel: PanelDevice, axis: str) -> None:
    panel.set_axis(axis, -0.5)
    sample = panel.newest()
    assert sample is not None
    place = AXES.index(axis)
    assert panel.capabilities.axes[place].kind is AxisKind.INCREMENTAL
    if place < 3:
        assert sample.pose[place, 3] == pytest.approx(-0.5 * FULL[place])
    else:
        assert np.trace(sample.pose[:3, :3]) == pytest.approx(1.0 + 2.0 * np.cos(0.5 * FULL[place]))


def test_a_value_holds_as_long_as_the_window_refreshes_it(panel: PanelDevice, clock: VirtualClock) -> None:
    panel.set_axis("x", 1.0)
    for _ in range(60):
        clock.advance(1.0 / 60.0)
        panel.refresh()
        sample = panel.newest()
        assert sample is not None
        assert sample.pose[0, 3] == TRAVEL
        assert sample.arrival == clock.now()


def test_a_window_that_hangs_is_let_go_of_and_reported(panel: PanelDevice, clock: VirtualClock) -> None:
    panel.set_axis("x", 1.0)
    panel.press("dead-man")
    clock.advance(HELD_FOR)
    assert panel.newest() is not None
    clock.advance(0.001)
    assert panel.newest() is None
    assert panel.status is DeviceStatus.LOST
    assert "still for 101 ms" in panel.reason


def test_a_window_that_wakes_up_starts_from_zero(panel: PanelDevice, clock: VirtualClock) -> None:
    panel.set_axis("x", 1.0)
    panel.press("dead-man")
    clock.advance(1.0)
    panel.refresh()
    sample = panel.newest()
    assert sample is not None
    np.testing.assert_array_equal(sample.pose, np.eye(4))
    assert sample.buttons == 0
    assert panel.status is DeviceStatus.READY


def test_buttons_are_bits_in_the_order_of_the_capabilities(panel: PanelDevice) -> None:
    for bit, name in enumerate(panel.capabilities.buttons):
        panel.press(name)
        sample = panel.newest()
        assert sample is not None
        assert sample.buttons == 1 << bit
        panel.release(name)


def test_values_beyond_the_travel_are_cut_and_nonsense_is_zero(panel: PanelDevice) -> None:
    panel.set_axis("y", 7.0)
    panel.set_axis("z", float("nan"))
    sample = panel.newest()
    assert sample is not None
    np.testing.assert_allclose(sample.pose[:3, 3], (0.0, TRAVEL, 0.0))


def test_unknown_names_are_refused_with_those_that_there_are(panel: PanelDevice) -> None:
    with pytest.raises(AddressError, match="there are: x, y, z, rx, ry, rz"):
        panel.set_axis("w", 1.0)
    with pytest.raises(AddressError, match="there are: dead-man, clutch, grip"):
        panel.press("fire")


def test_a_window_finds_the_panel_by_its_name_until_it_is_closed(clock: VirtualClock) -> None:
    device = panels.open(parse_address("panel:left"), clock)
    assert panels.get("left") is device
    assert panels.get() is None
    with pytest.raises(DeviceBusyError):
        panels.open(parse_address("panel:left"), clock)
    device.close()
    device.close()
    assert panels.get("left") is None
    assert device.newest() is None
    device.set_axis("x", 1.0)
    assert device.newest() is None, "a window that does not know does no harm"
    with pytest.raises(AddressError, match="it takes none"):
        panels.open(parse_address("panel:?size=3"), clock)
    assert [found.url for found in panels.find()] == ["panel:"]


def test_many_threads_may_hold_it_at_once(panel: PanelDevice) -> None:
    def hold(axis: str) -> None:
        for step in range(500):
            panel.set_axis(axis, step / 500.0)
            panel.press("clutch")
            panel.release("clutch")

    threads = [threading.Thread(target=hold, args=(axis,)) for axis in AXES[:3]]
    for thread in threads:
        thread.start()
    while any(thread.is_alive() for thread in threads):
        sample = panel.newest()
        assert sample is None or np.isfinite(sample.pose).all()
    sample = panel.newest()
    assert sample is not None
    np.testing.assert_allclose(sample.pose[:3, 3], 0.998 * TRAVEL)
    assert not panel.enable_force()
