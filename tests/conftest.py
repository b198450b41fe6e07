"""For all tests; and those of the wall clock one at a time, run again when the machine itself stood still.

A test that is marked `wall_clock` runs servo, devices and arms as processes in real time. Two of them at once would
take each other's processors, so one worker has them all. A shared machine takes its processors away for milliseconds,
whatever priority a process has, or is so busy that ordinary programs wait for tens of them: witnesses on each processor
note both (benchmarks/stalls.py). A test that failed while one stood still has shown nothing of the station and is run
again, twice at most; one that failed while all ran has failed. What was run again is said at the end.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator

# Before numpy is loaded: on a machine that is busy, threads of small matrix products wait for each other.
for library in ("OMP", "OPENBLAS", "MKL"):
    os.environ.setdefault(f"{library}_NUM_THREADS", "1")

import pytest  # noqa: E402
from _pytest.runner import runtestprotocol  # noqa: E402
from _pytest.terminal import TerminalReporter  # noqa: E402
from hypothesis import settings  # noqa: E402  numpy may come with it
from xdist.remote import Producer  # type: ignore[import-untyped]  # noqa: E402
from xdist.scheduler import LoadGroupScheduling  # type: ignore[import-untyped]  # noqa: E402

from benchmarks.stalls import Stalls  # noqa: E402

settings.register_profile("station", deadline=None)  # nothing here is timed: the first call of a kernel compiles it
settings.load_profile("station")

MARK = "wall_clock"
TRIES = 3
STOOD_STILL = 0.003  # shortest moment that a failure is put down to: three ticks [s]
KEPT_WAITING = 0.02  # the same of an ordinary program: a device is lost then [s]
AGAIN = "run again"  # key of the sentence in a report's properties

witness = pytest.StashKey[tuple[Stalls, Stalls]]()


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """All tests of the wall clock are for one worker."""
    for item in items:
        if item.get_closest_marker(MARK):
            item.add_marker(pytest.mark.xdist_group(MARK))


class ByFile(LoadGroupScheduling):  # type: ignore[misc]
    """Which tests a worker gets together: those of the wall clock, and else the tests of a file."""

    def _split_scope(self, nodeid: str) -> str:
        return MARK if nodeid.endswith(f"@{MARK}") else nodeid.partition("::")[0]


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Producer) -> ByFile:
    """What xdist asks."""
    return ByFile(config, log)


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_protocol(item: pytest.Item, nextitem: pytest.Item | None) -> bool | None:
    """Run a test of the wall clock, and again if it failed while the machine stood still."""
    if item.get_closest_marker(MARK) is None:
        return None
    witnesses = watching(item.config)
    item.ihook.pytest_runtest_logstart(nodeid=item.nodeid, location=item.location)
    for tries in range(1, TRIES + 1):
        begin = time.monotonic()
        reports = runtestprotocol(item, log=False, nextitem=nextitem)
        if tries == TRIES or not any(report.failed for report in reports):
            break
        for one in witnesses:
            one.look()
        stood, waited = (one.within(begin, time.monotonic()) for one in witnesses)
        if stood < STOOD_STILL and waited < KEPT_WAITING:
            break
        why = f"a processor stood still for {1e3 * stood:.0f} ms, ordinary programs waited for {1e3 * waited:.0f} ms"
        item.user_properties.append((AGAIN, f"{item.nodeid}: {why}"))
        item.session._setupstate.teardown_exact(None)  # what its module shares is made anew, too
        item._initrequest()  # type: ignore[attr-defined]
    for report in reports:
        item.ihook.pytest_runtest_logreport(report=report)
    item.ihook.pytest_runtest_logfinish(nodeid=item.nodeid, location=item.location)
    return True


def watching(config: pytest.Config) -> tuple[Stalls, Stalls]:
    """The witnesses of this process, above everybody else and ordinary ones; begun when they are first needed."""
    if witness not in config.stash:
        config.stash[witness] = Stalls().__enter__(), Stalls(priority=0, least=KEPT_WAITING).__enter__()
        for one in config.stash[witness]:
            config.add_cleanup(one.__exit__)
    return config.stash[witness]


def pytest_terminal_summary(terminalreporter: TerminalReporter) -> None:
    """Say what was run again, and why."""
    for line in sentences(terminalreporter):
        terminalreporter.write_line(f"run again: {line}")


def sentences(reporter: TerminalReporter) -> Iterator[str]:
    """One for each test that was run again."""
    for reports in reporter.stats.values():
        for report in reports:
            if getattr(report, "when", "") == "call":
                yield from (str(line) for key, line in report.user_properties if key == AGAIN)
