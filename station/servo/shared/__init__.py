"""What the servo shows to other processes and what they may ask of it; docs/shared_state.md says how.

state           every field that is shown, declared once: the servo's own record
words           the numbers that stand for something
memory          the file of shared state: layout, seqlocks, publishing and reading
writer, reader  the servo's side of it, and everybody else's
channel         the file of commands: layout and kernels
intake, client  the servo's side of it, and everybody else's
command         what any command is; `commands` and `guide_commands` are those there are
runtime         files in memory that live as long as their makers
signs           what a person is told of the arm's force sensor
manual          tables of docs/shared_state.md
"""

from station.servo.shared.client import Acknowledgement, CommandClient
from station.servo.shared.command import Command
from station.servo.shared.commands import (
    Clutch,
    EmergencyStop,
    Engage,
    Episode,
    Follow,
    Hold,
    JointTargets,
    PanelInput,
    Play,
    Reset,
    SetGain,
    SetMode,
    SetReference,
    SetReflection,
    SetScale,
    SetTask,
    SetView,
    ShowGripper,
    Tare,
)
from station.servo.shared.errors import BusyError, CommandError, LayoutError, NoServoError, SharedStateError
from station.servo.shared.guide_commands import LayGuide, RemoveGuide
from station.servo.shared.intake import CommandIntake, Received, Served
from station.servo.shared.reader import Batch, RecordReader, Snapshot, StateReader
from station.servo.shared.runtime import running
from station.servo.shared.state import SharedState
from station.servo.shared.words import (
    Acting,
    BilateralStatus,
    Cause,
    ControllerCode,
    DeviceCode,
    Edit,
    EditState,
    Emulated,
    EpisodeState,
    EpisodeStep,
    Event,
    GripperCode,
    LinkMethod,
    Mode,
    Reason,
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
    "Edit",
    "EditState",
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
    "Play",
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
    "SharedState",
    "SharedStateError",
    "ShowGripper",
    "Snapshot",
    "StateReader",
    "StateWriter",
    "Tare",
    "Waiting",
    "running",
]
