"""Numbers of one syntaxer, under the names that `station.devices.syntaxer.geometry_from` takes.

What a device tells of itself in its handshake; and what calibrations have found, which replaces that.
"""

from __future__ import annotations

from typing import NamedTuple

from firmware_bridge.syntaxer.messages import Identity
from station.applied import Applied
from station.devices.errors import DeviceMismatchError
from station.devices.syntaxer import Syntaxer, geometry_from

PART = "device"  # of the bench, that is calibrated here


def numbers_from(identity: Identity) -> dict[str, float | int]:
    """Geometry and motors by name, SI units; what a device does not tell is left out.

    The model knows one kind of motor per stage: the weakest of the three speaks for all.
    """
    numbers: dict[str, float | int] = {}
    for i, chain in enumerate(identity.chains, start=1):
        numbers |= {f"chains.{i}.{name}": value for name, value in chain._asdict().items()}
        numbers[f"chains.{i}.ratio"] = identity.motors[i - 1].ratio
    for i, strut in enumerate(identity.struts, start=1):
        for axis in range(3):
            numbers[f"paramat.struts.{i}.anchor.{axis + 1}"] = strut.anchor[axis]
            numbers[f"paramat.struts.{i}.point.{axis + 1}"] = strut.point[axis]
        numbers[f"paramat.struts.{i}.drum_radius"] = strut.drum_radius
        numbers[f"paramat.struts.{i}.ratio"] = identity.motors[i + 2].ratio
    for name, motors in (("motor", identity.motors[:3]), ("paramat.motor", identity.motors[3:])):
        numbers[f"{name}.torque_constant"] = motors[0].torque_constant
        numbers[f"{name}.continuous"] = min(motor.continuous for motor in motors)
        numbers[f"{name}.peak"] = min(motor.peak for motor in motors)
        numbers[f"{name}.counts"] = motors[0].counts_per_turn
    for i, motor in enumerate(identity.motors, start=1):
        numbers[f"home.{i}"] = motor.home
    return numbers


class Calibrated(NamedTuple):
    """Numbers of a geometry by name (see `station.devices.syntaxer.numbers_of`), and the latency of the link."""

    numbers: dict[str, float | int]
    latency: float  # [s]; not a number: nobody has measured it
    applied: tuple[Applied, ...]  # the results that count, the newest of each method


def calibrated_numbers(path: str, serial_number: str) -> Calibrated:
    """All numbers that the results in a file tell, the newest of each.

    A DeviceMismatchError if the file belongs to another serial number, cannot be read, or holds numbers of no syntaxer.
    """
    # A driver without calibration does without the solvers that come with this package.
    from calibration.errors import CalibrationError
    from calibration.results import Subject, load_results

    try:
        results = load_results(path, Subject.device(serial_number, "syntaxer"))
        numbers: dict[str, float | int] = {}
        latency = float("nan")
        for result in reversed(results):  # the newest comes last
            numbers.update(result.values.get("numbers", {}))
            latency = float(result.values.get("latency", latency))
        geometry_from(numbers, Syntaxer())
    except (CalibrationError, ValueError, TypeError) as error:
        raise DeviceMismatchError(f"calibration: {error}") from None
    newest = {result.method: result for result in reversed(results)}
    return Calibrated(numbers, latency, tuple(one.applied(PART, path) for one in newest.values()))
