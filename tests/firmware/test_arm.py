"""The firmware on a Cortex-M3 under qemu-system-arm, its UART on a pty."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Iterator

import pytest

from firmware_bridge.firmware.build import ARM_COMPILER, build_arm_image
from firmware_bridge.firmware.library import built_in_identity
from tests.firmware.compiling import needs_compiler
from tests.firmware.conversation import check_rate, enable, shake_hands, stop, stream, wait_for_trip
from tests.firmware.line import Line

EMULATOR = "qemu-system-arm"

pytestmark = [
    pytest.mark.skipif(
        shutil.which(ARM_COMPILER) is None, reason="no cross compiler: apt-get install gcc-arm-none-eabi"
    ),
    pytest.mark.skipif(shutil.which(EMULATOR) is None, reason="no emulator: apt-get install qemu-system-arm"),
]


@pytest.fixture
def line() -> Iterator[Line]:
    image = str(build_arm_image())
    words = [EMULATOR, "-M", "lm3s6965evb", "-nographic", "-monitor", "none", "-serial", "pty", "-kernel", image]
    with subprocess.Popen(
        words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    ) as process:
        assert process.stdout is not None
        path = re.search(r"/dev/\S+", process.stdout.readline())
        assert path is not None
        opened = Line(path[0])
        yield opened
        opened.close()
        process.kill()


@needs_compiler
def test_it_is_the_same_device_as_on_the_host(line: Line) -> None:
    assert shake_hands(line) == built_in_identity()


@pytest.mark.parametrize("rate", [250, 1000])
def test_it_streams_at_the_rate_asked_for(line: Line, rate: int) -> None:
    check_rate(line, rate)


def test_it_moves_when_enabled_and_lets_go_in_silence(line: Line) -> None:
    shake_hands(line)
    stream(line, 250, 3)
    enable(line)
    wait_for_trip(line)
    stop(line)
