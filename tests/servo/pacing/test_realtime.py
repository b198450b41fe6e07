"""Real-time scheduling where the system allows it; one line of advice where it does not."""

from __future__ import annotations

import gc
import os
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import pytest
import zmq

from station.message_threads import message_threads
from station.servo.pacing import RealTimeSettings, libc, real_time
from station.servo.pacing.realtime import PRIORITY

ALONE = RealTimeSettings(priority=0, lock_memory=False)


def forbidding(number: int) -> Callable[..., None]:
    """A call of the system that is not allowed."""

    def refuse(*_words: object, **_more: object) -> None:
        raise OSError(number, os.strerror(number))

    return refuse


def test_what_is_forbidden_is_told_in_one_line_with_advice(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "sched_setscheduler", forbidding(1))
    monkeypatch.setattr(libc, "lock_memory", forbidding(12))
    monkeypatch.setattr(libc, "set_timer_slack", forbidding(22))
    monkeypatch.setattr("station.servo.pacing.realtime.LATENCY", "/nowhere")
    with real_time() as got:
        assert (got.scheduled, got.locked) == (False, False)
    assert [note.what for note in got.notes] == ["timer slack", "locked memory", "real-time scheduling"]
    assert all("\n" not in str(note) and note.advice for note in got.notes)
    assert "rtprio 80" in str(got.notes[2])


def open_files() -> int:
    return len(list(Path("/proc/self/fd").iterdir()))


def test_processors_are_kept_awake_for_as_long_as_it_lasts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    latency = tmp_path / "cpu_dma_latency"
    monkeypatch.setattr("station.servo.pacing.realtime.LATENCY", str(latency))
    with real_time() as got:
        assert not got.awake  # there is nothing to ask
    latency.write_bytes(b"before")
    open_before = open_files()
    with real_time() as got:
        assert got.awake
        assert latency.read_bytes()[:4] == bytes(4)  # not a microsecond
        assert open_files() == open_before + 1
    assert open_files() == open_before
    monkeypatch.setattr(os, "open", forbidding(13))
    with real_time() as got:
        assert not got.awake
    assert "cpu_dma_latency" in next(note for note in got.notes if note.what == "processors that stay awake").advice


def test_threads_that_carry_messages_are_real_time_too() -> None:
    with zmq.Context() as context, context.socket(zmq.PUSH):
        with real_time() as got:
            threads = message_threads()
            assert threads
            if not got.scheduled:
                pytest.skip("SCHED_FIFO is not allowed here")
            assert {os.sched_getscheduler(thread) for thread in threads} == {os.SCHED_FIFO}
            assert {os.sched_getparam(thread).sched_priority for thread in threads} == {PRIORITY - 1}  # below the tick
        assert {os.sched_getscheduler(thread) for thread in threads} == {os.SCHED_OTHER}


def test_so_are_threads_of_drivers_and_they_give_the_interpreter_back_soon() -> None:
    ended, before = threading.Event(), sys.getswitchinterval()
    thread = threading.Thread(target=ended.wait)
    thread.start()
    try:
        with real_time() as got:
            assert thread.native_id in message_threads()
            assert sys.getswitchinterval() < before
            if got.scheduled:
                assert os.sched_getparam(thread.native_id or 0).sched_priority == PRIORITY - 1
        assert sys.getswitchinterval() == before
        assert os.sched_getscheduler(thread.native_id or 0) == os.SCHED_OTHER
    finally:
        ended.set()
        thread.join()
    assert threading.get_native_id() not in message_threads()


def test_a_core_that_is_not_there_is_told_with_those_that_are() -> None:
    with real_time(RealTimeSettings(priority=0, lock_memory=False, core=999)) as got:
        assert not got.pinned
    assert "core 999" in str(got.notes[0])
    assert str(min(os.sched_getaffinity(0))) in got.notes[0].advice


def test_everything_is_as_before_afterwards() -> None:
    before = os.sched_getaffinity(0), gc.isenabled(), libc.timer_slack(), os.sched_getscheduler(0)
    core = max(before[0])
    with real_time(RealTimeSettings(core=core)) as got:
        assert got.pinned
        assert os.sched_getaffinity(0) == {core}
        assert not gc.isenabled()
        assert libc.timer_slack() == 1 or got.scheduled  # the kernel knows no slack for real-time threads
        assert not got.scheduled or os.sched_getscheduler(0) == os.SCHED_FIFO
    assert (os.sched_getaffinity(0), gc.isenabled(), libc.timer_slack(), os.sched_getscheduler(0)) == before


def test_an_error_inside_still_undoes_everything() -> None:
    with pytest.raises(KeyError), real_time(ALONE):
        raise KeyError
    assert gc.isenabled()
    assert gc.get_freeze_count() == 0


def test_garbage_may_be_collected_on_request() -> None:
    with real_time(RealTimeSettings(priority=0, lock_memory=False, collect_garbage=True)):
        assert gc.isenabled()


def test_memory_to_come_is_locked_only_where_there_is_no_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[bool] = []
    monkeypatch.setattr(libc, "lock_memory", lambda future: asked.append(bool(future)))
    monkeypatch.setattr(libc, "unlock_memory", lambda: None)
    monkeypatch.setattr("station.servo.pacing.realtime.capable", lambda _capability: False)
    for bound in (1 << 23, -1):
        monkeypatch.setattr("resource.getrlimit", lambda _kind, bound=bound: (bound, bound))
        monkeypatch.setattr("resource.setrlimit", lambda _kind, _limits: None)
        with real_time(RealTimeSettings(priority=0)):
            pass
    assert asked == [False, True]


LOCKING = """
import ctypes, mmap
from station.servo.pacing import libc

def there(memory):
    start = ctypes.addressof(ctypes.c_char.from_buffer(memory))
    return next(piece.touched >> 20 for piece in libc._memory() if piece.start <= start < piece.start + piece.size)

set_aside, used = mmap.mmap(-1, 32 << 20), mmap.mmap(-1, 8 << 20)
set_aside[0] = 1
for place in range(0, 1 << 20, 4096):
    used[place] = 1
try:
    libc.lock_memory(future=True)
except OSError:
    print("forbidden")
else:
    late = mmap.mmap(-1, 4 << 20)
    print(there(set_aside), there(used), there(late))
"""


def test_memory_that_is_in_use_is_brought_in_and_what_libraries_set_aside_is_not() -> None:
    done = subprocess.run([sys.executable, "-c", LOCKING], capture_output=True, text=True, check=True)
    if done.stdout.strip() == "forbidden":
        pytest.skip("memory may not be locked here")
    assert done.stdout.split() == ["0", "8", "4"]


@pytest.mark.parametrize("wrong", [{"priority": 100}, {"priority": -1}, {"core": -2}])
def test_absurd_settings_are_refused(wrong: dict[str, int]) -> None:
    with pytest.raises(ValueError, match=r"priority|core"):
        RealTimeSettings(**wrong)  # type: ignore[arg-type]
