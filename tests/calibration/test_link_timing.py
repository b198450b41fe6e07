"""Timing of links: what is planted is found, hold-ups are in the stated deviations, and the rest is refused."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest
from click.testing import CliRunner
from scipy.stats import chi2

from calibration import DataError, WrongDeviceError
from calibration.collection import Collection, read_collection
from calibration.command import calibrate_command
from calibration.leading import Led, SensorLostError
from calibration.origin import carrier
from calibration.results import Result, Subject, read_results, write_result
from calibration.timing import LinkTiming, link_timing, time_link
from calibration.timing.devices import DeviceHeard, device_timing, listen
from calibration.timing.kept import heard_data, heard_of, keep, led_data, led_of
from calibration.timing.lining import Records, line_up, timing_for
from calibration.timing.link import led_hash
from sim_devices.arm import NetworkSettings
from sim_devices.fixtures import Emulated
from sim_devices.syntaxer import SyntaxerEmulator
from station import mad
from station.clock import VirtualClock
from station.errors import StationError
from tests.calibration.arms import GRIPPER, arm_on_a_clock
from tests.calibration.planted import Floats
from tests.calibration.timed import BEGIN, TICK, Link, motion, planted

ARM = Subject.device("SN-7", "ur5e")
USUAL_WAIT = 1e-4 * np.sqrt(2.0 / np.pi) + 5e-5  # that setpoints are held up by the jitter of `Link`, stalls apart [s]


class Off(NamedTuple):
    """Errors of an estimate."""

    drift: float
    offset: float  # [s]
    total: float  # [s]


def errors(found: LinkTiming, link: Link) -> Off:
    clock = found.clock
    offset = link.offset + link.drift * (clock.middle - link.middle)
    total = link.there + link.lag + link.back + link.jitter * USUAL_WAIT
    return Off(clock.drift - link.drift, clock.offset - offset, found.total - total)


def test_without_noise_what_can_be_told_is_found_to_a_billionth() -> None:
    link = Link(jitter=0.0, by_ticks=False, there=2e-4)
    found = link_timing(planted(link))
    off = errors(found, link)
    assert abs(off.drift) < 1e-9
    assert abs(off.total) < 1e-9
    assert found.command + found.measured == pytest.approx(found.total, abs=1e-15)
    # What no exchange tells is bounded: the ways are not alike, and the arm looks at its clock once a period.
    assert abs(off.offset) < found.asymmetry
    assert found.asymmetry < 1e-3


def test_a_clock_by_ticks_costs_no_more_than_a_hundredth_of_a_tick() -> None:
    link = Link(jitter=0.0)
    found = link_timing(planted(link))
    assert np.abs(errors(found, link)) == pytest.approx(0.0, abs=1e-5)
    assert found.sampling is not None
    assert found.sampling.sure
    assert found.sampling.period == pytest.approx(1e-3, rel=1e-6)
    assert (found.sampling.at - BEGIN) % TICK == pytest.approx(3e-4, abs=1e-5)


def test_stalls_wander_and_waits_are_within_the_stated_deviations_a_hundred_times() -> None:
    link = Link()
    ratios = []
    for seed in range(100):
        found = link_timing(planted(link, seed))
        off = errors(found, link)
        stated = Off(found.clock.drift_deviation, found.clock.offset_deviation, found.deviation)
        ratios.append(np.array(off) / np.array(stated))
        assert stated.drift < 2e-5
        assert stated.total < 2e-4
        assert abs(off.offset) < found.asymmetry
    squares = np.sum(np.square(ratios), axis=0)
    assert (squares < chi2.ppf(1 - 1e-4, 100)).all()
    assert (squares > 0.1 * chi2.ppf(1e-4, 100)).all()  # rather too wide than too narrow, but not by much


def test_a_step_of_one_way_is_stated_though_it_looks_like_a_drift() -> None:
    link = Link(jitter=0.1)
    led = planted(link)
    late = [one._replace(arrival=one.arrival + 4e-4 * (one.arrival > link.middle)) for one in led.heard]
    found = link_timing(Led(led.sent, late, led.exchanged))
    assert abs(found.clock.drift - link.drift) < 2.0 * found.clock.drift_deviation
    assert found.clock.drift_deviation > 2e-5  # both ways alone differ by more


@pytest.mark.parametrize(("delay", "faults", "drift"), [(0.02, "", 0.0), (0.03, "clock-drift ppm=300", 3e-4)])
def test_a_link_is_timed_by_a_motion(delay: float, faults: str, drift: float) -> None:
    own = 0.0038  # of arm and ticks, without a network: measured by the first of these lines
    for network, way in ((None, 0.0), (NetworkSettings(delay=delay), delay)):
        with arm_on_a_clock(network=network, faults=faults, clock=VirtualClock(100.0)) as (arm, _):
            found = link_timing(time_link(arm.leader, 3.0))
        # A message waits for the next tick of whoever hears it: one millisecond each way at most.
        assert found.total == pytest.approx(own + 2.0 * way, abs=2.5e-3)
        assert found.clock.drift == pytest.approx(drift, abs=1e-6)
        # The arm's clock begins with its first tick, up to a millisecond after it was made.
        assert found.clock.offset == pytest.approx(-100.0 + drift * (found.clock.middle - 100.0), abs=1e-3)
        assert found.measured == pytest.approx(way, abs=1e-3)
        assert found.deviation < 5e-4


@pytest.mark.parametrize("faults", ["jitter ms=2", "burst ms=15 every=450", "drop p=0.1"])
def test_a_link_with_hold_ups_is_timed_over_its_real_driver(faults: str) -> None:
    with arm_on_a_clock(faults=f"clock-drift ppm=300; {faults} at 1") as (arm, _):
        found = link_timing(time_link(arm.leader, 3.0))
    assert abs(found.clock.drift - 3e-4) < 4.0 * found.clock.drift_deviation < 4e-4
    assert found.clock.held_up.usual < found.clock.held_up.rare


def test_what_tells_nothing_is_refused_in_one_line() -> None:
    led = planted(Link())
    still = [one._replace(q=np.zeros(1)) for one in led.heard]
    jumped = [one._replace(controller_time=one.controller_time + 0.05 * (k > 2000)) for k, one in enumerate(led.heard)]
    moved = [one._replace(heard=one.heard + 0.05 * (one.heard > jumped[2000].controller_time)) for one in led.exchanged]
    back = [one._replace(controller_time=one.controller_time - 0.5 * (k > 2000)) for k, one in enumerate(led.heard)]
    for bad, says in (
        (Led([], led.heard, led.exchanged), "nothing was sent"),
        (Led(led.sent, [], []), "nothing was heard"),
        (Led(led.sent[:30], led.heard[:30], led.exchanged[:30]), "samples; at least 50"),
        (Led(led.sent, led.heard, []), "messages there in 0 of 20 parts of the time"),
        (Led(led.sent, led.heard, led.exchanged[:900]), "messages there in . of 20 parts of the time"),
        (led._replace(heard=still), "does not move"),
        (led._replace(heard=jumped, exchanged=moved), r"the other clock jumped by \+0\.0[45].* s after 2\.\d s"),
        (led._replace(heard=back), r"the other clock went back by 0\.49"),
    ):
        with pytest.raises(DataError, match=says) as refused:
            link_timing(bad)
        assert "\n" not in str(refused.value)


def test_an_arm_that_is_lost_in_mid_motion_is_told() -> None:
    with (
        arm_on_a_clock(faults="silence at 2.5") as (arm, _),
        pytest.raises(SensorLostError, match=r"no measurement for|the arm"),
    ):
        time_link(arm.leader, 3.0)


@pytest.mark.parametrize("rate", [1.0, 1.0002])
def test_the_clock_of_a_syntaxer_is_found_over_its_driver(emulated: Emulated, rate: float) -> None:
    device = emulated("syntaxer", hand="none")
    assert isinstance(device.emulator, SyntaxerEmulator)
    device.emulator.clock_rate = rate
    found = device_timing(listen(device, emulated.clock, 3.0))
    assert found.clock is not None
    assert found.clock.drift == pytest.approx(rate - 1.0, abs=2e-6)
    assert found.clock.offset == pytest.approx((rate - 1.0) * found.clock.middle, abs=1e-3)
    assert abs(found.clock.drift - rate + 1.0) < 4.0 * found.clock.drift_deviation
    assert any(one.startswith("offset") for one in found.fixed)


def test_a_device_without_a_clock_is_said_to_have_none() -> None:
    told = np.arange(0.0, 2.0, 1e-3)
    found = device_timing(DeviceHeard(told, told + 8e-4, []))
    assert found.clock is None
    assert found.measured == pytest.approx(8e-4)
    assert found.fixed[0] == "clock: the device has no clock of its own"


def test_a_device_that_is_lost_or_said_too_little_is_refused(emulated: Emulated) -> None:
    with pytest.raises(SensorLostError, match="see to it, then time it again"):
        listen(emulated("syntaxer", hand="none", faults="silence at 0.5"), emulated.clock, 3.0)
    with pytest.raises(DataError, match="samples; at least 200"):
        device_timing(listen(emulated("syntaxer", hand="none"), emulated.clock, 0.1))


def test_commanded_and_measured_line_up() -> None:
    time: Floats = 1000.0 + np.arange(0.0, 4.0, 1e-3)
    age = np.random.default_rng(3).uniform(1e-3, 3e-3, len(time))
    records = Records(time, motion(time), np.zeros(len(time)), motion(time - age - 0.004), age)
    found = line_up(records, 0.004)
    assert found.lined_up.rms < 1e-6 < 1e-3 < found.side_by_side.rms
    assert found.late == pytest.approx(0.006, abs=1e-4)
    assert line_up(records, 0.0).lined_up.rms > 1e-3
    with pytest.raises(DataError, match="47 measurements show setpoints"):
        line_up(Records(*(one[:50] for one in records)), 0.0)


def test_a_timing_of_another_robot_is_not_applied(tmp_path: Path) -> None:
    file = tmp_path / "timing.json"
    write_result(file, Result(method="timing", subject=Subject.device("SN-7", "ur5e"), values={}, data_hash=""))
    assert timing_for(file, "ur5e").method == "timing"
    with pytest.raises(WrongDeviceError, match="not to macdac; it is not applied"):
        timing_for(file, "macdac")
    other = tmp_path / "force.json"
    write_result(other, Result(method="force sensor", subject=Subject.device("SN-7"), values={}, data_hash=""))
    with pytest.raises(DataError, match="holds no timing"):
        timing_for(other, "ur5e")


def test_what_fails_leaves_earlier_results_as_they_are(tmp_path: Path) -> None:
    file = tmp_path / "timing.json"
    write_result(file, Result(method="timing", subject=Subject.device("SN-7", "ur5e"), values={}, data_hash=""))
    before = file.read_bytes()
    for words in (
        ("device-timing", f"serial:{tmp_path}/none", "--out", file),
        ("timing", GRIPPER, "--controller", "tcp://127.0.0.1:1", "--out", file),
        ("line-up", tmp_path / "none.mcap", "--timing", file),
    ):
        done = CliRunner().invoke(calibrate_command, [str(word) for word in words])
        assert isinstance(done.exception, StationError)
        assert "\n" not in str(done.exception)
        assert file.read_bytes() == before


def kept_run(folder: Path, led: Led, subject: Subject = ARM) -> Path:
    """What a run would keep beside its result."""
    facts = {"what": "timing", "robot": carrier(mad.load(GRIPPER).robots[0]).id}
    return folder / keep(folder / "timing.json", subject, facts, led_data(led), led_hash(led))


def test_what_was_sent_and_heard_is_kept_and_tells_the_same_again(tmp_path: Path) -> None:
    led, out = planted(Link()), tmp_path / "timing.json"
    data = kept_run(tmp_path, led)
    assert led_hash(led_of(data, read_collection(data).observations[0].values)) == led_hash(led)
    before = data.read_bytes()
    assert kept_run(tmp_path, led) == data  # the same once more
    done = CliRunner().invoke(calibrate_command, ["timing", str(GRIPPER), "--data", str(data), "--out", str(out)])
    assert done.exit_code == 0, repr(done.exception)
    result = read_results(out)[0]
    assert result.data_hash == led_hash(led)
    assert result.values["data_file"] == data.name
    assert result.values["total"] == pytest.approx(link_timing(led).total, rel=1e-12)
    assert data.read_bytes() == before


def test_kept_data_of_something_else_are_refused(tmp_path: Path) -> None:
    data, out = kept_run(tmp_path, planted(Link())), tmp_path / "new.json"
    damaged = Collection(tmp_path / "damaged.jsonl", ARM, [], {"what": "timing"})
    damaged.add(0, {"sent": [["x"]], "heard": [], "exchanged": []})
    for words, says in (
        (("timing", "macdac", "--data", data), "is of the robot of MAD file"),
        (("device-timing", "--data", data), "holds no data of device timing"),
        (("timing", GRIPPER, "--data", damaged.path), "what was sent and heard is damaged"),
    ):
        done = CliRunner().invoke(calibrate_command, [str(word) for word in (*words, "--out", out)])
        assert isinstance(done.exception, StationError)
        assert says in str(done.exception)
        assert not out.exists()
    done = CliRunner().invoke(calibrate_command, ["timing", str(GRIPPER), "--out", str(out)])
    assert "give either --controller URL, or --data FILE" in done.output
    write_result(out, Result(method="timing", subject=Subject.device("SN-9"), values={}, data_hash=""))
    with pytest.raises(WrongDeviceError):
        keep(out, ARM, {}, {}, "0" * 64)
    assert not list(tmp_path.glob("new-*"))


def test_what_a_device_said_is_kept(tmp_path: Path, emulated: Emulated) -> None:
    heard = listen(emulated("syntaxer", hand="none"), emulated.clock, 1.0)
    name = keep(tmp_path / "d.json", ARM, {"what": "device timing"}, heard_data(heard), heard.hash)
    data, out = tmp_path / name, tmp_path / "d.json"
    done = CliRunner().invoke(calibrate_command, ["device-timing", "--data", str(data), "--out", str(out)])
    assert done.exit_code == 0, repr(done.exception)
    assert read_results(out)[0].data_hash == heard.hash
    assert heard_of(data, read_collection(data).observations[0].values).hash == heard.hash
