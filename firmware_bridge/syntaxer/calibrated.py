"""What calibrations have found of a syntaxer, for its driver: numbers that replace those of the handshake."""

from __future__ import annotations

from typing import NamedTuple

from station.applied import Applied
from station.devices.errors import DeviceMismatchError
from station.devices.syntaxer import Syntaxer, geometry_from

PART = "device"  # of the bench, that is calibrated here


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
