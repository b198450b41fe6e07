"""A virtual wall on the emulated syntaxer: scripted hand, plant, firmware, bytes, driver, forces; on a virtual clock.

The wall fills x < 0.18 m of the device. Nothing here knows more than a station would: places come from the driver,
forces go to it. Only the audit looks behind: it reads the plant's own account of energy.
With the work of the hand on the handle, ∫f_hand·v dt, and the kinetic energy of the device,

    energy at the port = work of the hand - kinetic energy
                       = losses in the device - true work of the motors + change of potential energy (weight, springs)

so it holds what the motors truly did, with the lag of their currents, whatever the station believes.
"""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import NamedTuple
from unittest.mock import patch

import numpy as np

from firmware_bridge.firmware.library import built_in_identity
from firmware_bridge.syntaxer.messages import Identity
from sim_devices.fixtures import Emulated
from sim_devices.scheme import EmulatedDevice
from sim_devices.syntaxer import emulator as emulators
from sim_devices.syntaxer.emulator import SyntaxerEmulator
from station.clock import VirtualClock
from station.devices.device import Floats
from station.haptics import Body, Coupling, HapticRenderer, HapticSettings, Inputs, Limits, Method, Stability

WALL = 0.18  # where it begins [m]
MOST = 8.0  # largest force [N]
FREE = 1e-4  # so far before the wall nothing is touched [m]
SETTLED = 0.35  # from when on energy is counted: the motors have taken over the weight, the hand has its grip [s]
ENCODER = 2000  # counts per turn of the emulated motors


@dataclass(frozen=True, kw_only=True)
class Trouble:
    """What goes wrong between hand and forces."""

    faults: str = ""  # of the emulator, see sim_devices/faults
    jitter: float = 0.0  # of the station's ticks, as part of the period, both ways
    counts: int = ENCODER  # of the encoders per turn; fewer are coarser


class Run(NamedTuple):
    """One session at a wall, tick by tick."""

    times: Floats  # [s]
    depth: Floats  # of the handle in the wall, truly [m]; negative before it
    forces: Floats  # as the renderer sent them, away from the wall [N]
    energy: Floats  # at the port between hand and device, truly [J]
    ledger: Floats  # what the renderer thought of the same [J]
    balance: Floats  # of the plant's account: constant, or the audit is wrong [J]
    samples: int  # that reached the station

    @property
    def generated(self) -> float:
        """Most energy that came out since a moment in free space [J]: what the device took earlier pays for nothing."""
        counted = self.times >= self.times[0] + SETTLED
        depth, energy = self.depth[counted], self.energy[counted]
        highest = np.maximum.accumulate(np.where(depth < -FREE, energy, -np.inf))
        return max(0.0, float((highest - energy).max()))


def settings_for(method: Method, stiffness: float, period: float, body: Body) -> HapticSettings:
    """A wall as stiff as told, forces without ramps."""
    many = (MOST,) * 3 + (0.0,) * 3
    return HapticSettings(
        coupling=Coupling(stiffness=min(stiffness, 50_000.0), damping=0.0),
        body=body,
        stability=Stability(method=method, period=period),
        limits=Limits(ramp_in=1e-3, force=MOST, for_long=many, peak=many),
    )


def run(
    hand: str,
    seconds: float,
    method: Method,
    stiffness: float,
    period: float,
    body: Body,
    trouble: Trouble | None = None,
    seed: int = 0,
) -> Run:
    """Let a scripted hand play with a wall of some stiffness [N/m], sampled with a period [s]."""
    trouble = trouble or Trouble()
    bench = Emulated()
    with bench.open, patch.object(emulators, "built_in_identity", lambda: _identity(trouble.counts)):
        device = bench(hand=hand, faults=trouble.faults, rate=round(1.0 / period), seed=seed)
        settings = settings_for(method, stiffness, period, body)
        return _played(device, bench.clock, settings, stiffness, seconds, trouble.jitter, seed)


def _identity(counts: int) -> Identity:
    """A syntaxer with other encoders."""
    identity = built_in_identity()
    share = counts / ENCODER
    motors = (m._replace(counts_per_turn=counts, speed_max=round(m.speed_max * share)) for m in identity.motors)
    return identity._replace(motors=tuple(motors))


def _played(
    device: EmulatedDevice,
    clock: VirtualClock,
    settings: HapticSettings,
    stiffness: float,
    seconds: float,
    jitter: float,
    seed: int,
) -> Run:
    """The loop of a station, as far as forces go."""
    assert isinstance(device.emulator, SyntaxerEmulator)
    plant, period = device.emulator.plant, settings.stability.period
    renderer, inputs, chance = HapticRenderer(settings), Inputs(), random.Random(seed)
    for numbers in (renderer.tuning.now, renderer.tuning.wanted):
        numbers.coupling.stiffness = stiffness  # also beyond what a person may set
    ticks, begin, samples, stamp = round(seconds / period), clock.now(), 0, 0.0
    seen = np.zeros((6, ticks))
    inputs.states(ready=False, engaged=True, link=True)
    device.enable_force()
    for k in range(ticks):
        clock.sleep_until(begin + (k + 1 + jitter * chance.uniform(-1.0, 1.0)) * period)
        sample = device.newest()
        if sample is not None:
            samples, stamp = samples + 1, sample.device_time
            inputs.hand[:] = inputs.proxy[:] = sample.pose[:3, 3]
            inputs.proxy[0] = max(inputs.hand[0], WALL)
            inputs.hand_speed[:] = sample.velocity
            inputs.proxy_speed[:] = sample.velocity
            inputs.proxy_speed[0] *= inputs.hand[0] > WALL
        inputs.states(ready=samples > 0, engaged=True, link=True)
        inputs.at(clock.now(), fresh=sample is not None, sample_time=stamp)
        answer = renderer.tick(inputs)
        device.command(answer.wrench)
        now, energy = clock.now(), plant.energy
        ledger = answer.energy.rendered + answer.energy.dissipated
        felt = float(answer.wrench[0])
        depth = WALL - float(plant.position[0])
        seen[:, k] = now, depth, felt, energy.hand_work - energy.kinetic, ledger, energy.balance
    times, depths, forces, energies, ledgers, balances = seen
    return Run(times, depths, forces, energies, ledgers, balances, samples)
