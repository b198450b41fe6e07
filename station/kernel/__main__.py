"""Compile all kernels of the station ahead of time: `python -m station.kernel`. Done once; later runs load them.

With `--into FOLDER` they are put there besides, as a wheel carries them.
"""

from __future__ import annotations

import argparse
import importlib
import re
import shutil
import sys
import time
from pathlib import Path

from station.kernel.build import build_all, missing, shown
from station.kernel.kernel import ENTRIES
from station.kernel.key import baseline
from station.kernel.library import find, symbol_of

PACKAGES = ("station", "firmware_bridge", "sim_devices", "calibration")
DECLARES = re.compile(r"^@entry\b", re.MULTILINE)


def load_all() -> None:
    """Load every module that declares entries, and no others: many need libraries that kernels do not."""
    for package in PACKAGES:
        top = Path(importlib.import_module(package).__path__[0])
        for file in sorted(top.rglob("*.py")):
            if DECLARES.search(file.read_text(encoding="utf8")):
                importlib.import_module(".".join((package, *file.relative_to(top).with_suffix("").parts)))


def main() -> int:
    """Compile what is missing, with a line on what is done."""
    parser = argparse.ArgumentParser(prog="python -m station.kernel", description="Compile all kernels.")
    parser.add_argument("--into", type=Path, metavar="FOLDER", help="put a copy there, in a folder for the processor")
    into = parser.parse_args().into
    load_all()
    wanted, begun = len(missing()), time.monotonic()
    if wanted:
        sys.stderr.write(f"compiling {wanted} kernels for {baseline()} (once, about a minute) …\n")
        with shown():
            build_all()
        sys.stderr.write(f"compiled {wanted} kernels in {time.monotonic() - begun:.0f} s\n")
    if into is not None:
        _copy(into / baseline())
    return 0


def _copy(place: Path) -> None:
    """Libraries of all entries as they are now; what older code has left in the cache stays there."""
    place.mkdir(parents=True, exist_ok=True)
    for one in ENTRIES:
        path = find(symbol_of(one, one.signature))
        if path is None or path.suffix != ".so":
            raise SystemExit(f"no library of {one!r}: a linker (ld) is needed")
        shutil.copy(path, place)


if __name__ == "__main__":
    sys.exit(main())
