"""The benchmark's own parts: what it measures must be able to fail, and the plot must be drawn."""

from __future__ import annotations

import pytest

from benchmarks.virtual_wall import probe
from benchmarks.virtual_wall_plant import GRIPS, Device, OneAxis
from benchmarks.virtual_wall_plot import plot
from station.haptics import Method

DEVICE = Device()


def test_far_above_the_bound_the_plain_coupling_generates_energy() -> None:
    wall = probe(OneAxis(DEVICE, GRIPS["loose"], 2e-3), Method.COUPLING_ONLY, 4000.0, 2e-3, DEVICE)
    assert wall.generated > 1e-3
    assert not wall.stable


@pytest.mark.parametrize("method", [Method.OBSERVER, Method.BOUNDING])
@pytest.mark.parametrize("grip", GRIPS.values(), ids=GRIPS.keys())
@pytest.mark.parametrize("stiffness", [4000.0, 40_000.0])
def test_with_passivity_control_the_same_walls_do_not(method: Method, grip: object, stiffness: float) -> None:
    wall = probe(OneAxis(DEVICE, grip, 2e-3), method, stiffness, 2e-3, DEVICE)  # type: ignore[arg-type]
    assert wall.generated < 1e-3
    assert wall.buzz < 1e-3


@pytest.mark.parametrize("method", Method)
def test_below_the_bound_all_walls_are_stable_and_as_they_are_set(method: Method) -> None:
    wall = probe(OneAxis(DEVICE, GRIPS["loose"], 1e-3), method, 1000.0, 1e-3, DEVICE)
    assert wall.stable
    assert wall.error < 0.02
    assert wall.drag == 0.0


def test_the_plot_names_every_method() -> None:
    points = [(str(method), "loose", 1e-3, 2000.0, 5000.0, 4000.0) for method in Method]
    drawn = plot(points)
    assert all(str(method) in drawn for method in Method)
    assert drawn.count("<circle") == 6
