"""Opening that fails as it should."""

from __future__ import annotations

import pytest

from station.devices.errors import DeviceError
from tests.firmware_bridge.falcon.bench import Bench


def refusal(bench: Bench, kind: type[DeviceError], url: str = "usb:falcon") -> str:
    """Open it in vain; the text of the error, which is one line."""
    with pytest.raises(kind) as caught:
        bench.open(url)
    text = str(caught.value)
    assert "\n" not in text
    return text
