"""The dashboard of a robot: a line in, a line out. Only what stations and their libraries ask for."""

from __future__ import annotations

from collections.abc import Callable

from firmware_bridge.ur.status import Runtime, Safety
from sim_devices.ur.robot import EmulatedRobot

GREETING = "Connected: Universal Robots Dashboard Server\n"
LONGEST = 1024


class DashboardServer:
    """Lines of one robot's dashboard."""

    def __init__(self, robot: EmulatedRobot) -> None:
        self._robot = robot
        self._pending: dict[int, bytes] = {}
        self.unknown = 0
        self._does: dict[str, Callable[[], str]] = {
            "power on": self._power_on,
            "power off": self._power_off,
            "brake release": self._brake_release,
            "unlock protective stop": self._unlock,
            "close safety popup": lambda: "closing safety popup",
            "close popup": lambda: "closing popup",
            "stop": self._stop,
            "running": lambda: f"Program running: {str(robot.runtime is Runtime.PLAYING).lower()}",
            "robotmode": lambda: f"Robotmode: {robot.mode.name}",
            "safetystatus": lambda: f"Safetystatus: {robot.safety_name}",
            "safetymode": lambda: f"Safetymode: {robot.safety_name}",
            "programstate": lambda: "PLAYING" if robot.runtime is Runtime.PLAYING else "STOPPED",
            "is in remote control": lambda: "true",
            "get robot model": lambda: robot.model,
            "get serial number": lambda: robot.serial_number,
            "polyscopeversion": lambda: "URSoftware 5.15.0.0 (emulated)",
            "quit": lambda: "Disconnected",
        }

    def hear(self, client: int, data: bytes) -> str:
        """What is answered to a client."""
        *lines, rest = (self._pending.get(client, b"") + data).split(b"\n")
        self._pending[client] = rest[-LONGEST:]
        return "".join(self._answer(line.decode("ascii", "replace").strip()) + "\n" for line in lines)

    def go(self, client: int) -> None:
        """A client has gone."""
        self._pending.pop(client, None)

    def _answer(self, line: str) -> str:
        does = self._does.get(line.lower())
        if does is None:
            self.unknown += 1
            return f"could not understand: '{line}'"
        return does()

    def _power_on(self) -> str:
        self._robot.power_on()
        return "Powering on"

    def _power_off(self) -> str:
        self._robot.power_off()
        return "Powering off"

    def _brake_release(self) -> str:
        self._robot.release_brakes()
        return "Brake releasing"

    def _stop(self) -> str:
        self._robot.end_program("stopped by the dashboard")
        return "Stopped"

    def _unlock(self) -> str:
        if not self._robot.safety & Safety.PROTECTIVE_STOP:
            return "Protective stop releasing"
        return "Protective stop releasing" if self._robot.unlock() else "Cannot unlock protective stop"
