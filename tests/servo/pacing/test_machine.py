"""What `station doctor` finds out, on machines that are made up."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from station.servo.pacing import machine
from station.servo.pacing.machine import Fact, Verdict

GOOD, FAIR, POOR, UNKNOWN = Verdict.GOOD, Verdict.FAIR, Verdict.POOR, Verdict.UNKNOWN


def put(root: Path, place: str, text: str) -> Path:
    """Write a file of a made-up system."""
    file = root / place
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, encoding="utf-8")
    return root


def check(fact: Fact, verdict: Verdict, words: str) -> None:
    assert fact.verdict is verdict
    assert words in str(fact)
    assert "\n" not in str(fact)
    assert bool(fact.advice) == (verdict in (FAIR, POOR))


@pytest.mark.parametrize(
    ("limit", "verdict", "words"),
    [(99, GOOD, "up to 99"), (-1, GOOD, "allowed"), (20, FAIR, "only up to 20"), (0, POOR, "limits.conf")],
)
def test_permission_for_real_time_by_limit(tmp_path: Path, limit: int, verdict: Verdict, words: str) -> None:
    check(machine.scheduler(tmp_path, limit), verdict, words)


def test_a_capability_allows_real_time_and_locked_memory_without_a_limit(tmp_path: Path) -> None:
    put(tmp_path, "proc/self/status", "Name:\tpython\nCapEff:\t0000000000804000\n")
    check(machine.scheduler(tmp_path, 0), GOOD, "CAP_SYS_NICE")
    check(machine.lockable_memory(tmp_path, 0), GOOD, "not limited")


@pytest.mark.parametrize(
    ("limit", "verdict", "words"), [(8 << 20, FAIR, "8 MiB"), (2 << 30, GOOD, "2048 MiB"), (-1, GOOD, "not limited")]
)
def test_lockable_memory(tmp_path: Path, limit: int, verdict: Verdict, words: str) -> None:
    check(machine.lockable_memory(tmp_path, limit), verdict, words)


@pytest.mark.parametrize(
    ("runtime", "verdict", "words"), [("-1", GOOD, "not limited"), ("950000", GOOD, "95 %"), ("100000", POOR, "10 %")]
)
def test_share_of_real_time_processes(tmp_path: Path, runtime: str, verdict: Verdict, words: str) -> None:
    put(tmp_path, "proc/sys/kernel/sched_rt_period_us", "1000000\n")
    check(machine.throttling(put(tmp_path, "proc/sys/kernel/sched_rt_runtime_us", runtime)), verdict, words)


def test_one_slow_processor_is_enough_for_advice(tmp_path: Path) -> None:
    put(tmp_path, "sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "performance\n")
    check(machine.governor(tmp_path), GOOD, "performance")
    put(tmp_path, "sys/devices/system/cpu/cpu1/cpufreq/scaling_governor", "powersave\n")
    check(machine.governor(tmp_path), FAIR, "performance, powersave")


def test_deep_sleep(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    check(machine.sleep(tmp_path), UNKNOWN, "none to forbid")
    put(tmp_path, "dev/cpu_dma_latency", "")
    check(machine.sleep(tmp_path), GOOD, "forbidden to processors while a servo runs")
    monkeypatch.setattr(os, "access", lambda *_words: False)
    check(machine.sleep(tmp_path), FAIR, "processors may sleep and wake up late")


@pytest.mark.parametrize(("text", "verdict", "words"), [("2-3\n", GOOD, "2-3"), ("\n", FAIR, "isolcpus")])
def test_isolated_cores(tmp_path: Path, text: str, verdict: Verdict, words: str) -> None:
    check(machine.isolated_cores(put(tmp_path, "sys/devices/system/cpu/isolated", text)), verdict, words)


def test_timer_resolution() -> None:
    check(machine.timer_resolution(1e-9), GOOD, "1 ns")
    check(machine.timer_resolution(0.004), POOR, "HIGH_RES_TIMERS")


@pytest.mark.parametrize(
    ("files", "verdict", "words"),
    [
        ({"sys/kernel/realtime": "1\n"}, GOOD, "PREEMPT_RT"),
        ({"sys/kernel/debug/sched/preempt": "none voluntary (full) lazy\n"}, GOOD, "full"),
        ({"sys/kernel/debug/sched/preempt": "none (voluntary) full\n"}, FAIR, "voluntary"),
        ({"proc/sys/kernel/version": "#1 SMP PREEMPT_RT Debian\n"}, GOOD, "PREEMPT_RT"),
        ({"proc/sys/kernel/version": "#1 SMP PREEMPT_DYNAMIC Debian\n"}, FAIR, "preempt=full"),
        ({"proc/sys/kernel/version": "#1 SMP PREEMPT Debian\n"}, GOOD, "full"),
        ({"proc/sys/kernel/version": "#1 SMP Debian\n"}, FAIR, "voluntary"),
    ],
)
def test_kernel_preemption(tmp_path: Path, files: dict[str, str], verdict: Verdict, words: str) -> None:
    for place, text in files.items():
        put(tmp_path, place, text)
    check(machine.preemption(tmp_path), verdict, words)


def test_every_usb_serial_port_is_judged_by_itself(tmp_path: Path) -> None:
    put(tmp_path, "sys/bus/usb-serial/devices/ttyUSB0/latency_timer", "16\n")
    put(tmp_path, "sys/bus/usb-serial/devices/ttyUSB1/latency_timer", "1\n")
    put(tmp_path, "sys/bus/usb-serial/devices/ttyUSB2/latency_timer", "?\n")
    slow, quick, odd = machine.usb_latency(tmp_path)
    check(slow, POOR, "ttyUSB0/latency_timer")
    check(quick, GOOD, "1 ms")
    check(odd, UNKNOWN, "ttyUSB2")


@pytest.mark.parametrize(("stolen", "verdict"), [(0, GOOD), (20, FAIR), (200, POOR)])
def test_time_taken_by_the_hypervisor(tmp_path: Path, stolen: int, verdict: Verdict) -> None:
    put(tmp_path, "proc/stat", "cpu  100 0 100 800 0 0 0 50 0 0\ncpu0 1 1\n")
    later = f"cpu  200 0 200 {1600 - stolen} 0 0 0 {50 + stolen} 0 0\n"
    check(machine.steal(tmp_path, lambda: put(tmp_path, "proc/stat", later)), verdict, f"{stolen / 10:.1f} %")


def test_a_system_that_tells_nothing_gives_no_error(tmp_path: Path) -> None:
    names = {fact.name for fact in machine.facts(tmp_path) if fact.verdict is UNKNOWN}
    assert names == {"real-time share", "CPU governor", "deep sleep", "isolated cores", "kernel preemption"}


def test_this_machine_can_be_judged() -> None:
    assert all(fact.value for fact in machine.facts())
