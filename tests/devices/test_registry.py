"""Finding the package behind a scheme."""

from __future__ import annotations

from importlib.metadata import EntryPoint

import pytest

from station.devices import open_device, registry, schemes
from station.devices.errors import AddressError


def test_all_schemes_of_this_project_can_be_loaded() -> None:
    for entry in schemes().values():
        scheme = entry.load()
        assert callable(scheme.open)
        assert callable(scheme.find)


def test_a_scheme_that_cannot_be_loaded_is_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    broken = EntryPoint("broken", "no_such_package.devices:SCHEME", registry.GROUP)
    monkeypatch.setattr(registry, "schemes", lambda: {"broken": broken})
    with pytest.raises(AddressError, match=r"no_such_package.* cannot be loaded") as caught:
        open_device("broken:x")
    assert "\n" not in str(caught.value)
