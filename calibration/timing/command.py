"""`station calibrate timing`: an arm swings a little, and its link is timed by what comes back."""

from __future__ import annotations

from pathlib import Path

import click

from calibration.results import Result, Subject
from calibration.saying import DEGREE, as_json, out
from calibration.writing import finish


@click.command("timing")
@click.argument("file")
@out
@click.option("--controller", required=True, metavar="URL", help="The arm; sim:arm emulates one.")
@click.option("--robot", "name", help="Robot, if the scene has several.")
@click.option("--seconds", default=5.0, type=click.FloatRange(2.0, 60.0), help="How long it swings.")
@click.option("--amplitude", default=2.3, metavar="°", type=click.FloatRange(0.1, 10.0), help="Of all joints.")
@as_json
def timing(
    file: str, out: Path, controller: str, name: str | None, seconds: float, amplitude: float, as_json: bool
) -> None:
    """Delays and clocks of the link to the arm of FILE, by a motion of all its joints about where it stands."""
    from calibration.opening import opened
    from calibration.timing.link import led_hash, link_timing, time_link

    with opened(file, controller, name=name) as arm:
        able = arm.controller.capabilities
        click.echo(f"{able.model} swings for {seconds:g} s, all joints by up to {amplitude:g}° …", err=True)
        led, health = time_link(arm.leader, seconds, amplitude * DEGREE)
        subject = Subject.device(able.serial_number, arm.robot.name)
    found = link_timing(led, health)
    result = Result(method="timing", subject=subject, values=found.data(), data_hash=led_hash(led))

    def say() -> None:
        total, clock = found.total, found.clock
        click.echo(f"setpoint to measurement: {1e3 * total.delay:.3f} ± {1e3 * total.deviation:.3f} ms")
        said = f"{1e3 * found.command:.3f} ms to the joints, {1e3 * found.measured:.3f} ms back"
        click.echo(f"{said} (if both ways are alike; up to {1e3 * found.asymmetry:.3f} ms from one to the other)")
        click.echo(
            f"arm's clock: {found.offset:+.6f} s, gains {1e6 * clock.drift:.2f} ± {1e6 * clock.deviation:.2f} ppm"
        )
        click.echo(f"samples every {1e3 * total.period:.3f} ms, {1e3 * total.phase:.3f} ms after a whole period")

    finish(out, result, as_json, say)


COMMANDS = (timing,)
