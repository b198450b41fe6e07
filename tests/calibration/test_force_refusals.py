"""What `station calibrate force` and `payload` never do: take another robot's data, guess, or go on."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import station
from calibration import DataError, UnitsError, WrongDeviceError
from calibration.collection import read_collection
from calibration.errors import NotExplainedError
from calibration.fitting import FitSettings, fit
from calibration.force import ForceModel, ForceReadings, Gains, Load, calibrate_force
from calibration.force.payload import weighing
from calibration.force.readings import weights
from calibration.origin import origin
from calibration.results import read_results
from tests.calibration import test_force as forces
from tests.calibration.arms import GRIPPER
from tests.calibration.refusing import emulated_arms, refused
from tests.calibration.test_sensor_commands import SERIAL, collected, run


def rows_of(data: ForceReadings) -> list[dict[str, Any]]:
    hung = [-1] * len(data.turns) if data.load_of is None else data.load_of
    return [
        {
            "turn": turn,
            "wrench": wrench,
            "deviation": data.noise,
            "load": None if load < 0 else [data.loads[load].mass, *data.loads[load].place],
        }
        for turn, wrench, load in zip(data.turns, data.wrenches, hung, strict=True)
    ]


def test_a_sensor_with_the_sign_reversed_is_refused(tmp_path: Path) -> None:
    data = forces.readings(12, 1.0)
    file = collected(tmp_path / "f.jsonl", SERIAL, rows_of(replace(data, wrenches=-data.wrenches)))
    error = refused("force", GRIPPER, file, "--out", tmp_path / "o.json")
    assert "the tool would weigh -1.3" in str(error)
    assert "sign reversed" in str(error)
    assert not (tmp_path / "o.json").exists()


def test_what_the_controller_takes_away_too_much_is_found_once_it_is_said(tmp_path: Path) -> None:
    data = forces.readings(12, 1.0)
    taken = replace(data, told=Load(2.0, (0.0, 0.0, 0.05)))
    less = data.wrenches - weights(data.down, 2.0, 2.0 * np.array([0.0, 0.0, 0.05]))
    file = collected(tmp_path / "f.jsonl", SERIAL, rows_of(replace(taken, wrenches=less)))
    refused("force", GRIPPER, file, "--out", tmp_path / "o.json")
    run("force", GRIPPER, file, "--out", tmp_path / "o.json", "--told", "2,0,0,50")
    values = read_results(tmp_path / "o.json")[0].values
    assert values["mass"] == pytest.approx(forces.MASS, abs=0.01)
    assert values["told"] == {"mass": 2.0, "centre": [0.0, 0.0, 0.05]}


def test_a_sensor_without_a_tool_tells_its_bias_and_no_centre(tmp_path: Path) -> None:
    data = forces.readings(12, 1.0)
    bare = data.wrenches - weights(data.down, forces.MASS, forces.MASS * forces.PLACE)
    found = calibrate_force(replace(data, wrenches=bare))
    assert found.correction.tool == Load(0.0, (0.0, 0.0, 0.0))
    assert found.correction.bias == pytest.approx(forces.BIAS, abs=0.05)
    assert [one.name for one in found.judgement.fixed] == ["tool mass", *(f"tool moment {axis}" for axis in "xyz")]
    assert all("the sensor tells no tool" in str(one) for one in found.judgement.fixed)
    gains = calibrate_force(replace(data, wrenches=bare), Gains.FULL)
    assert gains.correction.gain == pytest.approx(np.eye(6), abs=1e-12)
    file = collected(tmp_path / "f.jsonl", SERIAL, rows_of(replace(data, wrenches=bare)))
    assert "none that the sensor tells" in run("force", GRIPPER, file, "--out", tmp_path / "o.json").output


def test_the_right_mass_at_another_centre_is_no_missing_tool() -> None:
    data = forces.readings(12, 1.0)
    taken = weights(data.down, forces.MASS, forces.MASS * (forces.PLACE + np.array([0.05, 0.0, 0.0])))
    with pytest.raises(DataError, match="takes away the right mass at another centre"):
        calibrate_force(replace(data, wrenches=data.wrenches - taken))


def test_millinewtons_are_named() -> None:
    data = forces.readings(12, 1.0)
    loud = replace(data, wrenches=1000.0 * data.wrenches, force_noise=10.0, torque_noise=1.0)
    with pytest.raises(UnitsError, match="the tool would weigh 1300 kg, 100 at most: millinewtons given for newtons"):
        calibrate_force(loud)


def test_an_estimate_that_runs_out_of_turns_is_no_result() -> None:
    model = ForceModel(forces.readings(12, 1.0))
    with pytest.raises(NotExplainedError, match=r"did not settle within 2 turns: .* typical errors away; are units"):
        fit(model, FitSettings(turns=2))


def test_loads_are_those_of_the_collection_whatever_is_typed_later(tmp_path: Path) -> None:
    data = forces.readings(40, 1.0, gain=forces.GAIN, loads=forces.LOADS)
    file = collected(tmp_path / "f.jsonl", SERIAL, rows_of(data))
    run("force", GRIPPER, file, "--out", tmp_path / "o.json", "--gains", "full")
    assert read_results(tmp_path / "o.json")[0].values["gain"][2][2] == pytest.approx(forces.GAIN[2, 2], abs=0.01)
    later = run("force", GRIPPER, file, "--out", tmp_path / "o.json", "--load", "2,0,0,0", fails=True)
    assert "a collection knows its own" in later.output
    numbered = collected(tmp_path / "n.jsonl", SERIAL, [{**row, "load": 1} for row in rows_of(data)])
    assert "does not say which load hung there" in str(refused("force", GRIPPER, numbered, "--out", tmp_path / "x"))


def test_the_file_of_a_force_collection_is_looked_at(tmp_path: Path) -> None:
    facts = origin(station.load(GRIPPER).robots[0], 7, "SN-7")
    file = collected(tmp_path / "f.jsonl", SERIAL, rows_of(forces.readings(12, 1.0)), facts)
    gone = run("force", tmp_path / "nothing.mad", file, "--out", tmp_path / "o.json", fails=True)
    assert "there is no such file" in str(gone.exception)
    other = refused("force", "ur5e", file, "--out", tmp_path / "o.json")
    assert isinstance(other, WrongDeviceError)
    assert "is of the robot of MAD file" in str(other)
    assert isinstance(refused("force", GRIPPER, file, "--frame", 5, "--out", tmp_path / "o.json"), WrongDeviceError)
    assert not (tmp_path / "o.json").exists()
    run("force", GRIPPER, file, "--out", tmp_path / "o.json")
    values = read_results(tmp_path / "o.json")[0].values
    assert values["frame"] == 7
    assert values["robot"] == {"name": "ur5e", "mad": facts["robot"]}


def test_a_force_collection_over_the_link_says_who_measured_and_takes_no_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    emulated_arms(monkeypatch)
    file, out = tmp_path / "f.jsonl", tmp_path / "f.json"
    words = ("force", GRIPPER, file, "--count", 4, "--out", out)
    run(*words, "--controller", "seed:3")
    assert "was begun with serial number SIM-0003" in str(refused(*words, "--controller", "seed:9"))
    assert "was begun with frame 7, not with 5" in str(refused(*words, "--controller", "seed:3", "--frame", 5))
    assert "was begun with told none" in str(refused(*words, "--controller", "seed:3", "--told", "1,0,0,0"))
    held = read_collection(file)
    assert held.facts | {"start": 0} == {**origin(station.load(GRIPPER).robots[0], 7, "SIM-0003"), "start": 0}
    nothing_hangs = refused(*words, "--controller", "seed:3", "--load", "1.0,0,0,100")  # whatever is said
    assert isinstance(nothing_hangs, NotExplainedError)
    loads = [one.values["load"] for one in read_collection(file).observations]
    assert loads == [None] * 4 + [[1.0, 0.0, 0.0, 0.1]] * 4


def passes(path: Path, facts: dict[str, Any] | None, deviation: float = 1.0, load: bool = True) -> Path:
    arm = station.load(GRIPPER)["ur5e"]
    data = forces.passes(arm, 1.0)
    weight = weighing(arm, "gripper", data.joints).load @ [forces.MASS, *(forces.MASS * forces.PLACE)]
    efforts = data.efforts if load else data.efforts - weight
    rows = [
        {"joints": data.joints[k], "up": efforts[k], "down": efforts[k + 1], "deviation": deviation * data.noise}
        for k in range(0, len(data.joints), 2)
    ]
    return collected(path, SERIAL, rows, facts)


def test_a_payload_of_another_file_is_refused(tmp_path: Path) -> None:
    file = passes(tmp_path / "p.jsonl", origin(station.load(GRIPPER).robots[0], 7, "SN-7"))
    assert isinstance(refused("payload", "ur5e", file, "--out", tmp_path / "p.json"), WrongDeviceError)
    run("payload", GRIPPER, file, "--out", tmp_path / "p.json")
    values = read_results(tmp_path / "p.json")[0].values
    assert values["mass"] == pytest.approx(forces.MASS, abs=0.05)
    assert values["weight_of_arm"].startswith("masses of the MAD file, ")
    unsaid = passes(tmp_path / "u.jsonl", None)
    assert "does not say of which robot it is" in run("payload", "ur5e", unsaid, "--out", tmp_path / "u.json").output


def test_noise_of_the_empty_run_counts(tmp_path: Path) -> None:
    file, found = passes(tmp_path / "p.jsonl", None), []
    for deviation in (0.1, 10.0):
        empty = passes(tmp_path / f"{deviation}.jsonl", None, deviation, load=False)
        run("payload", GRIPPER, file, "--empty", empty, "--out", tmp_path / "p.json")
        found.append(read_results(tmp_path / "p.json")[0].values["mass_deviation"])
    assert found[1] > 5.0 * found[0]
