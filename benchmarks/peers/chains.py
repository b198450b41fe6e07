"""MAD text of mechanisms of any size, for scaling: serial chains, and chains of four-bar loops."""

from __future__ import annotations

import math

LIMITS = "speed 180 acceleration 2000"
FOLLOWED = 9999  # id of the tool at the end
GROUND, CRANK, COUPLER, ROCKER = 300.0, 150.0, 250.0, 200.0  # sides of a four-bar [mm]
CRANK_ANGLE = 50.0  # [degrees]
# Angles [degrees] that keep every size well away from singularities, where a step would be another piece of work;
# loops that are all alike would lie on a helix, whose motions have rank 5 only.
BENDS = (-60, -70, 50, -10, -70)
TURNS = (90, -60, 120)


def serial(joints: int) -> str:
    """A chain of revolute joints at right angles, 1.5 m long."""
    length = 1500.0 / joints
    links = (
        f"link {i} {{ type revolute pred {i - 1} limits {{ -170 170 }} {LIMITS}\n"
        f"  parameters {{ theta {BENDS[i % 5]} r {length / 4} alpha {90 if i % 2 else -90} d {length} }}\n}}"
        for i in range(1, joints + 1)
    )
    return _scene("serial", "".join(links), joints, length)


def looped(loops: int) -> str:
    """A chain of planar four-bar loops, each on the coupler of the one before and turned against it.

    Each has three joints, a ball closure of which one row is redundant, and one degree of freedom.
    """
    crank, coupler, rocker = _four_bar_angles()
    parts = []
    carrier = 0
    for loop in range(loops):
        a, b, c, head = (4 * loop + offset for offset in (1, 2, 3, 4))
        turn = TURNS[loop % 3] if loop else 0
        parts.append(
            f"link {a} {{ type revolute pred {carrier} {LIMITS} limits {{ {crank - 60} {crank + 60} }}\n"
            f"  parameters {{ theta {crank} r 0 alpha {turn} d 0 }} }}\n"
            f"link {b} {{ type revolute pred {a} passive limits {{ -175 175 }}\n"
            f"  parameters {{ theta {coupler!r} r 0 alpha 0 d {CRANK} }} }}\n"
            f"link {c} {{ type revolute pred {carrier} passive limits {{ -175 175 }}\n"
            f"  parameters {{ theta {rocker!r} r 0 alpha {turn} d {GROUND} }} }}\n"
            f"frame {head} {{ pos {{ {COUPLER} 0 0 }} pred {b} }}\n"
            f"frame {5000 + loop} {{ pos {{ {ROCKER} 0 0 }} pred {c} }}\n"
            f"ball {{ frame {head} frame {5000 + loop} }}\n"
        )
        carrier = b
    return _scene("looped", "".join(parts), carrier, COUPLER)


def _four_bar_angles() -> tuple[float, float, float]:
    """Crank, coupler (from the crank) and rocker angles of the assembled loop [degrees]."""
    crank = math.radians(CRANK_ANGLE)
    x, y = CRANK * math.cos(crank), CRANK * math.sin(crank)
    across = math.hypot(GROUND - x, -y)  # from the crank's end to the rocker's pivot
    towards = math.atan2(-y, GROUND - x)
    coupler = towards + math.acos((across**2 + COUPLER**2 - ROCKER**2) / (2 * across * COUPLER))
    rocker = math.atan2(y + COUPLER * math.sin(coupler), x + COUPLER * math.cos(coupler) - GROUND)
    return CRANK_ANGLE, math.degrees(coupler - crank), math.degrees(rocker)


def _scene(name: str, parts: str, last: int, length: float) -> str:
    return (
        f"RAFF v2.0 {name}\ndevice 1 {{ type spaceball }}\nrobot {name} {{\nbase {{ }}\n{parts}"
        f"tool {FOLLOWED} {{ pos {{ {length} 0 0 }} pred {last} }}\n"
        f"constraint {{ tool {FOLLOWED} device ( 0 1 ) }}\n}}\n"
    )
