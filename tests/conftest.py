"""For all tests."""

from __future__ import annotations

import os

# Before numpy is loaded: on a machine that is busy, threads of small matrix products wait for each other.
for library in ("OMP", "OPENBLAS", "MKL"):
    os.environ.setdefault(f"{library}_NUM_THREADS", "1")

from hypothesis import settings  # noqa: E402  numpy may come with it

settings.register_profile("station", deadline=None)  # nothing here is timed: the first call of a kernel compiles it
settings.load_profile("station")
