"""The whole way at an emulated syntaxer over its real driver: collect, estimate, judge, write, apply."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest

from calibration.collection import Held, Observation
from calibration.parameters import Floats
from calibration.report.page import html
from calibration.results import Subject, write_result
from calibration.syntaxer.collecting import Table
from calibration.syntaxer.delta import ZERO
from calibration.syntaxer.estimating import EARLIER, OWN, Found, Known, estimate_folder, from_places
from calibration.syntaxer.person import HoldAt
from sim_devices.syntaxer.plant.numbers import physics_of
from sim_devices.syntaxer.wrong import Truth, planted
from station.devices.errors import DeviceMismatchError
from station.devices.syntaxer import SyntaxerModel, geometry_from, numbers_of
from station.devices.syntaxer.state import parts_of
from station.devices.syntaxer.translation import step_per_count, survey
from tests.calibration.syntaxer.devices import at_table
from tests.calibration.syntaxer.planted import NOMINAL, PLAN, measured

WRONG = 3
SETS = ("stops", "places", "motion", "strings", "latency")
WHERE = [(0.17, 0.10, 0.05), (0.22, -0.12, 0.08), (0.27, 0.05, -0.13), (0.20, -0.05, -0.05), (0.25, 0.12, 0.02)]


class Calibrated(NamedTuple):
    """A device after its calibration."""

    found: dict[str, Found]
    file: Path
    truth: Truth


@pytest.fixture(scope="module")
def calibrated(tmp_path_factory: pytest.TempPathFactory) -> Calibrated:
    """Everything collected with ordinary encoders, noise and a jig, over the real driver."""
    folder = tmp_path_factory.mktemp("syntaxer")
    with at_table(f"wrong={WRONG}") as table:
        table.collecting(folder, Table(places=30)).run(SETS)
        truth = table.emulator.truth
    subject, found = estimate_folder(folder)
    file = folder / "syntaxer.json"
    for one in found:
        write_result(file, one.result(subject))
    return Calibrated({one.method.removeprefix("syntaxer "): one for one in found}, file, truth)


def off(found: Found, truth: Floats) -> Floats:
    """Errors of the parameters that were told, in their stated standard deviations."""
    told = [(one, true) for one, true in zip(found.judgement.parameters, truth, strict=True) if not one.fixed]
    return np.array([(one.value - true) / one.deviation for one, true in told])


def test_the_emulator_is_not_what_it_says_and_always_the_same(calibrated: Calibrated) -> None:
    assert planted(NOMINAL, WRONG) == planted(NOMINAL, WRONG)
    assert planted(NOMINAL, WRONG) != planted(NOMINAL, WRONG + 1)
    said, true = numbers_of(NOMINAL), numbers_of(calibrated.truth.geometry)
    wrong = {name for name in said if said[name] != true[name]}
    assert {"chains.1.arm", "chains.2.zero", "chains.3.ratio", "chains.1.motor_gain", "home.5", "balancer.3"} <= wrong


def test_zeros_by_stops_are_as_good_as_stated(calibrated: Calibrated) -> None:
    chains = calibrated.truth.geometry.chains
    truth = np.array([*(chain.zero for chain in chains), *(chain.ratio for chain in chains)])
    assert np.abs(off(calibrated.found["zeros by stops"], truth)).max() < 3.5


def test_geometry_is_within_its_standard_deviations(calibrated: Calibrated) -> None:
    found = calibrated.found["geometry"]
    errors = []
    for n, chain in enumerate(calibrated.truth.geometry.chains):
        mine = {one.name.removeprefix(f"chain {n + 1} "): one for one in found.judgement.parameters[7 * n : 7 * n + 7]}
        assert mine["platform radius"].fixed
        reach = chain.base_radius - chain.platform_radius + mine["platform radius"].value
        told = ("azimuth", "arm", "bar", "zero", "ratio")
        errors += [(mine[name].value - getattr(chain, name)) / mine[name].deviation for name in told]
        errors.append((mine["base radius"].value - reach) / mine["base radius"].deviation)
    assert np.sqrt(np.mean(np.square(errors))) < 1.7
    assert np.abs(errors).max() < 4.0
    assert np.sqrt(np.mean(found.after**2)) < 3e-5


def test_everything_is_told_from_the_numbers_of_the_device_itself(calibrated: Calibrated) -> None:
    """And not from what the sets before have found: zeros by stops are within a tenth of a degree already."""
    found, truth = calibrated.found["geometry"], calibrated.truth.geometry
    assert found.against == OWN
    assert np.sqrt(np.mean(found.before**2)) > 3e-3  # as the driver is off without a calibration
    for n, chain in enumerate(truth.chains):
        zero = found.judgement.parameters[7 * n + ZERO]
        assert zero.nominal == NOMINAL.chains[n].zero
        assert zero.value - zero.nominal == pytest.approx(chain.zero - NOMINAL.chains[n].zero, abs=5e-4)
    arms = calibrated.found["torques"]
    assert arms.judgement.nominal_residuals[0] != arms.judgement.residuals[0]
    assert [one.nominal for one in calibrated.found["latency"].judgement.parameters] == [0.0, 0.0]
    result = found.result(Subject.device("SIM-0001", "syntaxer"))
    assert f"against {OWN}.".encode() in html([result])


def test_what_a_device_says_of_itself_may_be_impossible() -> None:
    """Zeros so far off that the parts would not fit together: told from what was found before, and it is said."""
    data = measured(PLAN[::3], 1e-5, 2e-4, steps=True)
    rows = zip(data.counts, data.positions, data.turns, strict=True)
    observations = [
        Observation(n, {"counts": counts, "position": place, "turn": turn})
        for n, (counts, place, turn) in enumerate(rows)
    ]
    facts = {"by": "jig", "noise": 1e-5, "turn_noise": 2e-4}
    held = Held(Subject.device("SN-1"), facts, observations)
    odd = geometry_from({f"chains.{n}.zero": (-1.0) ** n for n in (1, 2, 3)}, NOMINAL)
    found, _ = from_places(Known(odd, NOMINAL), held)
    assert found.against == EARLIER
    assert found.judgement.parameters[ZERO].nominal == NOMINAL.chains[0].zero


def test_stops_cannot_be_judged_by_themselves(calibrated: Calibrated) -> None:
    """Two stops tell the two numbers of an arm; a press that is held back would be predicted by its copy."""
    found = calibrated.found["zeros by stops"]
    assert (len(found.after), found.judgement.freedom) == (0, 0)
    assert 0.0 <= found.more["repeated_within"] < 1e-3
    result = found.result(Subject.device("SIM-0001", "syntaxer"))
    assert "held_back" not in result.values
    assert b"nothing left to judge noise by" in html([result])


def test_the_rotation_stage_is_within_its_standard_deviations(calibrated: Calibrated) -> None:
    struts, home = calibrated.truth.geometry.paramat.struts, calibrated.truth.geometry.home[3:]
    neutral = [-h * 2 * np.pi * strut.drum_radius / (2000 * strut.ratio) for h, strut in zip(home, struts, strict=True)]
    truth = np.array([*(strut.drum_radius for strut in struts), *neutral])
    assert np.abs(off(calibrated.found["rotation stage"], truth)).max() < 4.0


def test_torques_are_within_their_standard_deviations(calibrated: Calibrated) -> None:
    geometry, numbers = calibrated.truth
    physics, parts = physics_of(geometry, numbers), parts_of(geometry)
    truth = [*(chain.motor_gain for chain in geometry.chains), *physics.friction[:3], *physics.damping[:3]]
    truth += [*parts.chains.moment, *physics.inertia[:3], *geometry.balancer, parts.loads.carried]
    truth += [geometry.gravity[1] / 9.81, geometry.gravity[0] / 9.81]  # how it leans sideways and forwards
    found = calibrated.found["torques"]
    assert np.sqrt(np.mean(off(found, np.array(truth)) ** 2)) < 2.0
    assert np.abs(off(found, np.array(truth))).max() < 5.0
    gains = np.array([one.value for one in found.judgement.parameters[:3]])
    assert gains == pytest.approx(truth[:3], rel=0.005)


def test_strings_are_within_their_standard_deviations(calibrated: Calibrated) -> None:
    struts = calibrated.truth.geometry.paramat.struts
    truth = np.array([*(strut.motor_gain for strut in struts), *(strut.spring for strut in struts)])
    parameters = calibrated.found["strings"].judgement.parameters[:6]
    errors = np.array([(one.value - true) / one.deviation for one, true in zip(parameters, truth, strict=True)])
    assert np.abs(errors).max() < 5.0
    assert [one.value for one in parameters[:3]] == pytest.approx(truth[:3], rel=0.004)
    judgement = calibrated.found["strings"].judgement
    assert judgement.outliers == ()
    assert judgement.noise == pytest.approx(1.0, abs=0.12)  # of the amplifiers, and whole milliamperes on the wire


def test_latency_is_that_of_link_and_current_loop(calibrated: Calibrated) -> None:
    """A tick of the firmware, up to one of the host, and the current loop."""
    found = calibrated.found["latency"]
    delay, lag = found.judgement.parameters
    assert found.more["latency"] == pytest.approx(delay.value + lag.value)
    assert lag.value == pytest.approx(calibrated.truth.numbers.current_lag, abs=5.0 * lag.deviation + 3e-5)
    assert 0.0005 < found.more["latency"] < 0.0025
    assert np.sqrt(np.mean(found.after**2)) < 0.002  # of 80 mA that jump to and fro


def test_a_link_that_delays_is_found_out(tmp_path: Path) -> None:
    with at_table("faults=delay ms=3") as table:
        table.collecting(tmp_path).run(("latency",))
    (late,) = estimate_folder(tmp_path)[1]
    with at_table("seed=1") as table:
        table.collecting(tmp_path / "prompt").run(("latency",))
    (prompt,) = estimate_folder(tmp_path / "prompt")[1]
    assert late.more["latency"] - prompt.more["latency"] == pytest.approx(0.003, abs=1e-4)


# Applied --------------------------------------------------------------------------------------------------


def places_over_the_workspace(count: int) -> Floats:
    random = np.random.default_rng(12)
    radius, angle = 0.16 * np.sqrt(random.random(count)), 2.0 * np.pi * random.random(count)
    return np.stack([random.uniform(0.15, 0.29, count), radius * np.cos(angle), radius * np.sin(angle)], axis=1)


def position_errors(options: str, count: int = 12) -> tuple[Floats, Floats]:
    """Of the driver, at places all over the workspace [m]; and what one count moves the handle by there [m]."""
    errors, steps = [], []
    with at_table(options) as table:
        parts = parts_of(table.emulator.truth.geometry)
        for x, y, z in places_over_the_workspace(count):
            table.person.do(HoldAt((x, y, z), (0.05, -0.05, 0.05)))
            table.live(0.02)
            state = table.driver.state
            assert state is not None
            pose = table.driver.model.pose(state.counts)
            true = table.emulator.plant.pose
            errors.append(float(np.linalg.norm(pose[:3, 3] - true[:3, 3])))
            steps.append(float(step_per_count(survey(parts, true[:3, 3]), parts)[0]))
    return np.array(errors), np.array(steps)


def test_places_are_right_to_the_resolution_of_the_encoders(calibrated: Calibrated) -> None:
    before, _ = position_errors(f"wrong={WRONG}", 3)
    after, steps = position_errors(f"wrong={WRONG}&calibration={calibrated.file}")
    assert before.max() > 2e-3
    assert (after <= 1.2 * steps).all()
    assert np.sqrt(np.mean(after**2)) <= steps.mean()


def test_forces_are_right_to_two_percent(calibrated: Calibrated) -> None:
    """The force of the currents that the firmware lets flow, by the true device, against what was asked for."""
    errors: dict[str, list[float]] = {"before": [], "after": []}
    for name, option in (("before", ""), ("after", f"&calibration={calibrated.file}")):
        with at_table(f"wrong={WRONG}{option}") as table:
            true, driver = SyntaxerModel(calibrated.truth.geometry), table.driver
            full = min(axis.peak for axis in driver.capabilities.axes[:3])
            for number, place in enumerate(WHERE):
                table.person.do(HoldAt(place, (0.0, 0.0, 0.0)))
                assert driver.enable_force()
                force = np.zeros(6)
                force[number % 3] = (1.0, -1.0)[number % 2] * 0.6 * full
                for _ in range(60):
                    table.bench.clock.sleep_until(table.bench.clock.now() + 0.001)
                    driver.newest()
                    driver.command(force)
                true.pose(table.emulator.plant.counts)
                given = true.wrench_of(table.emulator.plant.currents)
                errors[name].append(float(np.linalg.norm(given[:3] - force[:3]) / full))
                driver.disable_force()
    assert max(errors["after"]) < 0.02 < max(errors["before"])


def test_a_result_of_another_serial_number_is_not_applied(calibrated: Calibrated) -> None:
    with (
        pytest.raises(DeviceMismatchError, match=r"belongs to serial number SIM-0001 .* not to serial number SIM-0002"),
        at_table(f"serial=SIM-0002&calibration={calibrated.file}"),
    ):
        raise AssertionError("it was opened")
    with (
        pytest.raises(DeviceMismatchError, match=r"none\.json: cannot be read"),
        at_table(f"calibration={calibrated.file.with_name('none.json')}"),
    ):
        raise AssertionError("it was opened")


def test_the_driver_knows_the_latency(calibrated: Calibrated) -> None:
    with at_table(f"wrong={WRONG}&calibration={calibrated.file}") as table:
        assert table.driver.latency == calibrated.found["latency"].more["latency"]


# Without noise --------------------------------------------------------------------------------------------


def test_with_ideal_encoders_planted_errors_are_found_to_a_nanometre(tmp_path: Path) -> None:
    with at_table(f"wrong={WRONG}&ideal=1") as table:
        table.collecting(tmp_path, Table(places=30, noise=0.0, turn_noise=0.0)).run(("places",))
        truth = table.emulator.truth.geometry
    geometry, plate = estimate_folder(tmp_path)[1]
    found, true = geometry.numbers, numbers_of(truth)
    for n in (1, 2, 3):
        for name in ("azimuth", "arm", "bar", "zero"):
            assert found[f"chains.{n}.{name}"] == pytest.approx(true[f"chains.{n}.{name}"], abs=1e-9)
        reach = found[f"chains.{n}.base_radius"] - found[f"chains.{n}.platform_radius"]
        real = true[f"chains.{n}.base_radius"] - true[f"chains.{n}.platform_radius"]
        assert reach == pytest.approx(real, abs=1e-9)
        assert found[f"chains.{n}.ratio"] == pytest.approx(true[f"chains.{n}.ratio"], rel=1e-9)
        radius = f"paramat.struts.{n}.drum_radius"
        assert plate.numbers[radius] == pytest.approx(true[radius], abs=1e-9)
