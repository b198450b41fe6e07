"""One-sided springs and compact wells: how strong a force is and which potential it comes from."""

from __future__ import annotations

from station.haptics.kernels.cache import kernel


@kernel
def barrier(distance: float, stiffness: float, reach: float, largest: float) -> tuple[float, float]:
    """Push away from distance 0, and its potential.

    push = min(k·(reach - distance), largest) below the reach, else 0; push = -dU/d(distance). Beyond the largest push
    the potential goes on as a straight line, so that it stays a potential.
    """
    depth = reach - distance
    if not depth > 0.0 or not stiffness > 0.0:
        return 0.0, 0.0
    if stiffness * depth <= largest:
        return stiffness * depth, 0.5 * stiffness * depth * depth
    return largest, largest * depth - 0.5 * largest * largest / stiffness


@kernel
def well(distance: float, stiffness: float, radius: float, largest: float) -> tuple[float, float, float]:
    """Pull towards distance 0, its potential, and the share of the damper.

    Without a radius: pull = min(k·r, largest). With one, u = r/radius:

        pull = k·r·(1 - u²)²,   U = k·radius²/6·(1 - (1 - u²)³)

    which is zero with its slope at the radius: one enters and leaves without a jump. Its largest value, 0.286·k·radius,
    is kept below the largest pull by a smaller k.
    """
    if radius <= 0.0:
        if stiffness * distance <= largest:
            return stiffness * distance, 0.5 * stiffness * distance * distance, 1.0
        return largest, largest * distance - 0.5 * largest * largest / stiffness, 1.0
    k = min(stiffness, largest / (0.2862167011199731 * radius))
    if distance >= radius:
        return 0.0, k * radius * radius / 6.0, 0.0
    inside = 1.0 - (distance / radius) ** 2
    return k * distance * inside * inside, k * radius * radius / 6.0 * (1.0 - inside**3), inside * inside
