"""What other processes may ask of a part of the servo, and what becomes of it: between ticks, quick, never raising."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from station.bilateral import BilateralMethod
from station.controllers import ControllerStatus
from station.controllers.supervisor import SupervisorState
from station.devices.device import AxisKind, DeviceStatus
from station.devices.mapping import MappingSettings, SettingsError
from station.devices.software.held import HeldDevice
from station.errors import StationError
from station.haptics import guides_from_scene
from station.haptics.state import EFFECTS
from station.kernel.so3 import is_pose
from station.mad.scene import BASE_ID, Axis, ClosureKind, Constraint, Target
from station.mad.scene import ReferenceFrame as SceneReference
from station.servo.changes import Change
from station.servo.gripper import show
from station.servo.rig import follow
from station.servo.shared.command import Command
from station.servo.shared.commands import (
    HELD_FOR,
    UNIVERSAL,
    AddConstraint,
    Clutch,
    EmergencyStop,
    Engage,
    Episode,
    Follow,
    Hold,
    JointTargets,
    Lead,
    LockJoint,
    MoveObstacle,
    PanelInput,
    Reset,
    SetGain,
    SetGeometry,
    SetMode,
    SetReference,
    SetReflection,
    SetScale,
    SetTask,
    SetView,
    ShowGripper,
    SwitchConstraint,
    Tare,
)
from station.servo.shared.guide_commands import LayGuide, RemoveGuide
from station.servo.shared.words import Edit, EpisodeState, EpisodeStep, Mode, Reason, ReferenceFrame

if TYPE_CHECKING:
    from station.servo.part import Part

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

    def __init__(self, part: Part) -> None:
        self._part = part
        self._scale = 1.0
        self._press = -1  # of the dead-man, by the last client that held it
        self._base = part.rig.mapping.settings  # with scale 1
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
            Lead: self._lead,
            MoveObstacle: self._move_obstacle,
            LockJoint: self._lock,
            SetGeometry: self._geometry,
            SwitchConstraint: self._switch_constraint,
            AddConstraint: self._add_constraint,
            Episode: self._episode,
            SetTask: self._set_task,
            ShowGripper: self._gripper,
        }

        for place, guide in enumerate(guides_from_scene(part.rig.scene).values()):
            part.memory.world_guides[place].take(guide.laid())

    def decide(self, command: Command) -> Reason:
        """Do it, or say why not."""
        try:
            return self._does.get(type(command), _not_here)(command)
        except SettingsError:  # numbers that are fine by themselves, but not together with what is set
            return Reason.OUT_OF_RANGE

    def show(self) -> None:
        """What is set, into shared state."""
        part = self._part
        part.shared.scale = self._scale
        references = {scene: shown for shown, scene in _REFERENCES.items()}
        part.shared.reference_frame = references[part.rig.mapping.settings.reference]
        part.shared.followed_frame = part.followed.id
        part.shared.mode = part.memory.mode

    # The supervisor ----------------------------------------------------------------------------------------

    def _engage(self, command: Engage) -> Reason:
        part = self._part
        if part.state is SupervisorState.FAULT:
            return Reason.FAULT
        if part.state is SupervisorState.OFF:
            return Reason.NO_DEVICE
        if part.rig.dead_man < 0:
            return self._hold_dead_man(command.press)
        if not part.memory.buttons >> part.rig.dead_man & 1:
            return Reason.DEAD_MAN
        part.facts.ask("engage")
        return Reason.ACCEPTED

    def _hold_dead_man(self, press: int) -> Reason:
        """A client is the dead-man, for a moment: it has to say so again."""
        part, now = self._part, self._part.clock.now()
        held = now < part.memory.held_until
        if press == self._press and not held:
            return Reason.DEAD_MAN  # it was let go meanwhile: only a fresh press counts
        if press != self._press:
            if held or part.facts.dead_man:  # the supervisor has to see it up in between
                return Reason.TAKEN
            self._press = press
            part.facts.ask("engage")
        part.memory.held_until = now + HELD_FOR
        return Reason.ACCEPTED

    def let_go(self) -> None:
        """No client holds the dead-man any more."""
        self._part.memory.held_until = NOT_HELD

    def _hold(self, _command: Hold) -> Reason:
        self.let_go()
        self._part.facts.ask("hold")
        return Reason.ACCEPTED

    def _reset(self, _command: Reset) -> Reason:
        parts = self._part.servo.parts
        if not any(part.state is SupervisorState.FAULT for part in parts):
            return Reason.WRONG_STATE
        if any(part.rig.stop_button >= 0 and part.memory.buttons >> part.rig.stop_button & 1 for part in parts):
            return Reason.FAULT  # an emergency stop is still pressed
        for part in parts:  # an emergency stop was everybody's, and so is its end
            if part.state is SupervisorState.FAULT:
                part.device.clear_fault()
                part.facts.ask("reset")
        return Reason.ACCEPTED

    def _stop(self, _command: EmergencyStop) -> Reason:
        for part in self._part.servo.parts:  # it is everybody's
            part.orders.let_go()
        self._part.facts.ask("estop")
        return Reason.ACCEPTED

    def _lead(self, command: Lead) -> Reason:
        part = self._part
        if part.memory.nobody:
            return Reason.NOT_POSSIBLE
        if not command.on:
            part.cease_to_lead()
            return Reason.ACCEPTED
        if part.device.status is not DeviceStatus.READY:
            return Reason.NO_DEVICE
        for other in part.servo.parts:  # a device leads one frame, and a frame is led by one device
            same_frame = other.robot is part.robot and other.memory.frame == part.memory.frame
            if other is not part and not other.memory.nobody and (other.device is part.device or same_frame):
                other.cease_to_lead()
        part.memory.leads = True
        return Reason.ACCEPTED

    # How the hand moves the target -------------------------------------------------------------------------

    def _clutch(self, command: Clutch) -> Reason:
        self._part.memory.clutch = command.open
        return Reason.ACCEPTED

    def _mode(self, command: SetMode) -> Reason:
        part = self._part
        by_rate = Mode.RATE in (command.mode, part.memory.mode)  # a deflection that is held would mean something else
        if part.state not in _FREE and (by_rate or part.state is not SupervisorState.ENGAGED):
            return Reason.WRONG_STATE
        motion = self._motion
        if command.mode is Mode.RATE:
            a, b, c, d, e, f = (kind if kind is AxisKind.NONE else AxisKind.INCREMENTAL for kind in motion)
            motion = (a, b, c, d, e, f)
        self._change(replace(self._base, motion=motion))
        if command.mode is not part.memory.mode:
            part.begin_anew()
        part.memory.mode = command.mode
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
        self._part.memory.camera[:] = view
        return Reason.ACCEPTED

    def _follow(self, command: Follow) -> Reason:
        part = self._part
        if part.state not in _FREE:
            return Reason.WRONG_STATE
        try:
            rig = part.rig
            part.follow(follow(rig.scene, rig.alone.robot.name, rig.alone.frame_id(command.frame)))
        except StationError:
            return Reason.NO_SUCH_FRAME
        self.show()
        return Reason.ACCEPTED

    def _joints(self, command: JointTargets) -> Reason:
        part = self._part
        if part.memory.mode is not Mode.JOINTS:
            return Reason.WRONG_STATE
        for value, joint in zip(command.values, part.rig.alone.joints, strict=True):
            if joint.limits is not None and not joint.limits[0] <= value <= joint.limits[1]:
                return Reason.OUT_OF_RANGE
        part.robot.lead_joints(part.rig.joints, command.values)
        return Reason.ACCEPTED

    def _panel(self, command: PanelInput) -> Reason:
        device = self._part.device
        if not isinstance(device, HeldDevice):
            return Reason.NOT_POSSIBLE
        device.hold(command.axes, command.buttons)
        return Reason.ACCEPTED

    def _change(self, settings: MappingSettings) -> None:
        """Take settings of the mapping, with the scale on top."""
        (x, y, z, a, b, c), s = settings.scale, self._scale
        self._part.rig.mapping.change(replace(settings, scale=(s * x, s * y, s * z, a, b, c)))
        self._base = settings

    # What robots are, and what is around them ---------------------------------------------------------------

    def _move_obstacle(self, command: MoveObstacle) -> Reason:
        part, pose = self._part, np.eye(4)
        pose[:3] = np.reshape(command.pose, (3, 4))
        if command.obstacle >= len(part.rig.scene.obstacles) or not is_pose(pose):
            return Reason.OUT_OF_RANGE
        return self._ask(Edit.OBSTACLE, command.obstacle, command.pose)

    def _lock(self, command: LockJoint) -> Reason:
        if command.joint >= len(self._part.rig.joints):
            return Reason.OUT_OF_RANGE
        return self._ask(Edit.LOCK, command.joint, (float(command.on),))

    def _geometry(self, command: SetGeometry) -> Reason:
        part = self._part
        if any(one.arm is not None for one in part.robot.parts):
            return Reason.NOT_POSSIBLE  # the arm behind it is as it is
        if command.frame not in part.rig.alone.frames:
            return Reason.NO_SUCH_FRAME
        return self._ask(Edit.GEOMETRY, command.frame, command.values)

    def _switch_constraint(self, command: SwitchConstraint) -> Reason:
        part = self._part
        loops = part.rig.robot.loops
        if any(one.arm is not None for one in part.robot.parts):
            return Reason.NOT_POSSIBLE  # what holds the arm behind it together is as it is
        if command.number >= len(loops.constraints) or loops.constraints[command.number] is None:
            return Reason.OUT_OF_RANGE
        return self._ask(Edit.CONSTRAINT, command.number, (float(command.on), *self._told_of(command.number)))

    def _add_constraint(self, command: AddConstraint) -> Reason:
        part, robots = self._part, self._part.rig.scene.robots
        robot, loops = part.rig.robot, part.rig.robot.loops
        if any(one.arm is not None for one in part.robot.parts) or robot.report.strained:
            return Reason.NOT_POSSIBLE
        targets = []
        for nth, frame in (command.ends[:2], command.ends[2:]):
            if nth >= len(robots) or robots[nth].name not in part.rig.scene.group(part.rig.alone.robot.name):
                return Reason.NOT_POSSIBLE  # robots that are not tied move each for itself
            try:
                number = part.rig.scene.system(robots[nth].name).frame_id(robots[nth].name, frame)
            except StationError:
                return Reason.NO_SUCH_FRAME
            targets.append(Target("frame", number))
        if command.held == UNIVERSAL:
            constraint = Constraint(targets=tuple(targets), kind=ClosureKind.UNIVERSAL)
        else:
            axes = tuple(axis for axis in Axis if command.held >> axis.value & 1)
            constraint = Constraint(targets=tuple(targets), axes=axes)
        if not loops.can_be_closed(constraint):
            return Reason.NOT_POSSIBLE  # no joint is between them
        place = loops.place_for(constraint)
        if place is None:
            return Reason.NOT_POSSIBLE  # there are as many as there can be
        reason = self._ask(Edit.CONSTRAINT, place, (1.0, *command.numbers, float(command.held)))
        if reason is not Reason.ACCEPTED:
            loops.promised.discard(place)
        return reason

    def _told_of(self, number: int) -> tuple[float, ...]:
        """Ends and held axes of a constraint as `AddConstraint` has them."""
        scene, robot = self._part.rig.scene, self._part.rig.robot
        constraint = robot.loops.constraints[number]
        assert constraint is not None
        system, names = scene.system(self._part.rig.alone.robot.name), [robot.name for robot in scene.robots]
        ends: list[float] = []
        for target in constraint.targets:
            name = system.owner(target.id)
            ends += [names.index(name) if name else 0, target.id - (system.frame_id(name, BASE_ID) if name else 0)]
        axes = constraint.axes or tuple(
            Axis[word.upper()] for word in constraint.kind.value.split() if constraint.kind is not ClosureKind.UNIVERSAL
        )
        return (*ends, float(sum(1 << axis.value for axis in axes) or UNIVERSAL))

    def _ask(self, kind: Edit, of: int, numbers: tuple[float, ...]) -> Reason:
        asked = self._part.servo.changes.ask(Change(kind, of, numbers, self._part))
        return Reason.ACCEPTED if asked else Reason.WRONG_STATE  # one begins in each tick, and too many wait

    # What is felt ------------------------------------------------------------------------------------------

    def _gain(self, command: SetGain) -> Reason:
        if command.cause >= EFFECTS:
            return Reason.NOT_POSSIBLE  # limits and passivity are not to be switched
        if command.gain > MOST_GAIN:
            return Reason.OUT_OF_RANGE
        self._part.rig.renderer.tuning.wanted.strength[command.cause] = command.gain
        return Reason.ACCEPTED

    def _reflection(self, command: SetReflection) -> Reason:
        arm = self._part.arm
        if arm is None:
            return Reason.NOT_POSSIBLE
        arm.change_reflection(BilateralMethod[command.method.name])  # what needs an end at the arm is out of range
        return Reason.ACCEPTED

    def _tare(self, _command: Tare) -> Reason:
        arm = self._part.arm
        if arm is None or not arm.controller.capabilities.measures_wrench:
            return Reason.NOT_POSSIBLE
        if arm.controller.status is not ControllerStatus.READY:
            return Reason.WRONG_STATE
        return Reason.ACCEPTED if arm.find_tare() else Reason.WRONG_STATE

    def _lay(self, command: LayGuide) -> Reason:
        part, place = self._part, command.place
        if part.memory.haptics_state.guide_gains[place] != 0.0:
            part.memory.world_guides[place].wanted = False
            return Reason.WRONG_STATE  # the one before has to fade out first
        part.memory.world_guides[place].take_row(command.numbers)
        return Reason.ACCEPTED

    def _remove(self, command: RemoveGuide) -> Reason:
        self._part.memory.world_guides[command.place].wanted = False
        return Reason.ACCEPTED

    # What is recorded --------------------------------------------------------------------------------------

    def _episode(self, command: Episode) -> Reason:
        shared = self._part.shared
        state = shared.episode_state
        if command.step is EpisodeStep.START:
            if state == EpisodeState.RUNNING:
                return Reason.EPISODE
            self._part.writer.write_task(self._task)
            shared.episode += 1
        elif command.step is EpisodeStep.DISCARD:
            if state in (EpisodeState.NONE, EpisodeState.DISCARDED):
                return Reason.EPISODE
        elif state != EpisodeState.RUNNING:
            return Reason.EPISODE
        shared.episode_state = _AFTER[command.step]
        return Reason.ACCEPTED

    def _set_task(self, command: SetTask) -> Reason:
        self._task = command.text
        return Reason.ACCEPTED

    def _gripper(self, command: ShowGripper) -> Reason:
        show(self._part.shared, command, self._part.clock.now())
        return Reason.ACCEPTED


def _not_here(_command: Command) -> Reason:
    """A command for replays."""
    return Reason.NOT_POSSIBLE
