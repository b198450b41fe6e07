"""`Start`: what a run needs gets ready side by side, and is waited for with a line that says how far it is.

Each part loads for a second or two in a process of its own. The servo's needs no options to load, so it is started
first, before this process itself has loaded what it needs (so nothing that takes long is imported above); emulated
arm, device and gripper as soon as their addresses are known. The servo gets its job when all of them are ready.
"""

from __future__ import annotations

import contextlib
import subprocess
import time
from dataclasses import replace
from types import TracebackType
from typing import TYPE_CHECKING, Self

from station.child import environment, python_module

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text

    from sim_devices.launch import Launched
    from station.run.gripping import Gripper
    from station.run.launch import ServoProcess
    from station.servo.job import Job

COMPILING = "compiling "  # begins what is told within a step
SERVO_STEPS = 2  # that a servo tells of: scene, compiled code; one more for each device and controller


def loading_servo() -> subprocess.Popen[str]:
    """A servo process that loads what it needs, and then waits for its job."""
    return subprocess.Popen(  # noqa: S603 (our own module)
        python_module("station.servo"),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=environment(),
        start_new_session=True,  # Ctrl-C is for this process, which then ends that one in order
    )


class Progress:
    """How far a start is: `3 of 6: reading the scene (2.1 s)`; a status line that is drawn again and again.

    Args:
        console: which shows it; if that is no terminal, it is told only what takes minutes, once.
    """

    def __init__(self, console: Console) -> None:
        self.steps = 0  # how many there are; 0: not known yet
        self._console, self._since = console, time.monotonic()
        self._done, self._text, self._told = 0, "loading", False

    def tell(self, text: str) -> None:
        """The next step; or, of what is compiled, more about this one."""
        self._text = text
        if not text.startswith(COMPILING):
            self._done += 1
        elif not self._told and not self._console.is_terminal:
            self._told = True
            self._console.print(text, markup=False, highlight=False, soft_wrap=True)

    def __str__(self) -> str:
        place = f"{min(self._done, self.steps)} of {self.steps}: " if self.steps else ""
        return f"{place}{self._text} ({time.monotonic() - self._since:.1f} s)"

    def __rich__(self) -> Text:
        from rich.text import Text

        return Text(str(self))


class Start:
    """The start of a run, from its first process to a servo that is ready; all ends with it.

    Args:
        quiet: whether nobody is shown how far it is.
    """

    def __init__(self, *, quiet: bool) -> None:
        self._stack = contextlib.ExitStack()
        self._emulators: dict[tuple[str, ...], Launched] = {}  # by kind and name, or names
        self._servo = loading_servo()
        self._stack.callback(_end, self._servo)
        from rich.console import Console  # while the servo loads already

        console = Console(stderr=True, quiet=quiet)
        self._progress = Progress(console)
        self._status = self._stack.enter_context(console.status(self._progress))

    def launch(self, job: Job, gripper: Gripper | None) -> None:
        """Start the emulators that a job asks for; mistakes in their addresses are told at once."""
        from station.emulated import (
            is_emulated,
            launched_arm,
            launched_arms,
            launched_device,
            launched_gripper,
            physics_of,
        )
        from station.servo.job import device_url

        arms = {name: url for name, url in job.controllers.items() if is_emulated(url)}
        for names in physics_of(job.file, list(arms)) if arms else ():
            if len(names) == 1:
                (name,) = names
                with job.placed("controller", name):
                    self._add(("arm", *names), launched_arm(arms[name], job.file, name or job.wanted.robot))
            else:
                with job.placed("controller", names[0]):
                    self._add(("arms", *names), launched_arms({name: arms[name] for name in names}, job.file))
        if gripper is not None and is_emulated(gripper.url):
            self._add(("gripper",), launched_gripper(gripper.url))
        for name, url in job.devices.items():
            if is_emulated(url):
                with job.placed("device", name):
                    self._add(("device", name), launched_device(device_url(job, name)))
        if self._emulators and self._servo.stdin is not None:
            with contextlib.suppress(BrokenPipeError):  # it has died; that is told when it is waited for
                self._servo.stdin.write(replace(job, follows=True).to_line() + "\n")
                self._servo.stdin.flush()

    def ready(self, job: Job, gripper: Gripper | None) -> tuple[ServoProcess, Job, Gripper | None]:
        """Wait until all are ready; the servo, and the job and the gripper with addresses at which they are found."""
        from station.emulated import addresses_of, device_beside
        from station.run.launch import ServoProcess
        from station.servo.job import device_url

        progress, devices, controllers = self._progress, dict(job.devices), dict(job.controllers)
        progress.steps = len(self._emulators) + SERVO_STEPS + len(devices) + len(controllers)
        for (kind, *names), emulator in self._emulators.items():
            progress.tell(f"starting the emulated {kind} {' and '.join(names)}".rstrip())
            with job.placed("device" if kind == "device" else "controller", names[0] if names else ""):
                found = emulator.address(progress.tell)
            if kind in ("arm", "arms"):
                controllers |= addresses_of(names, found)
            elif kind == "device":
                devices[names[0]] = device_beside(device_url(job, names[0]), found)
            elif gripper is not None:
                gripper = gripper._replace(url=found, name=f"{gripper.url} (emulated)", emulated=True)
        job = replace(job, devices=devices, controllers=controllers)
        servo = self._stack.enter_context(ServoProcess(job, progress.tell, self._servo))
        self.say_no_more()
        return servo, job, gripper

    def say_no_more(self) -> None:
        """Take the status line away, for other lines; may be called twice."""
        self._status.stop()

    def _add(self, name: tuple[str, ...], emulator: Launched) -> None:
        self._emulators[name] = self._stack.enter_context(emulator)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stack.close()


def _end(servo: subprocess.Popen[str]) -> None:
    """End a servo process that never got a job."""
    if servo.poll() is None:
        servo.kill()
        servo.wait()
    for stream in (servo.stdin, servo.stdout, servo.stderr):
        if stream is not None and not stream.closed:
            stream.close()
