"""Commands for recordings: facts, replay, report, export, recover."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import click
from rich.console import Console

from station.tasks.recording import Recording, recover

a_file = click.argument("file", type=click.Path(path_type=Path))
overwrite = click.option("--overwrite", is_flag=True, help="Write over what is there.")
as_json = click.option("--json", "as_json", is_flag=True, help="Print data for programs.")


@click.command("info")
@a_file
@as_json
def info_command(file: Path, as_json: bool) -> None:
    """What the recording FILE says of where it comes from: bench, calibrations in use, versions, what is attached."""
    from station.tasks.recording.episodes import episodes_of
    from station.tasks.recording.facts import calibrations_in

    with Recording(file) as recording:
        facts: dict[str, Any] = {name: dict(values) for name, values in recording.metadata.items()}
        parts = {name: recording.part(name).metadata for name in recording.parts} or {"": recording.metadata}
        used = dict.fromkeys(one for told in parts.values() for one in calibrations_in(told.get("calibration", {})))
        facts["calibration"] = [one.told for one in used]
        facts["attached"] = sorted(recording.attachments)
        facts["episodes"] = [one._asdict() for one in episodes_of(recording)]
    if as_json:
        _print(facts)
        return
    for line in [one.text for one in used] or ["no calibration in use"]:
        click.echo(line)
    for name, told in parts.items() if len(parts) > 1 else ():
        servo = told.get("servo", {})
        click.echo(f"part {name}: {servo.get('device', '')} leads {servo.get('robot', '')}, {servo.get('led', '')}")
    for name in ("run", "wanted", "seeds", "versions", "end"):
        for key, value in facts.get(name, {}).items():
            if value:
                click.echo(f"{name}: {key} {value}")
    for one in facts["episodes"]:
        length, task = 1e-9 * (one["end"] - one["begin"]), f", {one['task']}" if one["task"] else ""
        click.echo(f"episode {one['number']}: {one['outcome']}, {length:.2f} s{task}")
    click.echo(f"attached: {', '.join(facts['attached']) or 'nothing'}")


@click.command("replay")
@a_file
@click.option("--speed", default=1.0, show_default=True, help="1 is as it was; 0.01 to 100.")
@click.option("--start", default=0.0, metavar="S", help="Where to begin, from the beginning of the recording.")
@click.option("--seconds", type=click.FloatRange(0.0), metavar="S", help="How much of it; else all.")
@click.option("--paused", is_flag=True, help="Begin with a pause.")
@click.option("--window", is_flag=True, help="Also in a window; other windows of station view follow it as well.")
@as_json
def replay_command(
    file: Path, speed: float, start: float, seconds: float | None, paused: bool, window: bool, as_json: bool
) -> None:
    """Show the recorded run FILE again: on the terminal, and to every station view. Keys: pause, seek, speed."""
    from station.monitor import Summary
    from station.run.playback import Wishes, replay
    from station.tasks.replay import Ticks

    with Recording(file) as recording:
        ticks = Ticks(recording)
        wishes = Wishes(speed, start, seconds, paused, window)
        run = replay(ticks, wishes, Console(quiet=True) if as_json else None)
    summary = Summary.of(run)
    _print(summary.data) if as_json else click.echo(summary.text)


@click.command("report")
@a_file
@click.option("-o", "--output", metavar="OUT.html", type=click.Path(path_type=Path), help="Else beside FILE.")
@click.option("--no-pictures", is_flag=True, help="Without pictures of the robot.")
@overwrite
def report_command(file: Path, output: Path | None, no_pictures: bool, overwrite: bool) -> None:
    """Write one page about the recorded run FILE: plots, tables, pictures; it needs nothing else to be shown."""
    from station.run.recorded import check_page, write_report
    from station.tasks.replay import Ticks

    path = output or file.with_suffix(".html")
    check_page(path, overwrite)
    with Recording(file) as recording, Console(stderr=True).status("reading") as status:
        write_report(Ticks(recording), path, overwrite=overwrite, pictures=not no_pictures, tell=status.update)
    click.echo(f"{path}: {path.stat().st_size / 1e6:.1f} MB")


@click.command("export")
@a_file
@click.option("--csv", "kind", flag_value="csv", help="Comma-separated values.")
@click.option("--parquet", "kind", flag_value="parquet", help="Parquet; needs pyarrow.")
@click.option("-o", "--output", metavar="FOLDER", type=click.Path(path_type=Path), help="Else named after FILE.")
@overwrite
def export_command(file: Path, kind: str | None, output: Path | None, overwrite: bool) -> None:
    """Write the channels of the recording FILE as tables, one file each, into a folder."""
    from station.tasks.export import export

    if kind is None:
        raise click.UsageError("say --csv or --parquet")
    folder = output or file.with_name(f"{file.stem}-{kind}")
    with Recording(file) as recording, Console(stderr=True).status("reading") as status:
        files = export(recording, folder, kind, overwrite=overwrite, tell=lambda name: status.update(f"writing {name}"))
    click.echo(f"{folder}: {len(files)} tables")


@click.command("recover")
@a_file
@as_json
def recover_command(file: Path, as_json: bool) -> None:
    """Make the recording FILE whole, whose recorder was killed or whose disk was full; nothing good is lost."""
    with Console(stderr=True).status("reading"):
        done = recover(file)
    if as_json:
        _print({**done._asdict(), "path": str(done.path)})
    elif done.was_whole:
        click.echo(f"{file}: whole already, {done.messages} messages")
    else:
        click.echo(f"{file}: whole now, {done.messages} messages; {done.given_up} bytes at its end were given up")


def _print(data: dict[str, Any]) -> None:
    click.echo(json.dumps(data, indent=2, ensure_ascii=False))
