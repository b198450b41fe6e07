"""`Showing`: an execution in shared state, as a servo shows itself: windows, dashboards and recorders follow it.

Predicted is where the task is now, commanded what was sent, measured what the arm says. While the hand leads, what it
does and feels is shown too. A window's emergency stop and hold act on the task; other commands are for servos, and
refused.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from station.controllers import ControllerStatus
from station.servo.facts import joints_text
from station.servo.gripper import show
from station.servo.pacing import Measure
from station.servo.shared import Command, CommandIntake, EmergencyStop, Hold, Reason, StateWriter
from station.servo.shared.runtime import PART, STATE
from station.servo.shared.words import ControllerCode, DeviceCode, Emulated, ServoState
from station.tasks.execute.gripper import Gripper
from station.tasks.execute.place import ToolPlace
from station.tasks.execute.player import Player
from station.tasks.execute.words import ExecuteError, State

NEVER = 1e9  # age of what has not been [s]
CODES = {status: ControllerCode[status.name] for status in ControllerStatus}
STATES = {
    State.READY: ServoState.READY,
    State.PAUSED: ServoState.HOLD,
    State.HELD: ServoState.HOLD,
    State.LINK_LOST: ServoState.HOLD,
    State.ABORTED: ServoState.READY,
    State.DONE: ServoState.READY,
    State.FAILED: ServoState.FAULT,
}  # in all others the arm is led
OF_THE_HAND = [
    "hand_pose",
    "hand_velocity",
    "hand_buttons",
    "hand_grip",
    "hand_age",
    "hand_sequence",
    "dead_man",
    "force_enabled",
    "target_pose",
    "wrench",
    "wrench_wanted",
    "wrench_parts",
    "energy_rendered",
    "energy_dissipated",
    "energy_available",
    "energy_potential",
    "energy_lowest",
    "energy_parts",
    "passivity_ratio",
    "singularity",
    "obstacle_distance",
    "acting",
    "joint_acting",
]


class Showing:
    """Shows one player; call it after every tick (`player.on_tick`).

    Args:
        player: whose arm and task.
        folder: where others look for it; that of this user if not given.
        name: of this execution among those servos that run.
    """

    def __init__(self, player: Player, folder: Path | None = None, name: str | None = None) -> None:
        bench, task = player.bench, player.task
        self._writer = StateWriter(len(bench.mechanism.joints), _text(player), name, folder)
        self._shared = self._writer.shared
        self._player = player
        self._intake = CommandIntake(len(bench.mechanism.joints), self._writer.name, folder)
        self._places = [ToolPlace(bench.mechanism, task.frame) for _ in range(3)]
        self._day = time.time() - player.clock.now()
        self._reason, self._late = "", 0
        shared = self._shared
        shared.period, shared.scale, shared.gains[:] = player.arm.period, 1.0, 1.0
        shared.followed_frame = task.frame
        shared.hand_age = shared.predicted_age = shared.obstacle_distance = NEVER
        shared.device_status = DeviceCode.OPENING if player.hand is None else DeviceCode.READY
        emulated = Emulated.CONTROLLER if player.arm.controller.capabilities.emulated else Emulated.NONE
        shared.emulated = emulated

    @property
    def path(self) -> Path:
        """Where others find it."""
        return self._writer.path

    def __call__(self, player: Player) -> None:
        """Show one tick."""
        shared, arm, now = self._shared, player.arm, player.clock.now()
        self._intake.serve(self._decide, shared.tick)
        shared.tick += 1
        shared.time, shared.wall_time = now, now + self._day
        shared.state = STATES.get(player.state, ServoState.ENGAGED)
        shared.controller_status = CODES[arm.status]
        predicted, commanded, measured = self._places
        point = player.planned
        predicted.of(point.q)
        shared.predicted_q[:], shared.predicted_pose[:] = predicted.whole, predicted.pose
        shared.predicted_v[predicted.driven] = point.slope
        shared.predicted_age = 0.0
        if arm.shaped is not None and arm.sent:
            commanded.of(arm.shaped.q)
            shared.commanded_q[:], shared.commanded_pose[:] = commanded.whole, commanded.pose
        shared.commanded_age = now - arm.sent_at if arm.sent else NEVER
        last = arm.last
        if last is not None:
            measured.of(last.q)
            shared.measured_q[:], shared.measured_pose[:] = measured.whole, measured.pose
            if last.v is not None:
                shared.measured_v[measured.driven] = last.v
            if (felt := player.contact) is not None:
                shared.measured_wrench[:] = felt
        shared.measured_age = arm.lateness(now) if last is not None else NEVER
        if player.hand is not None and player.state is State.HAND:
            for name in OF_THE_HAND:
                shared.view(name)[:] = player.hand.servo.part.shared.view(name)
        self._show_tool(player)
        self._tell(player)
        self._writer.publish()

    def _show_tool(self, player: Player) -> None:
        """The gripper, as it said last."""
        if isinstance(player.tool, Gripper):
            show(self._shared, player.tool.told, self._shared.time)

    def _decide(self, command: Command) -> Reason:
        """What became of what somebody asked for."""
        try:
            if isinstance(command, EmergencyStop):
                self._player.emergency_stop()
            elif isinstance(command, Hold):
                self._player.pause()
            else:
                return Reason.NOT_POSSIBLE
        except ExecuteError:
            return Reason.WRONG_STATE
        return Reason.ACCEPTED

    def _tell(self, player: Player) -> None:
        shared = self._shared
        shared.spent[Measure.TICK] = player.spent
        self._late += player.spent > player.arm.period
        shared.late_ticks = self._late
        reason = f"{player.state}: {player.reason}" if player.reason else str(player.state)
        if reason != self._reason:
            self._reason = reason
            self._writer.write_reason(reason)

    def close(self) -> None:
        """Remove it; may be called twice."""
        self._intake.close()
        self._writer.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def shown_together(players: Sequence[Player]) -> Iterator[Showing]:
    """An execution of several arms as a servo of several parts shows itself; each is called after its own tick."""
    first = Showing(players[0])
    yield first
    players[0].on_tick = first
    for number, player in enumerate(players[1:], 1):
        further = Showing(player, name=f"{first.path.name.removesuffix(STATE)}{PART}{number}")
        yield further
        player.on_tick = further


def _text(player: Player) -> dict[str, Any]:
    """What readers cannot know from the numbers."""
    bench, task = player.bench, player.task
    device = None if player.hand is None else player.hand.servo.part.device
    return {
        "robot": bench.mechanism.robot.name,
        "file": bench.scene.file,
        "joints": joints_text(bench.mechanism),
        "frame": task.frame,
        "device": f"task:{task.name}" if device is None else device.url,
        "device_model": "task" if device is None else device.capabilities.model,
        "controller": player.arm.controller.url,
        "rate": 1.0 / player.arm.period,
        "method": "task",
        "task": task.name,
        "calibration": [one.told for one in player.calibrations],
        "notes": [f"execution of task {task.name}"],
    }
