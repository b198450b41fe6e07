"""How fast a task is verified: 60 s at 1 kHz, 7 axes, with collisions; and how variants scale with processes.

python -m benchmarks.verify [--variants N] [--json]
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

import robots
import station
from station.tasks.task import Task
from station.tasks.task.hashing import scene_text, text_hash
from station.tasks.task.joints import driven_joints, driven_names
from station.tasks.task.model import Segment
from station.tasks.verify import RobustSettings, VerifySettings, make_workbench, verify
from station.tasks.verify.robust import Case, robustness

SECONDS, ROUNDS, VARIANTS = 60.0, 5, 300
OBSTACLES = """
obstacle table { pos { 300 0 -60 }     box { 1600 1200 40 } }
obstacle post  { pos { 450 450 300 }   cylinder { radius 60 length 700 } }
obstacle shelf { pos { 700 0 800 }     box { 300 600 30 } }
obstacle ball  { pos { 350 -500 500 }  sphere 80 }
obstacle bin   { pos { 550 -250 100 }  box { 200 200 200 } }
"""


def panda_among_obstacles(folder: Path) -> Path:
    """The Panda of this project with five things around it."""
    text = robots.path("panda").read_text(encoding="utf8")
    file = folder / "panda_bench.mad"
    file.write_text(text.replace("robot panda", OBSTACLES + "robot panda", 1), encoding="utf8")
    return file


def task_for(file: Path, seconds: float = SECONDS) -> Task:
    """A smooth motion of all joints about the posture of the file, at up to about half of the speed limits."""
    scene = station.load(file)
    mechanism = scene["panda"]
    start = mechanism.q[driven_joints(mechanism)]
    t = np.arange(0.0, seconds + 5e-4, 1e-3)
    draw = np.random.default_rng(8)
    ease = np.minimum(1.0, np.minimum(t, seconds - t) / 3.0)
    ease = ease * ease * (3.0 - 2.0 * ease)
    waves = np.stack([np.sin(2.0 * np.pi * draw.uniform(0.1, 0.4) * t + draw.uniform(0.0, 6.0)) for _ in start], axis=1)
    q = start + 0.3 * ease[:, None] * waves
    text = scene_text(file)
    return Task(
        name="bench",
        robot="panda",
        joints=driven_names(mechanism),
        frame=mechanism.robot.tools[-1].id if mechanism.robot.tools else mechanism.robot.frames[-1].id,
        period=1e-3,
        q=q,
        segments=(Segment(0, len(q) - 1),),
        scene_hash=text_hash(text),
        scene_file=str(file),
        scene_text=text,
    )


def measure(variants: int) -> dict[str, Any]:
    """All figures."""
    with tempfile.TemporaryDirectory() as name:
        file = panda_among_obstacles(Path(name))
        task, scene = task_for(file), station.load(file)
        bench = make_workbench(scene, scene["panda"], VerifySettings(), frame=task.frame)
        verdict = verify(task, bench)  # compiled now
        took = [verify(task, bench).took for _ in range(ROUNDS)]
        short = task_for(file, 10.0)
        scaling = {}
        for workers in sorted({1, os.cpu_count() or 1}):
            begun = time.perf_counter()
            first = [0.0]

            def tell(_count: int, first: list[float] = first) -> None:
                first[0] = first[0] or time.perf_counter()

            robustness(Case(short, str(file), VerifySettings(), RobustSettings(variants=variants)), workers, tell)
            end = time.perf_counter()
            scaling[workers] = {"total": end - begun, "after_first": end - first[0]}
    return {
        "seconds": SECONDS,
        "pairs": len(bench.around.pairs),
        "findings": len(verdict.findings),
        "took_median": statistics.median(took),
        "took_worst": max(took),
        "times_real_time": SECONDS / statistics.median(took),
        "variants": variants,
        "variants_task_seconds": 10.0,
        "workers": scaling,
    }


def run() -> dict[str, float]:
    """For `python -m benchmarks`."""
    figures = measure(VARIANTS)
    rows = {
        f"{SECONDS:.0f} s at 1 kHz, 7 axes, {figures['pairs']} pairs [s]": figures["took_median"],
        "times faster than real time": figures["times_real_time"],
    }
    for workers, row in figures["workers"].items():
        rows[f"{VARIANTS} variants of 10 s, {workers} processes, after the first [s]"] = row["after_first"]
    return rows


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--variants", type=int, default=VARIANTS)
    parser.add_argument("--json", action="store_true")
    wanted = parser.parse_args()
    figures = measure(wanted.variants)
    if wanted.json:
        print(json.dumps(figures, indent=2))
        return
    print(f"verify {figures['seconds']:.0f} s at 1 kHz, 7 axes, {figures['pairs']} pairs of solids:")
    print(
        f"  {figures['took_median']:.2f} s (median of {ROUNDS}), {figures['times_real_time']:.0f} x real time, "
        f"worst {figures['took_worst']:.2f} s, {figures['findings']} findings"
    )
    print(f"{figures['variants']} variants of a task of {figures['variants_task_seconds']:.0f} s:")
    for workers, row in figures["workers"].items():
        print(f"  {workers} processes: {row['total']:.1f} s, {row['after_first']:.1f} s after the first were done")


if __name__ == "__main__":
    main()
