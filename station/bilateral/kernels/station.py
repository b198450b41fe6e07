"""`station_tick`: the end at the hand inside a station, beside its other forces.

Limits and the method of stability take their share of the sum of all effects, and so of the reflected contact: what
truly acted of it is what counts for its energy.
"""

from __future__ import annotations

from station.bilateral.kernels.cache import kernel
from station.bilateral.kernels.hand import hand_tick
from station.bilateral.kernels.layout import AXES, LAST_PLACE, NOW, OWN_FORCE, OWN_PLACE, Floats
from station.haptics.kernels.layout import CONTACT, LIMITS, PARTS, PASSIVITY

JUMP = 0.02  # farther than a hand goes in a tick: it was lost and found again, and put in no energy [m]
SMALL = 1e-12  # force squared below which nothing was wanted [N²]


@kernel
def station_tick(
    state: Floats,
    settings: Floats,
    inputs: Floats,
    forces: Floats,
    sent: Floats,
    pose: Floats,
    velocity: Floats,
    now: float,
    dt: float,
    wrench: Floats,
    packet: Floats,
) -> int:
    """Write what contact the hand is to feel [N, N·m]; returns the status as bits.

    Args:
        state: of the end, as for `hand_tick`.
        settings: as for `hand_tick`.
        inputs: as for `hand_tick`; filled here.
        forces: state of the station's forces, as the last tick left it.
        sent: the wrench of all forces that was sent then [N, N·m].
        pose: of the handle, 4×4 [m].
        velocity: of the handle [m/s, rad/s]; turns are integrated from it.
        now: [s].
        dt: time since the last tick [s].
        wrench: what the hand is to feel [N, N·m].
        packet: the next one for the arm, if it had an end.
    """
    share = share_of(forces, sent)
    inputs[NOW] = now
    jumped = False
    for i in range(3):
        jumped = jumped or abs(pose[i, 3] - state[LAST_PLACE + i]) > JUMP
    for i in range(3):
        inputs[OWN_PLACE + i] = pose[i, 3]
        if jumped:
            state[LAST_PLACE + i] = pose[i, 3]
        if settings[AXES] == 6.0:
            inputs[OWN_PLACE + 3 + i] += velocity[3 + i] * dt
    for i in range(6):
        inputs[OWN_FORCE + i] = share * forces[PARTS + 6 * CONTACT + i]
    return hand_tick(state, settings, inputs, wrench, packet)


@kernel
def share_of(forces: Floats, sent: Floats) -> float:
    """What limits and the method of stability have left of the sum of all effects, 0 to 1."""
    size = left = 0.0
    for i in range(3):
        wanted = sent[i] - forces[PARTS + 6 * LIMITS + i] - forces[PARTS + 6 * PASSIVITY + i]
        size += wanted * wanted
        left += sent[i] * wanted
    return float(min(max(left / size, 0.0), 1.0)) if size > SMALL else 1.0
