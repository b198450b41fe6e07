"""`feel`: the second part of a tick, from the step of the solver to the wrench on the hand."""

from __future__ import annotations

from station.controllers.supervisor.kernels.layout import FORCE, LINK
from station.devices.mapping.kernels.layout import ENGAGED
from station.haptics.kernels import layout as felt
from station.haptics.kernels.tick import haptics_tick
from station.mechanism.kernels import at as robot_at
from station.mechanism.kernels.memory import Block
from station.mechanism.kernels.tree import frame_jacobian, frame_pose
from station.servo.kernels import at
from station.servo.kernels.cache import feeling as kernel
from station.servo.kernels.cues import choose_cue
from station.servo.kernels.fields import ENGAGEMENT, FRAME, FULL_RANK, NEVER
from station.servo.kernels.guides import fill_guides
from station.servo.kernels.hand import fill_hand, fill_proxy
from station.servo.kernels.obstacles import fill_obstacles
from station.servo.kernels.sensitivity import fill_gram, fill_spread
from station.servo.kernels.singularity import fill_singularity
from station.servo.kernels.stops import fill_stops

Address = int
FAR = 1e6  # from any singularity


@kernel
def feel(
    mem: Address, robot: Block, now: float, dt: float, ready: bool, fresh: bool, device_time: float, measured_age: float
) -> None:
    """Write the wrench on the hand. `measured_age` [s] is that of the arm's measurement; NEVER if there is none."""
    orders, engagement = at.supervisor_outputs(mem), int(at.memory(mem)[ENGAGEMENT])
    find_frame(mem, robot)
    fill_hand(mem, now, dt, ready and orders[FORCE] == 1.0, fresh, device_time)
    fill_proxy(mem, engagement)
    fill_robot(mem, robot, engagement)
    fill_arm(mem, engagement, orders[LINK] == 1.0, measured_age)
    choose_cue(mem, robot, engagement, orders[LINK] == 1.0, dt)
    haptics_tick(
        at.haptics_state(mem), at.haptics_settings(mem), at.haptics_guides(mem), at.haptics_inputs(mem), at.wrench(mem)
    )


@kernel
def find_frame(mem: Address, robot: Block) -> None:
    """Pose and twist of the followed frame, where the robot is now."""
    pose, twist, jacobian, v = at.frame_pose(mem), at.frame_twist(mem), at.jacobian(mem), robot_at.v(robot)
    rotation, position, frame = robot_at.rotation(robot), robot_at.position(robot), int(at.memory(mem)[FRAME])
    frame_pose(robot, frame, rotation, position, pose)
    frame_jacobian(robot, frame, pose[:3, 3], rotation, position, jacobian)
    for i in range(6):
        twist[i] = 0.0
        for j in range(v.size):
            twist[i] += jacobian[i, j] * v[j]


@kernel
def fill_robot(mem: Address, robot: Block, engagement: int) -> None:
    """Stops, singularity, obstacles and guides as the hand is to feel them; none while it does not move the robot."""
    inputs = at.haptics_inputs(mem)
    inputs[felt.STOP_COUNT] = inputs[felt.OBSTACLE_COUNT] = 0.0
    inputs[felt.NEARNESS] = FAR
    if engagement != ENGAGED:
        return
    frame, rank = int(at.memory(mem)[FRAME]), int(at.memory(mem)[FULL_RANK])
    fill_gram(mem, robot, frame, at.frame_pose(mem))
    fill_spread(mem, robot)
    fill_stops(mem, robot)
    if at.haptics_settings(mem)[felt.SWITCH + felt.SINGULARITY] > 0.0:
        fill_singularity(mem, robot, frame, rank)  # uses G up
    fill_obstacles(mem, robot)
    fill_guides(mem)


@kernel
def fill_arm(mem: Address, engagement: int, link: bool, measured_age: float) -> None:
    """What the arm's side reflects to the hand (it has filled `felt_wrench`), and whether it answers."""
    inputs, wrench = at.haptics_inputs(mem), at.felt_wrench(mem)
    inputs[felt.ENGAGED] = 1.0 if engagement == ENGAGED else 0.0
    inputs[felt.LINK] = 1.0 if link else 0.0
    known = measured_age < NEVER
    inputs[felt.MEASURED_AGE] = measured_age if known else NEVER
    for i in range(6):
        inputs[felt.MEASURED + i] = wrench[i] if known else 0.0
