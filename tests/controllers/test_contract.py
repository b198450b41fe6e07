"""The contract of controllers on every link: in one process on a virtual clock, as processes, and on hardware."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

import pytest

from firmware_bridge.arm.linked import LinkedController
from sim_devices.arm_links.contract import ControllerContract, LosableContract
from station.clock import WALL
from station.controllers import Controller, open_controller
from tests.controllers.benches import BENCHES, Bench, modbus_serial, modbus_tcp
from tests.controllers.far_side import far_side


class OnBench(LosableContract):
    """With the double in this process."""

    bench: Bench

    @contextlib.contextmanager
    def opened(self, bench: Bench) -> Iterator[Controller]:
        self.bench, self.clock = bench, bench.clock
        with contextlib.closing(bench.server), bench.connect() as controller:
            yield controller

    def cut(self) -> None:
        self.bench.server.faults.add("silence; deaf")

    def mend(self) -> None:
        self.bench.server.faults.clear()


@pytest.mark.parametrize("link", BENCHES)
class TestEveryLink(OnBench):
    @pytest.fixture
    def controller(self, link: str) -> Iterator[Controller]:
        with self.opened(BENCHES[link]()) as controller:
            yield controller


@pytest.mark.parametrize("make", [modbus_tcp, modbus_serial], ids=["tcp", "serial"])
class TestModbusWithoutFunction23(OnBench):
    """An arm that writes and reads in two requests."""

    @pytest.fixture
    def controller(self, make: type[Bench]) -> Iterator[Controller]:
        with self.opened(make(combined=False)) as controller:  # type: ignore[call-arg]
            yield controller


@pytest.mark.parametrize("fault", ["delay ms=20", "jitter ms=5", "duplicate p=0.3", "drop p=0.02", "corrupt p=0.02"])
@pytest.mark.parametrize("link", ["zeromq", "serial"])
class TestBadLinks(OnBench):
    """The same on links that are slow, lossy or noisy."""

    @pytest.fixture
    def controller(self, link: str, fault: str) -> Iterator[Controller]:
        bench = BENCHES[link]()
        bench.server.faults.add(fault)
        with self.opened(bench) as controller:
            yield controller

    def cut(self) -> None:
        self.kept = list(self.bench.server.faults.faults)
        super().cut()

    def mend(self) -> None:
        super().mend()
        for fault in self.kept:
            self.bench.server.faults.add(fault, 0.0)


@pytest.fixture(scope="module", params=["zeromq", "serial", "modbus", "modbus-serial"])
def running(request: pytest.FixtureRequest) -> Iterator[str]:
    """Address of an arm that runs on."""
    with far_side(request.param) as (address, _):
        yield address


class TestProcess(ControllerContract):
    """The arm as a process of its own behind a socket or a pseudo-terminal, on wall time; stations come and go."""

    @pytest.fixture
    def controller(self, running: str) -> Iterator[Controller]:
        with open_controller(running, WALL) as controller:
            assert isinstance(controller, LinkedController)
            controller.lost_after = 1.0  # a busy machine must not fail the test
            yield controller


class TestHardware(ControllerContract):
    """Whatever `--station-controller` names."""

    may_release = False

    @pytest.fixture
    def controller(self, request: pytest.FixtureRequest) -> Iterator[Controller]:
        url = request.config.getoption("--station-controller")
        if not url:
            pytest.skip("no --station-controller URL given")
        with open_controller(url, WALL) as controller:
            yield controller
