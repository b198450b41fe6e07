"""MJCF text of a tree of bodies with its loops.

Loops are written between *sites*: between bodies, MuJoCo would take the second anchor from the pose at joint values
zero and so close a wrong loop, without a word, for a mechanism that is not assembled there.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from benchmarks.peers.bodies import FIXED, PRISMATIC, WORLD, Array, Body, Closure

TAGS = {"ball": "connect", "weld": "weld"}


def mjcf(name: str, bodies: Sequence[Body], closures: Sequence[Closure]) -> str:
    """One body with one site per body; body and site of `n7` are both called `n7`, its joint `n7_joint`."""
    children: dict[str, list[Body]] = {}
    for body in bodies:
        children.setdefault(body.parent, []).append(body)
    tree = "".join(_nested(body, children) for body in children[WORLD])
    loops = "".join(f'<{TAGS[c.kind]} name="{c.one} {c.other}" site1="{c.one}" site2="{c.other}"/>' for c in closures)
    return (
        f'<mujoco model="{name}"><compiler angle="radian"/><worldbody>{tree}</worldbody>'
        f"<equality>{loops}</equality></mujoco>"
    )


def _nested(body: Body, children: dict[str, list[Body]]) -> str:
    origin = np.array(body.origin)
    place = " ".join(repr(float(value)) for value in origin[:3, 3])
    turn = " ".join(map(repr, quaternion(origin)))
    inside = '<inertial pos="0 0 0" mass="1" diaginertia="0.01 0.01 0.01"/>'
    if body.joint != FIXED:
        kind = "slide" if body.joint == PRISMATIC else "hinge"
        limit = ""
        if math.isfinite(body.lower) and math.isfinite(body.upper):
            limit = f' limited="true" range="{body.lower!r} {body.upper!r}"'
        inside += f'<joint name="{body.name}_joint" type="{kind}" axis="0 0 1"{limit}/>'
    inside += f'<site name="{body.name}"/>' + "".join(_nested(child, children) for child in children.get(body.name, []))
    return f'<body name="{body.name}" pos="{place}" quat="{turn}">{inside}</body>'


def quaternion(pose: Array) -> tuple[float, float, float, float]:
    """Quaternion w x y z of a pose: the eigenvector that fits its rotation best."""
    (xx, xy, xz), (yx, yy, yz), (zx, zy, zz) = pose[:3, :3].tolist()
    fit = np.array(
        [
            [xx + yy + zz, zy - yz, xz - zx, yx - xy],
            [zy - yz, xx - yy - zz, yx + xy, xz + zx],
            [xz - zx, yx + xy, yy - xx - zz, zy + yz],
            [yx - xy, xz + zx, zy + yz, zz - xx - yy],
        ]
    )
    w, x, y, z = np.linalg.eigh(fit)[1][:, -1].tolist()
    return w, x, y, z
