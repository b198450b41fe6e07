"""The one place that loads MuJoCo, so that what it is and where it comes from is said once."""

from __future__ import annotations

import mujoco  # type: ignore[import-untyped]

# Warnings would be written to a file wherever the program runs; the world sees by itself when physics breaks down.
mujoco.set_mju_user_warning(lambda _text: None)

__all__ = ["mujoco"]
