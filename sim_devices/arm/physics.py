"""The one place that loads MuJoCo, so that what it is and where it comes from is said once."""

from __future__ import annotations

import re
import warnings
from typing import Any

import mujoco  # type: ignore[import-untyped]

from sim_devices.arm.errors import ArmError

# Warnings would be written to a file wherever the program runs; the world sees by itself when physics breaks down.
mujoco.set_mju_user_warning(lambda _text: None)

SINGULAR = re.compile(r"too close to singular.* at DOF (\d+)", re.DOTALL)

__all__ = ["compiled", "mujoco"]


def compiled(spec: Any) -> Any:
    """The `mujoco.MjModel` of a `mujoco.MjSpec`; raises an ArmError of one line, also for what MuJoCo only warns of."""
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        try:
            model = spec.compile()
        except ValueError as error:
            raise ArmError(f"this scene cannot be emulated: {' '.join(str(error).split())}") from None
    for warning in told:
        text = " ".join(str(warning.message).split())
        found = SINGULAR.search(text)
        if found is not None:
            joint = model.joint(int(model.dof_jntid[int(found[1])])).name
            text = f"joint {joint} moves next to no mass beside the others; give its link a mass, or an armature"
        raise ArmError(f"this scene cannot be emulated: {text}")
    return model
