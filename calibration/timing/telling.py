"""Timing in words, for a person."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:  # the solvers come with them
    from calibration.timing.clocks import Clocks, HeldUp
    from calibration.timing.devices import DeviceTiming
    from calibration.timing.lining import LinedUp
    from calibration.timing.link import LinkTiming
    from calibration.timing.sampling import Sampling


def _ms(seconds: float) -> str:
    return f"{1e3 * seconds:.3f} ms"


def say_link(found: LinkTiming) -> None:
    """Of a link to an arm."""
    click.echo(f"setpoint to measurement: {1e3 * found.total:.3f} ± {_ms(found.deviation)}")
    ways = f"{_ms(found.command)} to the joints, {_ms(found.measured)} back"
    click.echo(f"{ways} (if both ways are alike; up to {_ms(found.asymmetry)} from one to the other)")
    _say_clock("arm", found.clock)
    if found.held_up > 0.0:
        click.echo(f"left out of the motion: {found.held_up:.0%} of the measurements, as their setpoints came late")
    _say_sampling("arm", found.sampling)


def say_device(found: DeviceTiming) -> None:
    """Of a link to a haptic device."""
    if found.clock is not None:
        _say_clock("device", found.clock)
        if found.sampling is not None and found.sampling.sure:
            _say_sampling("device", found.sampling)
    else:
        click.echo(f"from asking to the answer: {_ms(found.measured)} at least")
        click.echo(_held_up(found.held_up))
    for one in found.fixed:
        click.echo(f"fixed: {one}")


def say_lined_up(found: LinedUp) -> None:
    """Of a recording."""
    click.echo(f"{found.records} records; a setpoint shows after {_ms(found.late)}, usually")
    for name, errors in (("side by side", found.side_by_side), ("lined up", found.lined_up)):
        click.echo(
            f"measured from commanded joints, {name}: {errors.rms:.6f} rms, {errors.largest:.6f} at most [rad | m]"
        )


def _held_up(held: HeldUp) -> str:
    return f"held up on the way back: {_ms(held.usual)} usually, {_ms(held.rare)} once in a hundred times"


def _say_clock(who: str, clock: Clocks) -> None:
    drift = f"gains {1e6 * clock.drift:.2f} ± {1e6 * clock.drift_deviation:.2f} ppm"
    offset = f"{clock.offset:+.6f} ± {clock.offset_deviation:.6f} s"
    click.echo(f"clock of the {who}: {offset} (beside {_ms(clock.asymmetry)} for unlike ways), {drift}")
    click.echo(_held_up(clock.held_up))


def _say_sampling(who: str, sampling: Sampling | None) -> None:
    if sampling is None:
        click.echo(f"fixed: sampling phase: the {who} samples at uneven times")
    elif not sampling.sure:
        period, open_ = _ms(sampling.period), _ms(sampling.uncertainty)
        click.echo(
            f"samples every {period}; fixed: sampling phase: the clocks leave {open_} open, more than half of it"
        )
    else:
        click.echo(f"samples every {_ms(sampling.period)}, one at {sampling.at:.6f} ± {sampling.uncertainty:.6f} s")
