"""Which field of shared state goes to which channel of a recording, and what the channels beside them hold.

Every recorded field of the servo's table is in one channel; one that nobody has assigned yet is in `/other`, so that a
new field is never left out.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import IntEnum, IntFlag
from functools import cache

from station.servo.pacing import Measure, Stage
from station.servo.shared import (
    Acting,
    BilateralStatus,
    Cause,
    ControllerCode,
    DeviceCode,
    Edit,
    EditState,
    Emulated,
    EpisodeState,
    Event,
    GripperCode,
    LinkMethod,
    Mode,
    ReferenceFrame,
    ServoState,
    Waiting,
)
from station.servo.shared.memory import Place, layout_of
from station.tasks.recording.schema import Field, Kind, Schema

STATUS, SETTINGS, EVENTS = "/status", "/settings", "/events"
OTHER = "/other"

_MEANINGS = {
    STATUS: ("Status", "When a tick was, and how everything was doing."),
    "/hand": ("Hand", "The handle as the servo used it in this tick."),
    "/target": ("Target", "Where the hand wants the followed frame."),
    "/predicted": ("Predicted", "The robot that obeys at once, and what held it back."),
    "/commanded": ("Commanded", "What was last sent to the controller."),
    "/measured": ("Measured", "What the controller reports."),
    "/reflection": ("Reflection", "Contact at the arm, reflected to the hand."),
    "/gripper": ("Gripper", "The gripper, as the process that leads it says."),
    "/forces": ("Forces", "The force on the hand, and its parts by cause."),
    "/energy": ("Energy", "Energy between hand and forces."),
    "/timing": ("Timing", "Where the time of the tick before went."),
    "/changes": ("Changes", "What was changed in the run: the newest change."),
    OTHER: ("Other", "Fields that have no channel of their own yet."),
}
_PREFIXES = {
    "hand_": "/hand",
    "target_": "/target",
    "predicted_": "/predicted",
    "commanded_": "/commanded",
    "measured_": "/measured",
    "reflection_": "/reflection",
    "gripper_": "/gripper",
    "wrench": "/forces",
    "energy_": "/energy",
    "edit": "/changes",
}
_NAMES = {
    **dict.fromkeys(("joint_acting", "joint_locked", "singularity", "obstacle_distance", "slow_down"), "/predicted"),
    **dict.fromkeys(("passivity_ratio",), "/energy"),
    **dict.fromkeys(("constraints_on",), "/changes"),
    **dict.fromkeys(("spent", "away", "late_ticks", "skipped_ticks"), "/timing"),
    **dict.fromkeys(
        (
            *("tick", "time", "wall_time", "state", "cause", "fault", "waiting", "device_status", "controller_status"),
            *("solver_status", "haptics_fault", "engagement", "disengaged_by", "acting", "emulated", "mode"),
            *("reference_frame", "followed_frame", "leads", "clutched", "dead_man", "force_enabled"),
            *("episode", "episode_state"),
        ),
        STATUS,
    ),
}
TEXTS = ("reason", "episode_task")  # fields of a snapshot that are text in disguise: told as events

EVENT = Schema(
    "Event",
    (
        Field("kind", Kind.TEXT, meaning="state, device, controller, mode, clutch, change, reason or lost"),
        Field("text", Kind.TEXT, meaning="for people"),
        Field("tick", Kind.WHOLE, meaning="in which it was first seen"),
        Field("code", Kind.WHOLE, meaning="the new value of that status; of lost: how many records"),
        Field("time", Kind.REAL, unit="s", meaning="by the servo's clock"),
    ),
    meaning="What happened, when something changed.",
)

WORDS: Mapping[str, type[IntEnum | IntFlag]] = {
    "ServoState": ServoState,
    "Event": Event,
    "Waiting": Waiting,
    "DeviceCode": DeviceCode,
    "ControllerCode": ControllerCode,
    "Cause": Cause,
    "Mode": Mode,
    "ReferenceFrame": ReferenceFrame,
    "Acting": Acting,
    "Edit": Edit,
    "EditState": EditState,
    "Emulated": Emulated,
    "GripperCode": GripperCode,
    "EpisodeState": EpisodeState,
    "LinkMethod": LinkMethod,
    "BilateralStatus": BilateralStatus,
    "Stage": Stage,
    "Measure": Measure,
}


def channel_of(name: str) -> str:
    """The channel of a recorded field."""
    if name in _NAMES:
        return _NAMES[name]
    return next((channel for prefix, channel in _PREFIXES.items() if name.startswith(prefix)), OTHER)


@cache
def recorded(joints: int) -> Mapping[str, tuple[Place, ...]]:
    """Fields of every tick, by channel."""
    layout = layout_of(joints)
    places: dict[str, list[Place]] = {channel: [] for channel in _MEANINGS}
    for place in layout.by_name.values():
        if place.field.recorded:
            places[channel_of(place.name)].append(place)
    return {channel: tuple(found) for channel, found in places.items() if found}


@cache
def schemas(joints: int) -> Mapping[str, Schema]:
    """Schemas of the channels that have a message for every tick."""
    return {
        channel: Schema(_MEANINGS[channel][0], tuple(map(_field, places)), meaning=_MEANINGS[channel][1])
        for channel, places in recorded(joints).items()
    }


@cache
def settings_places(joints: int) -> tuple[Place, ...]:
    """Fields that are only in snapshots: they are recorded a few times in each second."""
    places = layout_of(joints).by_name.values()
    return tuple(place for place in places if not place.field.recorded and place.name not in TEXTS)


@cache
def settings_schema(joints: int) -> Schema:
    """Schema of `/settings`."""
    fields = tuple(map(_field, settings_places(joints)))
    return Schema("Settings", fields, meaning="What is set, and what is counted; a few times in each second.")


def words() -> dict[str, dict[str, int]]:
    """Numbers that stand for something, by name."""
    return {name: {str(word.name): int(word) for word in kind} for name, kind in WORDS.items()}


def _field(place: Place) -> Field:
    about = place.field
    shape = () if place.shape == (1,) and about.shape == (1,) else place.shape
    return Field(place.name, Kind.WHOLE if about.whole else Kind.REAL, shape, about.unit, about.meaning)
