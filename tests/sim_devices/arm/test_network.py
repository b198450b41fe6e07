"""A network between station and arm: delay, jitter, loss, bandwidth, order; seeded."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as some

from sim_devices.arm import ArmError, ArmFaultScript, Network, NetworkSettings


def through(settings: NetworkSettings, count: int = 1000, seed: int = 0, faults: str = "") -> list[tuple[float, bytes]]:
    """What comes out of a network that gets a message per millisecond, and when."""
    script = ArmFaultScript(faults)
    network: Network[bytes] = Network(settings, seed, script)
    arrived = []
    for k in range(count + 2500):
        script.update(k / 1000, {})
        if k < count:
            network.send(k / 1000, k.to_bytes(4, "big"))
        arrived += [(k / 1000, message) for message in network.due(k / 1000)]
    return arrived


def numbers(arrived: list[tuple[float, bytes]]) -> list[int]:
    return [int.from_bytes(message, "big") for _, message in arrived]


def ages(arrived: list[tuple[float, bytes]]) -> np.ndarray:
    return np.array([time - int.from_bytes(message, "big") / 1000 for time, message in arrived])


def test_a_good_network_does_nothing() -> None:
    arrived = through(NetworkSettings())
    assert numbers(arrived) == list(range(1000))
    assert ages(arrived).max() < 0.0011  # looked at once per millisecond


@pytest.mark.parametrize("delay", [0.02, 1.0])
def test_a_constant_delay_is_kept(delay: float) -> None:
    assert ages(through(NetworkSettings(delay=delay))) == pytest.approx(delay, abs=1.1e-3)


def test_jitter_keeps_the_order_unless_told_otherwise() -> None:
    assert numbers(through(NetworkSettings(jitter=0.03))) == list(range(1000))
    free = numbers(through(NetworkSettings(jitter=0.03, in_order=False)))
    assert free != list(range(1000))
    assert sorted(free) == list(range(1000))


def test_jitter_is_between_none_and_the_most() -> None:
    late = ages(through(NetworkSettings(delay=0.1, jitter=0.05, in_order=False)))
    assert late.min() >= 0.1 - 1e-9
    assert late.max() <= 0.1511
    assert np.std(late) > 0.01


def test_loss_has_its_share() -> None:
    assert len(through(NetworkSettings(loss=0.05), 4000)) == pytest.approx(3800, abs=60)


def test_duplicates_come_twice() -> None:
    got = numbers(through(NetworkSettings(duplicate=0.1)))
    assert len(got) == pytest.approx(1100, abs=40)
    assert sorted(set(got)) == list(range(1000))


def test_reordered_messages_are_overtaken_by_the_next() -> None:
    got = numbers(through(NetworkSettings(reorder=0.1)))
    assert sorted(got) == list(range(1000))
    assert got != sorted(got)
    assert max(abs(place - number) for place, number in enumerate(got)) == 1


def test_the_last_message_comes_even_if_nothing_overtakes_it() -> None:
    network: Network[bytes] = Network(NetworkSettings(reorder=1.0))
    network.send(0.0, b"last")
    assert network.due(0.05) == []
    assert network.due(0.2) == [b"last"]


def test_corruption_turns_one_bit() -> None:
    network: Network[bytes] = Network(NetworkSettings(corrupt=1.0))
    network.send(0.0, bytes(16))
    (got,) = network.due(1.0)
    assert sum(byte.bit_count() for byte in got) == 1


def test_a_message_of_several_parts_is_broken_in_its_last() -> None:
    network: Network[tuple[bytes, ...]] = Network(NetworkSettings(corrupt=1.0))
    network.send(0.0, (b"address", bytes(4)))
    ((address, body),) = network.due(1.0)
    assert address == b"address"
    assert body != bytes(4)


def test_a_slow_link_makes_messages_wait_and_loses_what_waits_too_long() -> None:
    network: Network[bytes] = Network(NetworkSettings(bandwidth=8000.0))  # 1000 bytes per second
    for _ in range(30):
        network.send(0.0, bytes(100))
    assert len(network.due(0.35)) == 3
    assert len(network.due(10.0)) == 7
    assert network.traffic.lost == 20


def test_faults_act_on_it_by_script() -> None:
    def number_of(faults: str) -> int:
        return len(through(NetworkSettings(), 1000, 0, faults))

    assert number_of("drop p=1 at 0.2 for 0.3") == 700
    assert number_of("silence at 0.5") == 500
    assert number_of("duplicate p=1 at 0 for 0.1") == 1100
    delayed = ages(through(NetworkSettings(), 1000, 0, "delay ms=200 at 0.5"))
    assert delayed[:499].max() < 0.0011
    assert delayed[500:].min() > 0.199
    assert ages(through(NetworkSettings(), 500, 0, "jitter ms=40")).max() > 0.03
    swapped = numbers(through(NetworkSettings(), 100, 0, "reorder p=1 at 0 for 0.05"))
    assert swapped[:4] == [1, 0, 3, 2]
    broken = through(NetworkSettings(), 100, 0, "corrupt p=1 at 0.05 for 0.0005")
    assert sum(number != place for place, number in enumerate(numbers(broken))) == 1


def test_a_burst_holds_back_and_then_everything_comes_at_once() -> None:
    arrived = through(NetworkSettings(), 1000, 0, "burst ms=100 every=500")
    times = np.array([time for time, _ in arrived])
    assert not ((times > 0.0) & (times < 0.099)).any()
    assert not ((times > 0.5) & (times < 0.599)).any()
    assert (np.abs(times - 0.1) < 1e-3).sum() >= 100
    assert numbers(arrived) == list(range(1000))


def test_the_same_seed_gives_the_same_fate() -> None:
    rough = NetworkSettings(delay=0.02, jitter=0.05, loss=0.1, duplicate=0.05, reorder=0.1, corrupt=0.1)
    assert through(rough, seed=4) == through(rough, seed=4)
    assert through(rough, seed=4) != through(rough, seed=5)


@given(some.lists(some.tuples(some.floats(0.0, 0.05), some.binary(max_size=40)), max_size=60), some.integers(0, 9))
def test_every_message_arrives_is_lost_or_is_on_the_way(sent: list[tuple[float, bytes]], seed: int) -> None:
    settings = NetworkSettings(delay=0.01, jitter=0.02, loss=0.2, duplicate=0.2, reorder=0.2, bandwidth=1e5)
    network: Network[bytes] = Network(settings, seed)
    now = 0.0
    for wait, message in sent:
        now += wait
        network.send(now, message)
        network.due(now)
    count = network.traffic
    assert count.sent + count.doubled == count.arrived + count.lost + network.waiting
    network.clear()
    assert network.due(1e9) == []


@pytest.mark.parametrize("wrong", [{"delay": 1.5}, {"loss": -0.1}, {"bandwidth": 0.0}, {"jitter": float("nan")}])
def test_settings_out_of_range_are_refused_in_one_line(wrong: dict[str, float]) -> None:
    with pytest.raises(ArmError, match="allowed") as refused:
        NetworkSettings(**wrong)  # type: ignore[arg-type]
    assert "\n" not in str(refused.value)
