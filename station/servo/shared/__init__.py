"""What the servo shows to other processes and what they may ask of it; docs/shared_state.md says how."""

from station.servo.shared.client import Acknowledgement, CommandClient
from station.servo.shared.command import Command
from station.servo.shared.commands import (
    Clutch,
    Engage,
    Follow,
    Hold,
    JointTargets,
    PanelInput,
    Reset,
    SetGain,
    SetMode,
    SetReference,
    SetScale,
)
from station.servo.shared.errors import BusyError, CommandError, LayoutError, NoServoError, SharedStateError
from station.servo.shared.intake import CommandIntake, Received, Served
from station.servo.shared.reader import Snapshot, StateReader
from station.servo.shared.records import Batch, RecordReader
from station.servo.shared.runtime import running
from station.servo.shared.slots import Reason
from station.servo.shared.words import Acting, Cause, Emulated, Mode, ReferenceFrame, ServoState
from station.servo.shared.writer import StateWriter

__all__ = [
    "Acknowledgement",
    "Acting",
    "Batch",
    "BusyError",
    "Cause",
    "Clutch",
    "Command",
    "CommandClient",
    "CommandError",
    "CommandIntake",
    "Emulated",
    "Engage",
    "Follow",
    "Hold",
    "JointTargets",
    "LayoutError",
    "Mode",
    "NoServoError",
    "PanelInput",
    "Reason",
    "Received",
    "RecordReader",
    "ReferenceFrame",
    "Reset",
    "Served",
    "ServoState",
    "SetGain",
    "SetMode",
    "SetReference",
    "SetScale",
    "SharedStateError",
    "Snapshot",
    "StateReader",
    "StateWriter",
    "running",
]
