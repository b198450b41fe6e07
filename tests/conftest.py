"""For all tests."""

from __future__ import annotations

from hypothesis import settings

settings.register_profile("station", deadline=None)  # nothing here is timed: the first call of a kernel compiles it
settings.load_profile("station")
