"""The device that docs/devices.md shows is a device."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from sim_devices.contract import DeviceContract
from station.clock import VirtualClock
from station.devices import Device, schemes
from station.devices.address import parse_address
from station.devices.errors import AddressError

MANUAL = (Path(__file__).parents[2] / "docs" / "devices.md").read_text(encoding="utf-8")
(EXAMPLE,) = re.findall(r"```python\n(.*?)```", MANUAL, re.DOTALL)


def scheme() -> Any:
    names: dict[str, Any] = {}
    exec(compile(EXAMPLE, "docs/devices.md", "exec"), names)
    return names["SCHEME"]


class TestExample(DeviceContract):
    @pytest.fixture
    def device(self) -> Iterator[Device]:
        self.clock = VirtualClock()
        with scheme().open(parse_address("circle:?radius=0.03"), self.clock) as device:
            yield device


def test_the_example_refuses_what_it_does_not_know() -> None:
    with pytest.raises(AddressError, match="there are: radius"):
        scheme().open(parse_address("circle:?radios=0.03"), VirtualClock())


def test_every_scheme_is_in_the_table_and_the_table_has_no_other() -> None:
    told = set(re.findall(r"^\| `(\w+):", MANUAL, re.MULTILINE)) | {"keyboard"}
    assert told == set(schemes())
