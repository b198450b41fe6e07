"""What other processes may ask of the servo, and what becomes of it. Called between two ticks: quick, never raising."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from station.bilateral import BilateralMethod
from station.controllers import ControllerStatus
from station.controllers.supervisor import SupervisorState
from station.controllers.supervisor.kernels.layout import DEAD_MAN as PRESSED
from station.devices.device import AxisKind
from station.devices.mapping import MappingSettings, SettingsError
from station.devices.mapping.kernels.rotation import is_pose
from station.devices.software.held import HeldDevice
from station.errors import StationError
from station.haptics import guides_from_scene
from station.haptics.kernels import layout as felt
from station.mad.scene import ReferenceFrame as SceneReference
from station.servo.gripper import show
from station.servo.kernels import fields as at
from station.servo.rig import follow
from station.servo.shared.command import Command
from station.servo.shared.commands import (
    HELD_FOR,
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
from station.servo.shared.guide_commands import LayGuide, RemoveGuide
from station.servo.shared.slots import Reason
from station.servo.shared.words import EpisodeState, EpisodeStep, Mode, ReferenceFrame

if TYPE_CHECKING:
    from station.servo.servo import Servo

_REFERENCES = {
    ReferenceFrame.WORLD: SceneReference.WORLD,
    ReferenceFrame.VIEW: SceneReference.VIEW,
    ReferenceFrame.TOOL: SceneReference.TOOL,
}
NOT_HELD = float("-inf")  # time until which nobody holds the dead-man [s]
MOST_GAIN = 2.0  # of any effect; beyond, passivity would only take it away again
_FREE = (SupervisorState.OFF, SupervisorState.READY, SupervisorState.HOLD)  # states in which the robot is at rest


_AFTER = {
    EpisodeStep.START: EpisodeState.RUNNING,
    EpisodeStep.SUCCESS: EpisodeState.SUCCESS,
    EpisodeStep.FAILURE: EpisodeState.FAILURE,
    EpisodeStep.DISCARD: EpisodeState.DISCARDED,
}


class Orders:
    """Acts on commands; `decide` says what became of one."""

    def __init__(self, servo: Servo) -> None:
        self._servo = servo
        self._scale = 1.0
        self._press = -1  # of the dead-man, by the last client that held it
        self._base = servo.rig.mapping.settings  # with scale 1
        self._task = ""  # of the episodes that begin from now on
        self._motion = self._base.motion  # as file and device have it
        self._does: dict[type[Command], Callable[[Any], Reason]] = {
            Engage: self._engage,
            Hold: self._hold,
            Reset: self._reset,
            EmergencyStop: self._stop,
            Clutch: self._clutch,
            SetMode: self._mode,
            SetGain: self._gain,
            SetScale: self._set_scale,
            SetReference: self._reference,
            SetView: self._view,
            Follow: self._follow,
            JointTargets: self._joints,
            PanelInput: self._panel,
            LayGuide: self._lay,
            RemoveGuide: self._remove,
            SetReflection: self._reflection,
            Tare: self._tare,
            Episode: self._episode,
            SetTask: self._set_task,
            ShowGripper: self._gripper,
        }

        for place, guide in enumerate(guides_from_scene(servo.rig.scene).values()):
            servo.memory.world_guides[place] = guide.row()

    def decide(self, command: Command) -> Reason:
        """Do it, or say why not."""
        try:
            return self._does.get(type(command), _not_here)(command)
        except SettingsError:  # numbers that are fine by themselves, but not together with what is set
            return Reason.OUT_OF_RANGE

    def show(self) -> None:
        """What is set, into shared state."""
        servo = self._servo
        servo.shared.scale[0] = self._scale
        references = {scene: shown for shown, scene in _REFERENCES.items()}
        servo.shared.reference_frame[0] = references[servo.rig.mapping.settings.reference]
        servo.shared.followed_frame[0] = servo.followed.id
        servo.shared.mode[0] = int(servo.numbers[at.MODE])

    # The supervisor ----------------------------------------------------------------------------------------

    def _engage(self, command: Engage) -> Reason:
        servo = self._servo
        if servo.state is SupervisorState.FAULT:
            return Reason.FAULT
        if servo.state is SupervisorState.OFF:
            return Reason.NO_DEVICE
        if servo.rig.dead_man < 0:
            return self._hold_dead_man(command.press)
        if not int(servo.numbers[at.BUTTONS]) >> servo.rig.dead_man & 1:
            return Reason.DEAD_MAN
        servo.facts.ask("engage")
        return Reason.ACCEPTED

    def _hold_dead_man(self, press: int) -> Reason:
        """A client is the dead-man, for a moment: it has to say so again."""
        servo, now = self._servo, self._servo.clock.now()
        held = now < servo.numbers[at.HELD_UNTIL]
        if press == self._press and not held:
            return Reason.DEAD_MAN  # it was let go meanwhile: only a fresh press counts
        if press != self._press:
            if held or servo.facts.numbers[PRESSED] == 1.0:  # the supervisor has to see it up in between
                return Reason.TAKEN
            self._press = press
            servo.facts.ask("engage")
        servo.numbers[at.HELD_UNTIL] = now + HELD_FOR
        return Reason.ACCEPTED

    def let_go(self) -> None:
        """No client holds the dead-man any more."""
        self._servo.numbers[at.HELD_UNTIL] = NOT_HELD

    def _hold(self, _command: Hold) -> Reason:
        self.let_go()
        self._servo.facts.ask("hold")
        return Reason.ACCEPTED

    def _reset(self, _command: Reset) -> Reason:
        if self._servo.state is not SupervisorState.FAULT:
            return Reason.WRONG_STATE
        button = self._servo.rig.stop_button
        if button >= 0 and int(self._servo.numbers[at.BUTTONS]) >> button & 1:
            return Reason.FAULT  # the emergency stop is still pressed
        self._servo.device.clear_fault()
        self._servo.facts.ask("reset")
        return Reason.ACCEPTED

    def _stop(self, _command: EmergencyStop) -> Reason:
        self.let_go()
        self._servo.facts.ask("estop")
        return Reason.ACCEPTED

    # How the hand moves the target -------------------------------------------------------------------------

    def _clutch(self, command: Clutch) -> Reason:
        self._servo.numbers[at.CLUTCH] = 1.0 if command.open else 0.0
        return Reason.ACCEPTED

    def _mode(self, command: SetMode) -> Reason:
        servo = self._servo
        if servo.state not in _FREE:
            return Reason.WRONG_STATE
        motion = self._motion
        if command.mode is Mode.RATE:
            a, b, c, d, e, f = (kind if kind is AxisKind.NONE else AxisKind.INCREMENTAL for kind in motion)
            motion = (a, b, c, d, e, f)
        self._change(replace(self._base, motion=motion))
        servo.numbers[at.MODE] = float(command.mode)
        servo.memory.joint_targets[:] = servo.rig.robot.q
        self.show()
        return Reason.ACCEPTED

    def _set_scale(self, command: SetScale) -> Reason:
        self._scale = command.scale
        self._change(self._base)
        self.show()
        return Reason.ACCEPTED

    def _reference(self, command: SetReference) -> Reason:
        self._change(replace(self._base, reference=_REFERENCES[command.frame]))
        self.show()
        return Reason.ACCEPTED

    def _view(self, command: SetView) -> Reason:
        view = np.eye(4)
        view[:3] = np.reshape(command.pose, (3, 4))
        if not is_pose(view):
            return Reason.OUT_OF_RANGE
        self._servo.memory.camera[:] = view
        return Reason.ACCEPTED

    def _follow(self, command: Follow) -> Reason:
        servo = self._servo
        if servo.state not in _FREE:
            return Reason.WRONG_STATE
        try:
            servo.follow(follow(servo.rig.robot, (servo.rig.robot.frame_id(command.frame), ())))
        except StationError:
            return Reason.NO_SUCH_FRAME
        self.show()
        return Reason.ACCEPTED

    def _joints(self, command: JointTargets) -> Reason:
        servo = self._servo
        if int(servo.numbers[at.MODE]) != Mode.JOINTS:
            return Reason.WRONG_STATE
        for value, joint in zip(command.values, servo.rig.robot.joints, strict=True):
            if joint.limits is not None and not joint.limits[0] <= value <= joint.limits[1]:
                return Reason.OUT_OF_RANGE
        servo.memory.joint_targets[:] = command.values
        return Reason.ACCEPTED

    def _panel(self, command: PanelInput) -> Reason:
        device = self._servo.device
        if not isinstance(device, HeldDevice):
            return Reason.NOT_POSSIBLE
        device.hold(command.axes, command.buttons)
        return Reason.ACCEPTED

    def _change(self, settings: MappingSettings) -> None:
        """Take settings of the mapping, with the scale on top."""
        (x, y, z, a, b, c), s = settings.scale, self._scale
        self._servo.rig.mapping.change(replace(settings, scale=(s * x, s * y, s * z, a, b, c)))
        self._base = settings

    # What is felt ------------------------------------------------------------------------------------------

    def _gain(self, command: SetGain) -> Reason:
        if command.cause >= felt.EFFECTS:
            return Reason.NOT_POSSIBLE  # limits and passivity are not to be switched
        if command.gain > MOST_GAIN:
            return Reason.OUT_OF_RANGE
        self._servo.rig.renderer.numbers[felt.SETTINGS_SIZE + felt.SWITCH + command.cause] = command.gain
        return Reason.ACCEPTED

    def _reflection(self, command: SetReflection) -> Reason:
        arm = self._servo.arm
        if arm is None:
            return Reason.NOT_POSSIBLE
        arm.reflection.change(BilateralMethod[command.method.name])  # what needs an end at the arm is out of range
        return Reason.ACCEPTED

    def _tare(self, _command: Tare) -> Reason:
        arm = self._servo.arm
        if arm is None or not arm.controller.capabilities.measures_wrench:
            return Reason.NOT_POSSIBLE
        if arm.controller.status is not ControllerStatus.READY:
            return Reason.WRONG_STATE
        # With two ends, that at the arm has a tare of its own.
        if arm.reflection.end.settings.two_port and not arm.controller.tare():
            return Reason.WRONG_STATE
        arm.tare.ask()
        return Reason.ACCEPTED

    def _lay(self, command: LayGuide) -> Reason:
        servo, row = self._servo, command.place
        if servo.memory.haptics_state[felt.GUIDE_GAIN + row] != 0.0:
            servo.memory.world_guides[row, felt.WANTED] = 0.0
            return Reason.WRONG_STATE  # the one before has to fade out first
        servo.memory.world_guides[row] = command.numbers
        return Reason.ACCEPTED

    def _remove(self, command: RemoveGuide) -> Reason:
        self._servo.memory.world_guides[command.place, felt.WANTED] = 0.0
        return Reason.ACCEPTED

    # What is recorded --------------------------------------------------------------------------------------

    def _episode(self, command: Episode) -> Reason:
        shared = self._servo.shared
        state = int(shared.episode_state[0])
        if command.step is EpisodeStep.START:
            if state == EpisodeState.RUNNING:
                return Reason.EPISODE
            shared.write_task(self._task)
            shared.episode[0] += 1
        elif command.step is EpisodeStep.DISCARD:
            if state in (EpisodeState.NONE, EpisodeState.DISCARDED):
                return Reason.EPISODE
        elif state != EpisodeState.RUNNING:
            return Reason.EPISODE
        shared.episode_state[0] = _AFTER[command.step]
        return Reason.ACCEPTED

    def _set_task(self, command: SetTask) -> Reason:
        self._task = command.text
        return Reason.ACCEPTED

    def _gripper(self, command: ShowGripper) -> Reason:
        show(self._servo.shared, command, self._servo.clock.now())
        return Reason.ACCEPTED


def _not_here(_command: Command) -> Reason:
    """A command for replays."""
    return Reason.NOT_POSSIBLE
