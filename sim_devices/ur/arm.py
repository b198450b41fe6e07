"""`URArm`: an emulated robot at `ur://127.0.0.1`, with RTDE, the port for programs, and the dashboard."""

from __future__ import annotations

import contextlib
from urllib.parse import quote_plus

import numpy as np

from firmware_bridge.arm.curve import Endpoint
from firmware_bridge.ur import rtde
from firmware_bridge.ur.place import NAMES
from firmware_bridge.ur.rtde import Value
from firmware_bridge.ur.status import Runtime, Safety
from sim_devices.arm.machine import ArmMachine, Floats
from sim_devices.arm.network import NetworkSettings
from sim_devices.arm_links.emulator import ArmEmulator
from sim_devices.faults import FaultScript
from sim_devices.ur.clients import Clients
from sim_devices.ur.dashboard import GREETING, DashboardServer
from sim_devices.ur.programs import program_of
from sim_devices.ur.robot import EmulatedRobot
from sim_devices.ur.rtde import VERSION, RtdeServer
from sim_devices.ur.variables import ZEROS
from station.clock import WALL, Clock
from station.controllers.errors import ControllerAddressError
from station.kernel.so3 import rotation_vector

PROGRAM_PORTS = (-3, rtde.SECONDARY, -1)  # primary, secondary and real-time: all take programs
LONGEST_PROGRAM = 1 << 20
LONGEST_PAUSE = 0.5  # that is lived through afterwards; more is skipped [s]
TOLD = Endpoint("127.0.0.1", rtde.PORT)


class URArm(ArmEmulator):
    """A robot of six joints that turn."""

    def __init__(
        self,
        machine: ArmMachine,
        place: Endpoint = TOLD,
        clock: Clock = WALL,
        faults: FaultScript | None = None,
        network: NetworkSettings | None = None,
        *,
        version: tuple[int, int, int, int] = VERSION,
    ) -> None:
        joints = machine.capabilities.joints
        if len(joints) != 6 or any(joint.prismatic for joint in joints):
            raise ControllerAddressError("ur: a robot of Universal Robots has six joints that turn")
        if not place.is_loopback:
            raise ControllerAddressError(f"ur://{place.host}: RTDE has no keys; an emulator listens on loopback only")
        self._host = place.host
        with contextlib.ExitStack() as stack:  # all ports or none
            listening = []
            for offset in (0, rtde.DASHBOARD, *PROGRAM_PORTS):
                listening.append(Clients(place.host, place.port + offset))
                stack.callback(listening[-1].close)
            stack.pop_all()
        self._rtde, self._lines, *self._programs = listening
        super().__init__(machine, clock, faults, network)
        fastest = 500.0 if version[0] >= 5 else 125.0  # e-Series, CB3 [Hz]
        self.server = RtdeServer(fastest, version)
        self.robot = EmulatedRobot(machine, self.server.written, 1.0 / fastest)
        self.dashboard = DashboardServer(self.robot)
        self._texts: dict[tuple[int, int], bytes] = {}  # programs that are not complete, by port and client
        self.unknown_programs = 0
        self._next = 0.0  # step [s]

    @property
    def address(self) -> str:
        """URL to open it by; with the names of joints where they are others than the robot's own."""
        place = self._host if self._rtde.port == rtde.PORT else f"{self._host}:{self._rtde.port}"
        names = [joint.name for joint in self.machine.capabilities.joints]
        return f"ur://{place}" if names == list(NAMES) else f"ur://{place}?names={quote_plus(','.join(names), ',')}"

    def _doors(self) -> list[int]:
        return [door for one in (self._rtde, self._lines, *self._programs) for door in one.doors]

    def _release(self) -> None:
        for one in (self._rtde, self._lines, *self._programs):
            one.close()

    # Time ------------------------------------------------------------------------------------------------

    def _step(self, now: float) -> None:
        moment = self._start + now
        self._hear(moment)
        if moment - self._next > LONGEST_PAUSE:
            self._next = moment
        while self._next <= moment + 1e-9:  # machine and program in step
            self.machine.advance(self._next)
            self.robot.step(self._next)
            self._next += self.robot.period
        self._next_measurement = self._next - self._start
        for number, data in self.server.due(moment, self._values()):
            self._send(number, data, moment)
        if self._is_faulty:
            for peer, data in self._take("out", moment):
                self._rtde.send(peer, data)  # type: ignore[arg-type]

    def _send(self, number: int, data: bytes, moment: float) -> None:
        if self._is_faulty:
            self._put("out", number, data, moment)
        else:
            self._rtde.send(number, data)

    def _hear(self, moment: float) -> None:
        for number in self._rtde.welcome():
            self.server.come(number)
        for number, data in self._through_network(self._rtde.heard(), moment):
            answers = self.server.hear(number, data) if number in self.server.clients else []
            if answers is None:
                self._rtde.hang_up(number)
            else:
                for answer in answers:
                    self._send(number, answer, moment)
        for number in self._rtde.left():
            self.server.go(number)
        self._hear_lines()
        self._hear_programs()

    def _through_network(self, heard: list[tuple[int, bytes]], moment: float) -> list[tuple[int, bytes]]:
        if not self._is_faulty:
            return heard
        for number, data in heard:
            if not self.faults.active("deaf"):
                self._put("in", number, data, moment)
        return list(self._take("in", moment))  # type: ignore[arg-type]

    def _hear_lines(self) -> None:
        for number in self._lines.welcome():
            self._lines.send(number, GREETING.encode())
        for number, data in self._lines.heard():
            if not self.faults.active("deaf"):
                self._lines.send(number, self.dashboard.hear(number, data).encode())
        for number in self._lines.left():
            self.dashboard.go(number)

    def _hear_programs(self) -> None:
        """A program is over at its last `end`, at the beginning of a line."""
        for port, clients in enumerate(self._programs):
            clients.welcome()
            for number, data in clients.heard():
                text = self._texts.get((port, number), b"") + data.replace(b"\r", b"")
                while b"\nend\n" in text:
                    program, _, text = text.partition(b"\nend\n")
                    self._run(program.lstrip(b"\n") + b"\nend\n")
                self._texts[port, number] = text
                if len(text) > LONGEST_PROGRAM:
                    clients.hang_up(number)
            for number in clients.left():
                self._texts.pop((port, number), None)

    def _run(self, text: bytes) -> None:
        program = program_of(text.decode("ascii", "replace"))
        if program is None:
            self.unknown_programs += 1
            self.robot.end_program("replaced by one that is not known")
        else:
            self.robot.start(program)

    # What it tells ---------------------------------------------------------------------------------------

    def _values(self) -> dict[str, Value]:
        said, robot = self.machine.reading(), self.robot
        pose = self._pose()
        turn = pose[:3, :3]
        force = np.concatenate((turn @ said.wrench[:3], turn @ said.wrench[3:]))
        safety = robot.safety
        return {
            **ZEROS,
            **robot.registers,
            **self.server.written,
            "timestamp": said.time,
            "actual_q": tuple(said.q.tolist()),
            "actual_qd": tuple(said.v.tolist()),
            "target_q": tuple(robot.target.tolist()),
            "actual_moment": tuple(said.effort.tolist()),
            "actual_current_as_torque": tuple(said.effort.tolist()),
            "actual_TCP_pose": (*pose[:3, 3].tolist(), *rotation_vector(turn).tolist()),
            "actual_TCP_force": tuple(force.tolist()),
            "robot_mode": int(robot.mode),
            "safety_status_bits": int(safety),
            "safety_mode": 1 if safety == Safety.NORMAL else 3,
            "robot_status_bits": 1 | (2 if robot.runtime is Runtime.PLAYING else 0),
            "runtime_state": int(robot.runtime),
            "speed_scaling": 1.0,
            "target_speed_fraction": 1.0,
            "joint_mode": (253,) * 6,
        }

    def _pose(self) -> Floats:
        """Of the tool in the world, if the machine has one."""
        body = getattr(self.machine, "body", None)
        return np.eye(4) if body is None else np.asarray(body.tool_pose)
