"""`station run --record`: a recorder beside the servo, with all that a recording should say of where it comes from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path

from station.run.launch import Ready
from station.servo.job import Job
from station.tasks.recording.facts import files_of, seeds
from station.tasks.recording.order import Order


def order_of(path: Path, overwrite: bool, job: Job, ready: Ready, task: str = "") -> Order:
    """What to record of a servo that is ready; `job` is as it was asked for, with emulators by name."""
    urls = _by_role("device", job.devices) | _by_role("controller", job.controllers)
    wanted = {name: str(value) for name, value in asdict(job.wanted).items() if value is not None}
    run = {**urls, "file": job.file, "real_time": str(ready.real_time), "notes": "; ".join(ready.notes)}
    if task:
        run["task"] = task
    return Order(
        state=str(ready.state),
        path=str(path),
        overwrite=overwrite,
        attach=files_of(job.file, urls.values(), [job.wanted.sensor or ""]),
        metadata={"run": run, "wanted": wanted, "seeds": seeds(urls)},
    )


def _by_role(role: str, urls: Mapping[str, str]) -> dict[str, str]:
    """Addresses by what they are for: the first `device`, further ones with their names; one there always is."""
    named = {role if not nth else f"{role} {name}": url for nth, (name, url) in enumerate(urls.items())}
    return named or {role: ""}
