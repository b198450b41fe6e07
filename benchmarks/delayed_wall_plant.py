"""A hand, a device, a network, an arm and a wall: one axis, on a virtual clock, all of it seeded.

Hand and device are those of `virtual_wall_plant.py`, forces go through the station's own `haptics_tick` with its ledger
(as contact measured at the arm; no method of stability, so that what the link does by itself is seen), the network is
that of the emulated arm, and the ends are those of `station.bilateral`. The arm is a mass in a position loop with the
bandwidth, lag and sensor of the emulated arm.
"""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from benchmarks.virtual_wall_plant import GRIPS, Device, Grip, _advance
from sim_devices.arm.network import Network, NetworkSettings
from station.bilateral import Architecture, BilateralMethod, BilateralSettings
from station.bilateral.arm import arm_tick
from station.bilateral.hand import hand_tick
from station.bilateral.packet import PACKET_NUMBERS, Packet, take_packet
from station.bilateral.settings import LinkNumbers, numbers_of
from station.bilateral.state import ArmState, EndInputs, HandState
from station.haptics import Body, Contact, Coupling, HapticRenderer, HapticSettings, Inputs, Limits, Method, Stability
from station.haptics.guides import Guides
from station.haptics.state import Cause, HapticState
from station.haptics.tick import haptics_tick
from station.haptics.tuning import Tuning
from station.kernel import Record, address_of_record, field, floats_at, kernel

Floats = NDArray[np.float64]
PERIOD = 1e-3  # [s]
MOST = 20.0  # largest force on the hand [N]
LOSS = 0.05  # chance
START = -0.03  # of hand and arm; the wall begins at 0 [m]
SUBSTEPS = 10  # of the arm's physics
DEVICE = Device()


class Arm(Record):
    """Position loop, lag and sensor as the emulated arm has them."""

    mass: float = field("kg", "felt at the tool", default=5.0)
    omega: float = field("rad/s", "of the position loop", default=2.0 * np.pi * 15.0)
    delay: int = field("ticks", "from a setpoint to its effect", default=4)
    sensor: float = field("s", "time constant of the force sensor", default=0.002)


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
        numbers_of(settings),
        numbers_of(at_arm),
        HandState(),
        ArmState(),
        EndInputs(),
        EndInputs(),
        Packet(),
        stiffness,
        wanted,
        *there,
        *back,
        renderer.state,
        renderer.tuning,
        renderer.guides,
        inputs,
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
    hand_settings: LinkNumbers,
    arm_settings: LinkNumbers,
    hand_state: HandState,
    arm_state: ArmState,
    hand_in: EndInputs,
    arm_in: EndInputs,
    packet: Packet,
    stiffness: float,
    wanted: Floats,
    there_at: NDArray[np.int64],
    there: NDArray[np.int64],
    back_at: NDArray[np.int64],
    back: NDArray[np.int64],
    haptics: HapticState,
    tuning: Tuning,
    guides: Guides,
    inputs: Inputs,
    device: Device,
    grip: Grip,
    arm: Arm,
    seen: Floats,
    status: NDArray[np.int64],
) -> None:
    ticks = wanted.size
    from_hand, from_arm = np.zeros((ticks, PACKET_NUMBERS)), np.zeros((ticks, PACKET_NUMBERS))
    numbers = floats_at(address_of_record(packet), PACKET_NUMBERS)  # of the packet that comes or goes
    wrench, sent, reference = np.zeros(6), np.zeros(6), np.zeros(6)
    told = np.full(arm.delay + 1, START)
    place, speed, energy = START, 0.0, 0.0
    arm_place, arm_speed, contact, sensed = START, 0.0, 0.0, 0.0
    next_there = next_back = 0
    for k in range(ticks):
        now = k * PERIOD
        while next_back < back.size and back_at[next_back] <= k:
            numbers[:] = from_arm[back[next_back]]
            take_packet(hand_state.heard, packet, now)
            next_back += 1
        while next_there < there.size and there_at[next_there] <= k:
            numbers[:] = from_hand[there[next_there]]
            take_packet(arm_state.heard, packet, now)
            next_there += 1
        # The hand's side.
        read = round(place / device.quantum) * device.quantum
        hand_in.now, hand_in.place[0] = now, read
        hand_in.force[0] = haptics.parts[Cause.CONTACT, 0]
        status[k] = hand_tick(hand_state, hand_settings, hand_in, wrench, packet)
        from_hand[k] = numbers
        inputs.now = inputs.sample_time = now
        inputs.fresh = True
        inputs.hand[0] = inputs.proxy[0] = read
        inputs.measured[0], inputs.measured_age = wrench[0], 0.0
        haptics_tick(haptics, tuning, guides, inputs, sent)
        # The arm's side.
        arm_in.now, arm_in.place[0], arm_in.force[0] = now, arm_place, sensed
        arm_tick(arm_state, arm_settings, arm_in, reference, packet)
        from_arm[k] = numbers
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
        seen[4, k], seen[5, k] = energy, haptics.rendered
        seen[6, k], seen[7, k] = arm_state.drift, hand_state.books.available
