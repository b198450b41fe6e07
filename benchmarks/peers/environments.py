"""The peers' own virtual environments, in `.venv-peers/`: made by `--install-peers`, never unasked, and kept.

placo pins an older pinocchio than pink needs, so there are two of them. Nothing is installed into the project's own.
"""

from __future__ import annotations

import functools
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / ".venv-peers"
INSTALL = "--install-peers"  # word of the command line
PACKAGES = {
    "placo": ("placo==0.10.2",),
    "rest": ("pin", "pin-pink", "mink", "daqp", "roboticstoolbox-python", "ikpy", "mujoco"),
}


class NotInstalledError(Exception):
    """A peer's environment cannot be made; the text says why."""


def progress(text: str) -> None:
    """One line on stderr."""
    print(text, file=sys.stderr, flush=True)


def python_of(environment: str | None) -> Path:
    """The interpreter of a peer's environment; None is our own."""
    if environment is None:
        return Path(sys.executable)
    problem = _made(environment)
    if problem:
        raise NotInstalledError(problem)
    return FOLDER / environment / "bin" / "python"


@functools.cache
def _made(environment: str) -> str:
    """Make the environment if it is not there and was asked for; an empty string, or why there is none."""
    folder = FOLDER / environment
    ready = folder / ".ready"
    packages = PACKAGES[environment]
    if ready.exists() and ready.read_text().split() == list(packages):
        return ""
    if INSTALL not in sys.argv:
        return f"{INSTALL} makes {folder.relative_to(ROOT)} for it"
    progress(f"making {folder.relative_to(ROOT)} for {' '.join(packages)} (once) …")
    shutil.rmtree(folder, ignore_errors=True)
    problem = _run([sys.executable, "-m", "venv", str(folder)])
    if problem:
        return problem
    problem = _install(folder, packages)
    missing = [package for package in packages if _install(folder, (package,))] if problem else []
    if len(missing) == len(packages):
        return problem
    for package in missing:  # its worker will fail to import it, and its row will say so
        progress(f"could not install {package}")
    if not missing:
        ready.write_text("\n".join(packages))
    return ""


def _install(folder: Path, packages: tuple[str, ...]) -> str:
    return _run([str(folder / "bin" / "python"), "-m", "pip", "install", "--quiet", *packages])


def _run(command: list[str]) -> str:
    """Run to the end; an empty string, or the last line it complained with."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=1200, check=False)
    except (OSError, subprocess.TimeoutExpired) as problem:
        return str(problem)
    lines = [line for line in done.stderr.splitlines() if line.strip()] or [f"exit code {done.returncode}"]
    return "" if done.returncode == 0 else lines[-1].strip()
