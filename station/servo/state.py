"""All that a tick works on: `TickMemory` for the whole, `PartMemory` for each part, `RobotMemory`, `ArmMemory`.

A **part** is a hand and the frame of a robot that it leads, with the arm behind it. Parts may share a robot, and its
arm. Supervisor, mapping, forces and shaping own their records, which are referred to; the rest belongs to the tick.
Frames of reference: `hand_…` is in the axes of the device, `frame_…` is of the followed frame in the world.
"""

from __future__ import annotations

import math
from enum import IntEnum, IntFlag

from station.bilateral.packet import Packet
from station.bilateral.settings import LinkNumbers
from station.bilateral.state import EndInputs, HandState
from station.collision.table import Table
from station.controllers.native import ArmSample, ArmSetpoint, NativeArm
from station.controllers.plausibility.state import PlausibilityBounds, PlausibilityState, Reading
from station.controllers.shaping import ShapingInputs, ShapingLimits, ShapingState, TiedArms
from station.controllers.supervisor import ArmFact, Decision, Facts, SupervisorLimits, SupervisorMemory
from station.devices.age import DelayState
from station.devices.mapping.state import MappingNumbers, MappingState
from station.devices.mapping.state import Mode as Engagement
from station.devices.swift import Swift, SwiftState
from station.haptics.guides import Guides
from station.haptics.state import MOST_OBSTACLES, Cue, HapticState, Inputs
from station.haptics.tuning import Tuning
from station.kernel import Bools1, Floats1, Floats2, Floats3, Ints1, Ints2, Record, RecordAt, field, reference
from station.mechanism.memory import MechanismMemory
from station.mechanism.results import Status
from station.servo.pacing.state import PaceState
from station.servo.shared.channel import Intake
from station.servo.shared.memory import Link
from station.servo.shared.state import SharedState
from station.servo.shared.words import ControllerCode, DeviceCode, Mode

NOTHING_NEAR = 1e6  # distance where there is no obstacle [m]
NEVER = 1e6  # age of what was never there [s]
SLOWLY = 0.064  # between two looks at what changes slowly [s]


class Lock(IntEnum):
    """Whether a joint may move."""

    FREE = 0
    LOCKED = 1
    FREED = 2  # a moment ago: it gets its freedom little by little


class Depends(IntFlag):
    """What of another part stops a part when it is lost."""

    NOTHING = 0
    ARM = 1
    HAND = 2


class Carried(Record):
    """A robot that another one carries: b joints and g frames of it are on its base."""

    carrier: MechanismMemory = reference("what it stands on")
    frame: int = field("", "number of the frame there")
    mount: Floats2 = field("m", "pose of the base in that frame", shape=(3, 4))
    joints: Ints1 = field(shape="b")
    before: Floats3 = field("m", "of these joints on the base at joint value 0", shape=("b", 3, 4))
    frames: Ints1 = field(shape="g")
    offset: Floats3 = field("m", "of these frames on the base", shape=("g", 3, 4))
    base: Floats2 = field("m", "in the world", shape=(3, 4))
    under: Floats2 = field("m", "the frame that carries it, in the world", shape=(3, 4))


class ArmMemory(Record):
    """An arm in a tick; n driven joints."""

    # Its link.
    receive: int = field("", "address of a kernel that takes samples; 0: Python does")
    transmit: int = field("", "address of a kernel that sends setpoints; 0: Python does")
    driver: int = field("", "address of the memory of both")
    upkeep_at: float = field("s", "when Python has to look after the link")
    looked: int = field("", "round of `slowly` ticks in which it looked at the link's health")
    fact: ArmFact = field("", "how the arm is doing, for the supervisor")
    code: ControllerCode = field("", "the same for all who read the shared state")
    partly: bool = field("", "of several controllers one does not follow setpoints, and another does")
    delay: float = field("s", "of the link there and back; not a number until a setpoint was answered")
    way: float = field("s", "age of samples when they arrive")

    # What it has said.
    sample: ArmSample = reference("the newest")
    fresh: bool = field("", "that came in this tick")
    reading: Reading = reference("its joints")
    known: bool = field("", "a sample was taken")
    arrival: float = field("s", "of the last that was taken, by our clock")
    q: Floats1 = field("rad | m", "and its joints", shape="n")
    measured: MechanismMemory = reference("the robot as it is measured")
    driven: Ints1 = field("", "numbers of the joints in it", shape="n")
    led: Ints1 = field("", "numbers of the same joints in the predicted robot, which may be tied to others", shape="n")
    frame: int = field("", "number of the frame that follows the hand, in the measured robot")
    in_loops: bool = field("", "passive joints follow by loops, which Python closes")
    pose: Floats2 = field("m", "of the frame that follows the hand, where the arm is", shape=(4, 4))
    is_carried: bool = field("", "another robot carries it, and the next two count")
    carried: Carried = reference("by what is measured of that one; if it has no arm, by its predicted robot")
    carried_on: Carried = reference("by where that one is commanded; if it has no arm, by its predicted robot")

    # Whether that can be.
    doubts: PlausibilityState = reference()
    bounds: PlausibilityBounds = reference()
    runs_away: bool = field("", "setpoints alone may not stop it: the arm has to stop by itself")

    # The force on its tool.
    has_wrench: bool = field("", "the newest sample tells it")
    wrench: Floats1 = field("N, N·m", "as the calibrated sensor tells it, in the frame of the tool", shape=6)
    bias: Floats1 = field("N, N·m", "what it tells while nothing touches the tool", shape=6)
    tared: bool = field("", "that is known")
    is_calibrated: bool = field("", "the three below count, see `WrenchCorrection`")
    gain: Floats2 = field(shape=(6, 6))
    weight: Floats2 = field("kg, kg·m", shape=(6, 3))
    offset: Floats1 = field("N, N·m", shape=6)
    tool: int = field("", "frame that the sensor was calibrated in; -1: that which follows the hand", default=-1)
    tool_pose: Floats2 = field("m", "of that frame", shape=(4, 4))

    # What is sent.
    shaping_state: ShapingState = reference()
    shaping_limits: ShapingLimits = reference()
    shaping_inputs: ShapingInputs = reference()
    tied: bool = field("", "setpoints are made together with those of arms that it is tied to")
    shaped: Floats2 = field("rad | m …", "places, speeds, accelerations", shape=(3, "n"))
    press: float = field("N", "that the tool may press on something")
    met: Floats1 = field("N", "force of the hardest contact of late", shape=3)
    setpoint: ArmSetpoint = reference("the newest")
    commanded: MechanismMemory = reference("the robot where the last one that went out puts it")
    sent_at: float = field("s", "when the last went out", default=-NEVER)
    send_every: int = field("ticks", "a setpoint is sent", default=1)
    unsent: int = field("ticks", "since one was")

    # The hand's end of the bilateral link.
    two_port: bool = field("", "the arm runs the other end")
    end: HandState = reference()
    new_end: HandState = reference("one that remembers nothing")
    link: LinkNumbers = reference("settings of both ends")
    end_inputs: EndInputs = reference()
    packet: Packet = reference("of the end at the hand")
    came: Packet = reference("of the end at the arm, or what stands for it")
    felt: Floats1 = field("N, N·m", "force on the tool as the hand is to feel it", shape=6)
    heard: int = field("", "samples that were felt")
    start: int = field("", "how often setpoints began anew", default=1)
    epochs: int = field("", "books that were begun")
    epoch: int = field("", "of the books that both ends have; 0: nothing is coupled")
    straight: Floats2 = field("", "motion of the target per motion of the hand", shape=(3, 3))

    def connect(self, native: NativeArm | None) -> None:
        """Talk to the arm by compiled code, until Python has to look."""
        self.receive, self.transmit, self.driver, self.upkeep_at = (0, 0, 0, 0.0) if native is None else native


class RobotMemory(Record):
    """A robot in a tick, or several that are tied to each other; t tasks, n joints, o other robots."""

    robot: MechanismMemory = reference("the predicted robot")
    has_obstacles: bool
    surroundings: Table = reference("what is around it; only if `has_obstacles`")
    others: Ints1 = field("", "addresses of other robots, which are obstacles that move", shape="o")

    # What is asked of the solver: frames that parts lead, in order of their priority.
    task_part: Ints1 = field("", "number of the part", shape="t")
    task_axes: Ints1 = field("", "bits of the axes that count", shape="t")
    task_level: Ints1 = field("", "0 first; never decreasing", shape="t")
    planned: int = field("", "tasks of the plan")
    first_rank: int = field("", "of the rows that are followed first")
    tasks: int = field("", "that were put in this tick")
    continued: bool = field("", "the step before followed the same frames")
    joint_targets: Floats1 = field("rad | m", "for mode JOINTS", shape="n")
    joint_led: Bools1 = field("", "which of them rule, where loops let not all be had", shape="n")

    # Joints that are locked, see `locks.py`.
    has_locks: bool
    lock: Ints1 = field("", "a `Lock`", shape="n")
    own_low: Floats1 = field("rad | m", "stops of the file", shape="n")
    own_high: Floats1 = field("rad | m", shape="n")
    low: Floats1 = field("rad | m", "how far a joint that is or was locked may go", shape="n")
    high: Floats1 = field("rad | m", shape="n")
    freed_for: Floats1 = field("s", shape="n")
    unfelt: Floats1 = field("rad", "by how much its stops are felt further away than they are", shape="n")

    # What came of it.
    solver_status: Status
    position_error: float = field("m")
    rotation_error: float = field("rad")
    condition: float
    gave_way: bool = field("", "acceleration limits did")
    contacts: int = field("", "half-spaces that the solver keeps out of")
    nearest: float = field("m", "obstacle", default=NOTHING_NEAR)
    obstacle_count: int = field("", "rows that are filled")
    unanswered: int = field("", "distances that only the library can tell, as bits")
    obstacles: Floats2 = field(
        "m", "distance, normal away from it, point of the robot, the body that has it; world", shape=(MOST_OBSTACLES, 8)
    )


class PartMemory(Record):
    """A part in a tick; n joints of its robot, m = n or 6, whichever is larger."""

    # Its place among the others.
    number: int
    leads: bool = field("", "its device leads its frame; otherwise that device leads another frame, or nothing")
    nobody: bool = field("", "there is no hand: commands lead")
    steps: bool = field("", "the first of its robot: it moves it")
    owns_arm: bool = field("", "the first of its arm: it hears and sends for all")
    first_joint: int = field("", "of the robot that it shows, among those that are tied")
    rarely: int = field("", "when it looks at what changes slowly, among `slowly` ticks")

    # Owned by others.
    supervisor_memory: SupervisorMemory = reference()
    supervisor_limits: SupervisorLimits = reference()
    facts: Facts = reference("what the supervisor is told")
    decision: Decision = reference("what it has decided")
    mapping_state: MappingState = reference()
    mapping_settings: MappingNumbers = reference()
    haptics_state: HapticState = reference()
    haptics_settings: Tuning = reference()
    haptics_guides: Guides = reference("at the hand")
    haptics_inputs: Inputs = reference()
    world_guides: Guides = reference("each is `haptics_guides` in the same place, in the world")
    led: RobotMemory = reference("the robot that it leads, maybe with other parts")
    robot: MechanismMemory = reference("the same as the solver knows it")
    arm: ArmMemory = reference("only if `has_arm`")
    pace: PaceState = reference()
    shared: SharedState = reference("what everybody sees")
    link: Link = reference("by which that is published")
    intake: Intake = reference("of commands")
    delay: DelayState = reference("of the device's link")
    swift: SwiftState = reference("of a device that compiled code can talk to")
    receive: int = field("", "address of its kernel; 0: there is none")
    transmit: int = field("", "address of its kernel")
    driver: int = field("", "address of the memory of its driver")

    has_arm: bool

    # The newest sample, and this tick's.
    sample_pose: Floats2 = field("m", shape=(4, 4))
    sample_velocity: Floats1 = field("m/s, rad/s", shape=6)
    fresh: bool = field("", "it came in this tick")
    sample_buttons: int = field("", "as bits")
    grip: float
    device_time: float = field("s", "by the device's clock")
    sample_arrival: float = field("s")
    sequence: int
    arrival: float = field("s", "of the newest sample that the supervisor has seen", default=-NEVER)
    buttons: int = field("", "of that sample, as bits")

    # The device.
    device_ready: bool
    device_bad: bool
    device_code: DeviceCode
    device_changed: bool = field("", "another status than in the tick before")
    force_enabled: bool
    stop_button: int = field("", "an emergency stop; -1: none", default=-1)
    dead_man_button: int = field("", "-1: none", default=-1)
    held_until: float = field("s", "without such a button: until when a client holds it", default=-math.inf)
    clutch: bool = field("", "the hand is uncoupled by command")

    # Time.
    now: float = field("s")
    step_time: float = field("s", "for which the robot moves in this tick")
    last: float = field("s", "moment of the tick before", default=-math.inf)
    sent: int = field("ns", "when the force was out")
    period: float = field("s")
    slowly: int = field("", "ticks between two looks at what changes slowly")
    longest_step: float = field("s")
    day: float = field("s", "time of the day at the clock's zero")
    starter_until: float = field("s", "who started the servo counts as there until then", default=math.inf)

    # Who leads, and how.
    ready: bool = field("", "the device gives samples and takes forces")
    resync: bool = field("", "the predicted robot has to begin at the measured pose")
    was_engaged: bool
    pushes: bool = field("", "the device let forces through when the hand took hold")
    mode: Mode
    last_mode: Mode = field("", "in the tick before")
    engagement: Engagement
    last_engagement: Engagement = field("", "in the tick before")
    last_limited: bool = field("", "a stop held something back in the tick before")
    last_link: bool = field("", "the arm side answered in the tick before")
    cue_wanted: Cue = field("", "a cue that somebody outside asks for")
    cue_pause: float = field("s", "until a limit may be told again")
    target: Floats2 = field("m", "where the hand wants the followed frame", shape=(4, 4))
    camera: Floats2 = field("m", "of the view", shape=(4, 4))
    begins_anew: bool = field("", "the mapping is to begin where the frame is, as after the clutch")

    # Mode JOINTS: the six axes of the hand lead six joints.
    hand_joints: Ints1 = field("", "joint of each axis; -1: none", shape=6)
    hand_gains: Floats1 = field("rad/m, …", "motion of that joint per motion of the target along the axis", shape=6)
    last_target: Floats2 = field("m", "in the tick before", shape=(4, 4))

    # The followed frame.
    frame: int = field("", "its number")
    measured_frame: int = field("", "its number in the measured robot")
    full_rank: int = field("", "of all its rows")
    frame_pose: Floats2 = field("m", "predicted", shape=(4, 4))
    frame_twist: Floats1 = field("m/s, rad/s", "predicted", shape=6)

    # The arm.
    measured_wrench: Floats1 = field("N, N·m", "on the tool, in the world", shape=6)
    felt_wrench: Floats1 = field("N, N·m", "the same at the hand", shape=6)
    measured_age: float = field("s", "of the arm's measurement; NEVER: there is none", default=NEVER)

    # What the robot means for the hand.
    wrench: Floats1 = field("N, N·m", "on the hand", shape=6)
    last_velocity: Floats1 = field("m/s", "of the hand", shape=3)
    acceleration: Floats1 = field("m/s²", "of the hand, filtered", shape=3)
    stretch: Floats1 = field("m, rad", "from proxy to hand while the hand moves the robot, kept afterwards", shape=6)
    straight_back: Floats2 = field("", "hand motion per motion of the target, 0 where locked", shape=(3, 3))
    turning_back: Floats2 = field("", "the same of turns", shape=(3, 3))
    singularity: float = field("", "measure at the last look")
    singularity_gradient: Floats1 = field("1/m, 1/rad", "by motion of the followed frame", shape=6)
    look: int = field("", "which direction is looked at next")
    crossing_gradient: Floats1 = field("1/m, 1/rad", "of what the drives see, by motion of the frame", shape=6)
    crossing_look: int = field("", "which direction of that is looked at next")

    # How joints move with the followed frame, and scratch.
    jacobian: Floats2 = field("", "rows of rotation times the mechanism's length", shape=(6, "n"))
    spread: Floats2 = field("rad/m, …", "motion of each joint per motion of the frame", shape=("n", 6))
    reduced: Floats2 = field(shape=(6, "n"))
    metric: Floats2 = field(shape=("n", "n"))
    metric_factor: Floats2 = field(shape=("n", "n"))
    gram: Floats2 = field(shape=(6, 6))
    gram_factor: Floats2 = field(shape=(6, 6))
    normal: Floats2 = field(shape=(3, 3))
    column: Floats1 = field(shape="m")
    trial_q: Floats1 = field(shape="n")
    trial_pose: Floats2 = field(shape=(4, 4))
    gradient: Floats1 = field(shape=6)

    def connect(self, swift: Swift | None) -> None:
        """Talk to this device by compiled code, as long as all is as usual with it."""
        state = None if swift is None else swift.state
        if state is self.swift:
            return
        self.swift = state  # type: ignore[assignment]
        self.receive, self.transmit, self.driver = (
            (0, 0, 0) if swift is None else (swift.receive, swift.transmit, swift.memory)
        )


part_at, mechanism_at, tied_at = RecordAt(PartMemory), RecordAt(MechanismMemory), RecordAt(TiedArms)


class TickMemory(Record):
    """The whole tick, of p parts."""

    pace: PaceState = reference()
    parts: Ints1 = field("", "addresses of the memories of all parts", shape="p")
    part: int = field("", "the part that Python is needed for")
    waits_in_python: bool
    changing: bool = field("", "Python changes something of the robots in each tick")
    tied: Ints1 = field("", "addresses of `TiedArms`, one for each group of arms that are tied", shape="s")
    depends: Ints2 = field("", "whose loss stops a part: `Depends` as bits, by part and other part", shape=("p", "p"))
