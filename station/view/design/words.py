"""What is said about a robot while it is led."""

from __future__ import annotations

from station.mechanism.results import Status, Step

BUSY = "a running station moves this robot: it takes numbers that place its parts, and places of obstacles, no more"
REAL = "an arm follows the running station: its geometry is what it is"
HINDRANCES = {
    Status.LIMITED: ": held back by something in its way",
    Status.NEAR_SINGULAR: ": near a singularity",
    Status.UNREACHABLE: ": as far as it goes",
    Status.CLOSURE_LOST: ": its loops do not close there",
}


def progress(doing: str, step: Step) -> str:
    """What is done, and what holds the robot back."""
    if not step.active_limits:
        return doing + HINDRANCES.get(step.status, "")
    links = ", ".join(str(link) for link in step.active_limits)
    return f"{doing}: held back by the limits of link {links}"
