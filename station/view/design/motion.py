"""How a robot of a design is put where it is wanted, loops closed."""

from __future__ import annotations

from station.mad.units import JointType
from station.mechanism import Mechanism
from station.mechanism.preference import Preference
from station.mechanism.results import MechanismError

STRIDE = 0.05  # of a joint in one step [rad], or part of a straight way
MOST_STRIDES = 500
LEAST_WAY = 1e-9  # below which a joint has come to rest [rad | m]


def turn_alone(mechanism: Mechanism, link: int, value: float) -> None:
    """Move a driven joint near a value [rad | m], all others holding still as well as the loops let them."""
    number = mechanism.joint_number(link)
    others = [joint for joint in mechanism.joints if joint.active and joint.id != link]
    still = {joint.id: float(mechanism.q[mechanism.joint_number(joint.id)]) for joint in others}
    stride = (
        STRIDE if mechanism.joints[number].type is JointType.REVOLUTE else STRIDE * abs(value - mechanism.q[number])
    )
    for _ in range(MOST_STRIDES):
        before = float(mechanism.q[number])
        way = min(max(value - before, -stride), stride)
        mechanism.step({}, 1.0, joints={link: before + way}, prefer=Preference(posture=still, posture_rate=1.0))
        if abs(float(mechanism.q[number]) - before) < LEAST_WAY:
            break
    mechanism.q = mechanism.q  # at rest


def stand_alike(mechanism: Mechanism, old: Mechanism | None) -> None:
    """Let a robot stand as another did, joint by joint, as near as it can."""
    if old is None:
        return
    before = dict(zip((joint.id for joint in old.joints), old.q, strict=True))
    kinds = {joint.id: joint.type for joint in old.joints}
    wanted = mechanism.q
    for number, joint in enumerate(mechanism.joints):
        if kinds.get(joint.id) is joint.type:
            wanted[number] = before[joint.id]
    try:
        mechanism.q = wanted
    except MechanismError:
        return  # it stands where it was assembled
