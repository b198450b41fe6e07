"""What of a run is heard, and the sound of it: `cues_of` a snapshot, and a `Synthesiser` that makes samples of them.

contact   a low tone, the louder the harder: the force at the tool that is measured, or that obstacles and contact give
          to the hand
limits    short beeps, one pitch for each kind; of several the most urgent one, in the order of `PITCHES`
fault     two tones in turns, over everything else, for the first seconds of a fault
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from station.haptics import Cause
from station.servo.shared import Acting, ServoState, Snapshot

RATE = 22050  # samples per second
BLOCK = 441  # samples that are made at once: 20 ms

CONTACT_PITCH = 196.0  # [Hz]
LEAST_FORCE, FULL_FORCE = 0.5, 20.0  # contact that is just heard, and from which on it grows no louder [N]
CONTACT_LOUDNESS, LIMIT_LOUDNESS, FAULT_LOUDNESS = 0.5, 0.2, 0.5  # of 1
PITCHES = {  # of limits [Hz]
    Acting.JOINT_STOP: 880.0,
    Acting.SINGULARITY: 1174.7,
    Acting.REACH: 740.0,
    Acting.WORKSPACE: 587.3,
    Acting.JOINT_SPEED: 493.9,
}
BEEPS = 5.0  # of limits, per second
ALARM = (988.0, 740.0)  # of a fault, in turns [Hz]
ALARM_TURNS = 4.0  # per second
ALARM_FOR = 2.0  # [s]


class Cues(NamedTuple):
    """What is to be heard now."""

    contact: float = 0.0  # [N]
    limit: Acting = Acting.NONE  # the most urgent
    fault: bool = False


SILENCE = Cues()


def cues_of(snapshot: Snapshot | None) -> Cues:
    """What a snapshot of the servo gives to hear; nothing while nobody is led."""
    if snapshot is None:
        return SILENCE
    state = int(snapshot.state[0])
    if state == ServoState.FAULT:
        return Cues(fault=True)
    if state != ServoState.ENGAGED:
        return SILENCE
    acting = Acting(int(snapshot.acting[0]))
    limit = next((kind for kind in PITCHES if acting & kind), Acting.NONE)
    felt = snapshot.wrench_parts[Cause.CONTACT, :3] + snapshot.wrench_parts[Cause.OBSTACLES, :3]
    forces = [math.hypot(*force) for force in (snapshot.measured_wrench[:3], felt)]
    return Cues(max((force for force in forces if math.isfinite(force)), default=0.0), limit)


def contact_loudness(force: float) -> float:
    """How loud a contact is, 0 to 1, for its force [N]: even steps of force in steps that are heard alike."""
    if not force > LEAST_FORCE:
        return 0.0
    return CONTACT_LOUDNESS * min(math.log(force / LEAST_FORCE) / math.log(FULL_FORCE / LEAST_FORCE), 1.0)


class Synthesiser:
    """Makes samples, block by block; tones go on from one block to the next, and loudness glides: nothing clicks."""

    def __init__(self) -> None:
        self._time = 0  # samples so far
        self._phases = {"contact": 0.0, "limit": 0.0, "fault": 0.0}  # [rad]
        self._loudness = dict.fromkeys(self._phases, 0.0)
        self._limit = Acting.NONE  # the pitch that is dying away stays what it was
        self._fault_since: int | None = None  # [samples]

    def block(self, cues: Cues) -> NDArray[np.int16]:
        """The next `BLOCK` samples."""
        now = self._time / RATE
        if cues.limit:
            self._limit = cues.limit
        if not cues.fault:
            self._fault_since = None
        elif self._fault_since is None:
            self._fault_since = self._time
        alarmed = self._fault_since is not None and self._time - self._fault_since < ALARM_FOR * RATE
        beeping = bool(cues.limit) and (now * BEEPS) % 1.0 < 0.5
        sound = self._tone("contact", CONTACT_PITCH, contact_loudness(cues.contact))
        sound += self._tone("limit", PITCHES.get(self._limit, 0.0), LIMIT_LOUDNESS if beeping else 0.0)
        sound += self._tone("fault", ALARM[int(now * ALARM_TURNS) % 2], FAULT_LOUDNESS if alarmed else 0.0)
        self._time += BLOCK
        return np.round(32767.0 * np.clip(sound, -1.0, 1.0)).astype(np.int16)

    def _tone(self, name: str, pitch: float, loudness: float) -> NDArray[np.float64]:
        steps = np.arange(1, BLOCK + 1)
        before, self._loudness[name] = self._loudness[name], loudness
        phases = self._phases[name] + math.tau * pitch / RATE * steps
        self._phases[name] = float(phases[-1]) % math.tau
        return np.asarray((before + (loudness - before) * steps / BLOCK) * np.sin(phases))
