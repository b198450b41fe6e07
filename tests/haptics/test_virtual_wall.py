"""The benchmark's own parts: what it measures must be able to fail, and the plot must be drawn."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks.virtual_wall import probe
from benchmarks.virtual_wall_plant import GRIPS, Device, OneAxis
from benchmarks.virtual_wall_plot import plot
from benchmarks.wall_rig import WALL, Run
from benchmarks.wall_syntaxer import ARM_FRICTION, CURRENTS, FIRMWARE, felt, rests, spot
from sim_devices.syntaxer.emulator import TICK
from sim_devices.syntaxer.plant.numbers import PlantNumbers
from station.devices.syntaxer import SyntaxerModel
from station.devices.syntaxer.translation import least_damping, survey
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
    assert drawn.count('class="late"') == 0
    late = plot(points, (100.0, 60_000.0), "2·b/T", {1e-3: 500.0})
    assert late.count('class="late"') == 2  # the line and its name


def test_the_bounds_of_the_emulated_syntaxer_are_those_of_its_model() -> None:
    at = spot()
    assert least_damping(survey(SyntaxerModel().parts, [(WALL, 0.0, 0.0)]), [0.02] * 3)[0] <= at.damping
    assert PlantNumbers().arm_friction == ARM_FRICTION
    assert PlantNumbers().current_lag == CURRENTS
    assert FIRMWARE == TICK


def _shaking(size: float, calming: float) -> Run:
    """A handle that shakes at 12 Hz while the hand leans on the wall."""
    times = np.arange(0.0, 1.95, 1e-3)
    depth = 1e-3 + 0.5 * size * np.sin(75.0 * times) * np.exp(-calming * (times - 1.18))
    nothing = np.zeros(len(times))
    return Run(times, depth, 1000.0 * depth, nothing, nothing, nothing, len(times))


def test_what_shakes_on_and_on_is_not_at_rest_and_what_calms_down_is() -> None:
    assert rests(_shaking(5e-5, 0.0))
    assert not rests(_shaking(1e-3, 0.0))
    assert not rests(_shaking(1e-3, -2.0))
    assert rests(_shaking(1e-3, 3.0))
    assert felt(_shaking(1e-3, 3.0)) == pytest.approx(1000.0)
