"""Fuzzing under the sanitizers: 3 s by default, longer with FUZZ_SECONDS=60."""

from __future__ import annotations

import os
import re

from tests.firmware.compiling import build_checked, needs_compiler, run


@needs_compiler
def test_fuzzing_the_device_finds_nothing() -> None:
    said = run(build_checked("fuzz"), os.environ.get("FUZZ_SECONDS", "3"), os.environ.get("FUZZ_SEED", "1"))
    inputs, frames, enabled = map(int, re.findall(r"\d+", said))
    assert inputs > 0
    assert frames > 0
    assert enabled > 0, "the fuzzing never got past the enable edge, so it tested little"
