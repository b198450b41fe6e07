"""The emulators there are, by name, and how each is made from the options of an address or a command line."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from firmware_bridge.mouse3d import BUTTONS as MOUSE3D
from firmware_bridge.spacemouse.magellan_records import BUTTONS as MAGELLAN
from firmware_bridge.spacemouse.spaceball_records import OLDER as SPACEBALL
from sim_devices.emulator import Emulator
from sim_devices.ends import End
from sim_devices.faults import FaultScript, parse_faults
from sim_devices.hand import Arm, Hand, default_script, parse_script
from sim_devices.scripts import script_text
from station.clock import Clock
from station.devices.falcon.geometry import BUTTONS as FALCON
from station.devices.syntaxer.model import BUTTONS as SYNTAXER_BUTTONS

if TYPE_CHECKING:
    from sim_devices.spacemouse.hand import CapHand

# Names that scripts have for buttons, and their bits: those of the device, and `deadman` for the one that is held.
SPACEMOUSE_BUTTONS = {"left": 0, "right": 1, "deadman": 0}
MAGELLAN_BUTTONS = {name: bit for bit, name in enumerate(MAGELLAN["Magellan SpaceMouse"])} | SPACEMOUSE_BUTTONS
SPACEBALL_BUTTONS = {name: bit for bit, name in enumerate(SPACEBALL[1])} | SPACEMOUSE_BUTTONS
FALCON_BUTTONS = {name: bit for bit, name in enumerate(FALCON)} | {"deadman": FALCON.index("centre")}
MOUSE3D_BUTTONS = {name: bit for bit, name in enumerate(MOUSE3D)} | {"deadman": 0}
HANDS = {
    # Places and turns, and back to where it began.
    "mouse3d": "hold 0.3; tighten 0.5; reach 0 0 0 in 0.5; press deadman; hold 0.3; reach 0 0.06 0.03 in 0.8; "
    "twist z=20deg for 0.5; circle radius=0.04 period=2 for 4; twist x=15deg y=-10deg for 0.5; reach 0 0 0 in 0.8; "
    "hold 0.3; release deadman; again",
    "syntaxer": default_script("syntaxer") + "; again",
    "falcon": default_script("falcon") + "; again",
    # To and fro along x, then y: what deflects a cap is a speed, and the robot should end where it began.
    "cap": "hold 0.5; tighten 0.5; press deadman; hold 0.3; reach 0.01 0 0 in 0.5; hold 0.5; reach -0.01 0 0 in 0.5; "
    "hold 0.5; reach 0 0.01 0 in 0.5; hold 0.5; reach 0 -0.01 0 in 0.5; hold 0.5; reach 0 0 0 in 0.5; hold 0.3; "
    "release deadman; again",
}


@dataclass(frozen=True, kw_only=True)
class Wishes:
    """What an emulator is to be like."""

    hand: str = "default"  # "default", "none", a script, or @file with one
    faults: str = ""  # a script of faults, or @file
    seed: int = 0
    rate: float = 1000.0  # samples per second that it must be able to give [Hz]
    patient: bool = False  # the hand takes hold once a station sends commands all the time
    wrong: int | None = None  # syntaxer: seed of how it differs from what its handshake says
    ideal: bool = False  # syntaxer: encoders without visible steps, instruments without noise
    serial: str = ""  # serial number, if not the usual one

    def __post_init__(self) -> None:
        """Refuse scripts that cannot be read before anything is started; which buttons there are, a device knows."""
        self.script()
        if self.hand not in ("default", "none"):
            parse_script(script_text(self.hand))

    def person(
        self, device: str = "syntaxer", buttons: Sequence[str] | Mapping[str, int] = SYNTAXER_BUTTONS
    ) -> Hand | None:
        """The hand for a kind of device, if there is one; `buttons` are the names of its buttons."""
        if self.hand == "none":
            return None
        script = HANDS[device] if self.hand == "default" else script_text(self.hand)
        # A cap hardly gives way: a hand that corrected its place there would push on and on, and never come to rest.
        arm = Arm(correction=0.0) if device == "cap" else None
        return Hand(script, self.seed, buttons=buttons, arm=arm, has_light=device == "syntaxer")

    def script(self) -> FaultScript:
        """What goes wrong and when."""
        return FaultScript(parse_faults(script_text(self.faults)))


def _syntaxer(end: End, clock: Clock, wishes: Wishes) -> Emulator:
    from sim_devices.syntaxer.emulator import SERIAL_NUMBER, TICK, SyntaxerEmulator

    tick = min(TICK, 1.0 / wishes.rate)
    return SyntaxerEmulator(
        end,
        clock,
        wishes.script(),
        wishes.person(),
        wishes.seed,
        serial_number=wishes.serial or SERIAL_NUMBER,
        tick=tick,
        patient=wishes.patient,
        wrong=wishes.wrong,
        ideal=wishes.ideal,
    )


def _pushing(wishes: Wishes, buttons: Mapping[str, int]) -> CapHand | None:
    from sim_devices.spacemouse.hand import PatientHand, PushingHand

    person = wishes.person("cap", buttons)
    if person is None:
        return None
    return PatientHand(PushingHand(person)) if wishes.patient else PushingHand(person)


def _magellan(end: End, clock: Clock, wishes: Wishes) -> Emulator:
    from sim_devices.spacemouse.magellan import MagellanEmulator

    return MagellanEmulator(end, clock, wishes.script(), _pushing(wishes, MAGELLAN_BUTTONS), wishes.seed)


def _spaceball(end: End, clock: Clock, wishes: Wishes) -> Emulator:
    from sim_devices.spacemouse.spaceball import SpaceballEmulator

    return SpaceballEmulator(end, clock, wishes.script(), _pushing(wishes, SPACEBALL_BUTTONS), wishes.seed)


def _mouse3d(end: End, clock: Clock, wishes: Wishes) -> Emulator:
    from sim_devices.mouse3d import Mouse3dEmulator

    hand = wishes.person("mouse3d", MOUSE3D_BUTTONS)
    return Mouse3dEmulator(end, clock, wishes.script(), hand, wishes.seed, wishes.patient)


# Emulators at a serial line.
SERIAL: dict[str, Callable[[End, Clock, Wishes], Emulator]] = {
    "syntaxer": _syntaxer,
    "magellan": _magellan,
    "spaceball": _spaceball,
    "mouse3d": _mouse3d,
}
