"""Finding and opening Force Dimension devices: several of them, none, unknown ones, and no SDK at all."""

from __future__ import annotations

import sys

import pytest

from firmware_bridge.force_dimension.device import SCHEME, ForceDimensionScheme
from firmware_bridge.force_dimension.models import MODELS, Wrist, capabilities_of
from station.clock import VirtualClock
from station.devices.address import parse_address
from station.devices.device import AxisKind
from station.devices.errors import (
    AddressError,
    DeviceBusyError,
    DeviceError,
    DeviceMismatchError,
    DeviceNotFoundError,
)
from tests.firmware_bridge.force_dimension.bench import OMEGA3, OMEGA7, SIGMA7, Bench
from tests.firmware_bridge.force_dimension.fake import FakeDhd


def refusal(dhd: FakeDhd, url: str = "forcedimension:") -> DeviceError:
    with pytest.raises(DeviceError) as caught:
        ForceDimensionScheme(dhd.library).open(parse_address(url), VirtualClock())
    assert "\n" not in str(caught.value)
    return caught.value


def test_nothing_plugged_in() -> None:
    assert isinstance(refusal(FakeDhd([])), DeviceNotFoundError)


def test_several_must_be_told_apart_by_serial_number() -> None:
    error = refusal(FakeDhd([OMEGA3, SIGMA7]))
    assert isinstance(error, AddressError)
    assert "forcedimension:?serial=4711, forcedimension:?serial=4712" in str(error)
    bench = Bench(FakeDhd([OMEGA3, SIGMA7]), "forcedimension:?serial=4712")
    assert bench.device.capabilities.model == "Force Dimension sigma.7 right"
    assert bench.device.capabilities.serial_number == "4712"


def test_a_serial_number_that_is_not_there_or_is_none() -> None:
    error = refusal(FakeDhd(), "forcedimension:?serial=1")
    assert isinstance(error, DeviceNotFoundError)
    assert "there are: forcedimension:?serial=4711" in str(error)
    assert isinstance(refusal(FakeDhd(), "forcedimension:?serial=abc"), AddressError)


def test_one_that_another_program_has() -> None:
    dhd = FakeDhd()
    dhd.open_code, dhd.error = -1, 20
    assert isinstance(refusal(dhd), DeviceBusyError)


def test_a_kind_that_is_not_known_is_refused() -> None:
    error = refusal(FakeDhd([91]))
    assert isinstance(error, DeviceMismatchError)
    assert "delta.3" in str(error)


@pytest.mark.parametrize("kind", MODELS)
def test_every_kind_has_capabilities_that_fit_together(kind: int) -> None:
    model = MODELS[kind]
    capabilities = capabilities_of(model, "1")
    assert capabilities.actuated
    assert all(axis.kind is AxisKind.ABSOLUTE and axis.stiffness > 0.0 for axis in capabilities.axes[:3])
    turning = capabilities.axes[3].kind is AxisKind.ABSOLUTE
    assert turning == (model.wrist is not Wrist.NONE)
    assert capabilities.axes[3].actuated == (model.wrist is Wrist.ACTIVE)
    assert capabilities.grip == model.gripper


def test_finding_opens_nothing() -> None:
    dhd = FakeDhd([OMEGA3, OMEGA7])
    (found,) = ForceDimensionScheme(dhd.library).find()
    assert "2 of them" in found.detail
    assert dhd.calls == []


def test_without_the_package_one_line_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "forcedimension_core", None)
    with pytest.raises(DeviceNotFoundError) as caught:
        SCHEME.open(parse_address("forcedimension:"), VirtualClock())
    assert "\n" not in str(caught.value)
    assert list(SCHEME.find()) == []
