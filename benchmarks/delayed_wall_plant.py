"""A hand, a device, a network, an arm and a wall: one axis, on a virtual clock, all of it seeded.

Hand and device are those of `virtual_wall_plant.py`, forces go through the station's own `haptics_tick` with its ledger
(as contact measured at the arm; no method of stability, so that what the link does by itself is seen), the network is
that of the emulated arm, and the ends are those of `station.bilateral`. The arm is a mass in a position loop with the
bandwidth, lag and sensor of the emulated arm.
"""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from benchmarks.virtual_wall_plant import GRIPS, Device, Grip, _advance
from sim_devices.arm.network import Network, NetworkSettings
from station.bilateral import Architecture, BilateralMethod, BilateralSettings
from station.bilateral.kernels import layout as at
from station.bilateral.kernels.arm import arm_tick
from station.bilateral.kernels.cache import FILES
from station.bilateral.kernels.hand import hand_tick
from station.bilateral.kernels.packets import take_packet
from station.bilateral.packing import packed
from station.compiled import Compiler
from station.haptics import Body, Contact, Coupling, HapticRenderer, HapticSettings, Inputs, Limits, Method, Stability
from station.haptics.kernels import layout as felt
from station.haptics.kernels.tick import haptics_tick

Floats = NDArray[np.float64]
PERIOD = 1e-3  # [s]
MOST = 20.0  # largest force on the hand [N]
LOSS = 0.05  # chance
START = -0.03  # of hand and arm; the wall begins at 0 [m]
SUBSTEPS = 10  # of the arm's physics
DEVICE = Device()
HERE = Path(__file__)

kernel = Compiler(
    "delayed-wall",
    [HERE, HERE.with_name("virtual_wall_plant.py")],
    uses=[*FILES, *sorted(Path(felt.__file__).parent.glob("*.py"))],
)


class Arm(NamedTuple):
    """Position loop, lag and sensor as the emulated arm has them."""

    mass: float = 5.0  # felt at the tool [kg]
    omega: float = 2.0 * np.pi * 15.0  # of the position loop [rad/s]
    delay: int = 4  # from a setpoint to its effect [ticks]
    sensor: float = 0.002  # time constant of the force sensor [s]


class Session(NamedTuple):
    """One session at a wall, tick by tick."""

    times: Floats  # [s]
    hand: Floats  # place [m]
    arm: Floats  # place [m]
    force: Floats  # on the hand [N]
    contact: Floats  # on the tool [N]
    energy: Floats  # that the hand has put into the port: forces and losses of the device [J]
    ledger: Floats  # the station's ledger of the forces alone [J]
    drift: Floats  # between where the arm is told to be and where the hand was [m]
    available: Floats  # at the end at the hand [J]
    status: NDArray[np.int64]  # of the end at the hand


def jitter_of(delay: float) -> float:
    """Largest random time on top of a delay [s]."""
    return max(5e-4, 0.2 * delay)


@lru_cache(maxsize=64)
def deliveries(delay: float, seed: int, ticks: int, loss: float = LOSS) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """When packets sent one per tick arrive: tick of arrival and number of the packet, in the order of arrival."""
    settings = NetworkSettings(delay=delay, jitter=jitter_of(delay), loss=loss, duplicate=0.01, in_order=False)
    network: Network[bytes] = Network(settings, seed)
    arrived: list[tuple[int, int]] = []
    for tick in range(ticks):
        arrived += [(tick, int.from_bytes(data, "little")) for data in network.due(tick * PERIOD)]
        network.send(tick * PERIOD, tick.to_bytes(4, "little"))
    pairs = np.array(arrived, dtype=np.int64).reshape(-1, 2)
    return pairs[:, 0].copy(), pairs[:, 1].copy()


def forces() -> HapticRenderer:
    """The station's forces with the contact of an arm as the only effect."""
    settings = HapticSettings(
        coupling=Coupling(on=False),
        contact=Contact(scale=1.0, cutoff=1000.0, force=MOST),
        body=Body(damping=DEVICE.damping, friction=DEVICE.friction, mass=DEVICE.mass, resolution=DEVICE.quantum),
        stability=Stability(method=Method.COUPLING_ONLY, period=PERIOD, trust=0.0),
        limits=Limits(
            ramp_in=1e-3, force=MOST, for_long=(MOST,) * 3 + (0.0,) * 3, peak=(MOST,) * 3 + (0.0,) * 3, slew=1e5
        ),
    )
    return HapticRenderer(settings)


def play(
    settings: BilateralSettings, stiffness: float, wanted: Floats, delay: float, grip: str = "loose", seed: int = 1
) -> Session:
    """Let a hand that wants to be at `wanted` [m], tick by tick, play with a wall of some stiffness [N/m].

    Without `two_port` the arm does what it is told: its end neither protects nor yields.
    """
    ticks = len(wanted)
    there, back = deliveries(delay, 2 * seed, ticks), deliveries(delay, 2 * seed + 1, ticks)
    renderer, inputs = forces(), Inputs()
    times: Floats = PERIOD * np.arange(ticks, dtype=np.float64)
    seen = np.zeros((8, ticks))
    status = np.zeros(ticks, np.int64)
    plain = replace(settings, method=BilateralMethod.DIRECT, architecture=Architecture.POSITION_FORCE)
    at_arm = settings if settings.two_port else plain
    _play(
        packed(settings),
        packed(at_arm),
        stiffness,
        wanted,
        *there,
        *back,
        renderer.state,
        renderer.numbers,
        renderer.guide_rows,
        inputs.numbers,
        DEVICE,
        GRIPS[grip],
        Arm(),
        seen,
        status,
    )
    hand, arm, force, contact, energy, ledger, drift, available = seen
    return Session(times, hand, arm, force, contact, energy, ledger, drift, available, status)


@kernel
def _play(
    hand_settings: Floats,
    arm_settings: Floats,
    stiffness: float,
    wanted: Floats,
    there_at: NDArray[np.int64],
    there: NDArray[np.int64],
    back_at: NDArray[np.int64],
    back: NDArray[np.int64],
    haptics: Floats,
    haptics_settings: Floats,
    guides: Floats,
    inputs: Floats,
    device: Device,
    grip: Grip,
    arm: Arm,
    seen: Floats,
    status: NDArray[np.int64],
) -> None:
    ticks = wanted.size
    hand_state, arm_state = np.zeros(at.STATE_SIZE), np.zeros(at.STATE_SIZE)
    hand_in, arm_in = np.zeros(at.INPUTS_SIZE), np.zeros(at.INPUTS_SIZE)
    from_hand, from_arm = np.zeros((ticks, at.PACKET_SIZE)), np.zeros((ticks, at.PACKET_SIZE))
    wrench, sent, reference = np.zeros(6), np.zeros(6), np.zeros(6)
    told = np.full(arm.delay + 1, START)
    place, speed, energy = START, 0.0, 0.0
    arm_place, arm_speed, contact, sensed = START, 0.0, 0.0, 0.0
    next_there = next_back = 0
    for k in range(ticks):
        now = k * PERIOD
        while next_back < back.size and back_at[next_back] <= k:
            take_packet(hand_state, from_arm[back[next_back]], now)
            next_back += 1
        while next_there < there.size and there_at[next_there] <= k:
            take_packet(arm_state, from_hand[there[next_there]], now)
            next_there += 1
        # The hand's side.
        read = round(place / device.quantum) * device.quantum
        hand_in[at.NOW], hand_in[at.OWN_PLACE] = now, read
        hand_in[at.OWN_FORCE] = haptics[felt.PARTS + 6 * felt.CONTACT]
        status[k] = hand_tick(hand_state, hand_settings, hand_in, wrench, from_hand[k])
        inputs[felt.NOW] = inputs[felt.SAMPLE_TIME] = now
        inputs[felt.FRESH] = 1.0
        inputs[felt.HAND] = inputs[felt.PROXY] = read
        inputs[felt.MEASURED], inputs[felt.MEASURED_AGE] = wrench[0], 0.0
        haptics_tick(haptics, haptics_settings, guides, inputs, sent)
        # The arm's side.
        arm_in[at.NOW], arm_in[at.OWN_PLACE], arm_in[at.OWN_FORCE] = now, arm_place, sensed
        arm_tick(arm_state, arm_settings, arm_in, reference, from_arm[k])
        for i in range(arm.delay):
            told[i] = told[i + 1]
        told[arm.delay] = reference[0]
        rate = (told[1] - told[0]) / PERIOD if arm.delay > 0 else 0.0
        fine = PERIOD / SUBSTEPS
        for j in range(SUBSTEPS):
            goal = told[0] + (told[1] - told[0]) * j / SUBSTEPS
            contact = -stiffness * max(arm_place, 0.0)
            push = arm.omega**2 * (goal - arm_place) + 2.0 * arm.omega * (rate - arm_speed)
            arm_speed += fine * (push + contact / arm.mass)
            arm_place += fine * arm_speed
            sensed += fine / arm.sensor * (contact - sensed)
        place, speed, energy = _advance(place, speed, energy, sent[0], PERIOD, wanted[k], device, grip)
        seen[0, k], seen[1, k], seen[2, k], seen[3, k] = place, arm_place, sent[0], contact
        seen[4, k], seen[5, k] = energy, haptics[felt.RENDERED]
        seen[6, k], seen[7, k] = arm_state[at.DRIFT], hand_state[at.AVAILABLE]
