"""The double behind a link, as a process: `python -m tests.controllers.far_side zeromq`, or URL.

Prints its address, then lives until standard input closes.
"""

from __future__ import annotations

import contextlib
import select
import subprocess
import sys
from collections.abc import Iterator

from sim_devices.arm_links import serving
from tests.controllers.double import DoubleArm

PLACES = {
    "zeromq": "tcp://127.0.0.1:0",
    "serial": "serial:",
    "modbus": "modbus://127.0.0.1:0",
    "modbus-serial": "modbus+serial:",
}


@contextlib.contextmanager
def far_side(kind: str) -> Iterator[tuple[str, subprocess.Popen[str]]]:
    """Address and process of a far side that lives as long as the block."""
    words = [sys.executable, "-m", "tests.controllers.far_side", kind]
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            yield process.stdout.readline().strip(), process
        finally:
            process.stdin.close()
            try:
                process.wait(5.0)
            except subprocess.TimeoutExpired:
                process.kill()


def main() -> None:
    # A watchdog of 0.3 s: on a busy machine a test may be late by more than 50 ms.
    with contextlib.closing(serving.far_side(PLACES.get(sys.argv[1], sys.argv[1]), DoubleArm(watchdog=0.3))) as server:
        print(server.address, flush=True)  # noqa: T201 for whoever started it
        while not select.select([sys.stdin], [], [], 0.0)[0]:
            server.run(0.05)


if __name__ == "__main__":
    main()
