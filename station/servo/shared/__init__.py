"""What the servo shows to other processes and what they may ask of it; docs/shared_state.md says how."""

from station.servo.shared.client import Acknowledgement, CommandClient
from station.servo.shared.command import Command
from station.servo.shared.commands import (
    Clutch,
    EmergencyStop,
    Engage,
    Follow,
    Hold,
    JointTargets,
    PanelInput,
    Reset,
    SetGain,
    SetMode,
    SetReference,
    SetReflection,
    SetScale,
    SetView,
    ShowGripper,
    Tare,
)
from station.servo.shared.episode_commands import Episode, SetTask
from station.servo.shared.errors import BusyError, CommandError, LayoutError, NoServoError, SharedStateError
from station.servo.shared.guide_commands import LayGuide, RemoveGuide
from station.servo.shared.intake import CommandIntake, Received, Served
from station.servo.shared.reader import Snapshot, StateReader
from station.servo.shared.records import Batch, RecordReader
from station.servo.shared.runtime import running
from station.servo.shared.slots import Reason
from station.servo.shared.words import (
    Acting,
    BilateralStatus,
    Cause,
    ControllerCode,
    DeviceCode,
    Emulated,
    EpisodeState,
    EpisodeStep,
    Event,
    GripperCode,
    LinkMethod,
    Mode,
    ReferenceFrame,
    ServoState,
    Waiting,
)
from station.servo.shared.writer import StateWriter

__all__ = [
    "Acknowledgement",
    "Acting",
    "Batch",
    "BilateralStatus",
    "BusyError",
    "Cause",
    "Clutch",
    "Command",
    "CommandClient",
    "CommandError",
    "CommandIntake",
    "ControllerCode",
    "DeviceCode",
    "EmergencyStop",
    "Emulated",
    "Engage",
    "Episode",
    "EpisodeState",
    "EpisodeStep",
    "Event",
    "Follow",
    "GripperCode",
    "Hold",
    "JointTargets",
    "LayGuide",
    "LayoutError",
    "LinkMethod",
    "Mode",
    "NoServoError",
    "PanelInput",
    "Reason",
    "Received",
    "RecordReader",
    "ReferenceFrame",
    "RemoveGuide",
    "Reset",
    "Served",
    "ServoState",
    "SetGain",
    "SetMode",
    "SetReference",
    "SetReflection",
    "SetScale",
    "SetTask",
    "SetView",
    "SharedStateError",
    "ShowGripper",
    "Snapshot",
    "StateReader",
    "StateWriter",
    "Tare",
    "Waiting",
    "running",
]
