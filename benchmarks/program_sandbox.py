"""Programs in the sandbox: runs per CPU-second, planted wrong programs caught, hostile programs contained.

    python benchmarks/program_sandbox.py

CPU time is that of this process and of the sandbox's workers together (Linux). No language model is asked.
"""

from __future__ import annotations

import os
import resource
import sys
import time
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from benchmarks.results_table import write_table
from instructions.programs.asked.asking import describe_things
from instructions.programs.running.sandbox import Sandbox, open_sandbox
from instructions.programs.running.values import ProgramError
from tests.full.instructions.programs.test_hostile_programs import FAILS, HARMLESS, SCENE
from tests.support.worlds.random_worlds import make_world
from tests.unit.instructions.programs.test_planted_programs import TASKS, WORLDS, believe_one

NEAREST = """
import math
def func(metadata, camera):
    things = {one["id"]: one["obb"]["center"] for one in metadata}
    first = metadata[0]["id"]
    return min((name for name in things if name != first), key=lambda name: math.dist(things[name], things[first]))
"""
TICKS = os.sysconf("SC_CLK_TCK")


def cpu_s() -> float:
    """Of this process and its live children."""
    own = os.getpid()
    total = 0
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            try:
                parts = (folder / "stat").read_text().rpartition(")")[2].split()
            except OSError:
                continue
            if int(folder.name) == own or int(parts[1]) == own:
                total += int(parts[11]) + int(parts[12])
    return total / TICKS


def main() -> None:
    figures: list[tuple[str, object]] = []
    begun = time.perf_counter()
    open_sandbox(1)
    print(f"start with self-test: {time.perf_counter() - begun:.2f} s")
    with Sandbox(1) as sandbox:
        for count, runs in ((10, 4000), (400, 300)):
            scene = make_world(1, count)
            metadata = describe_things(scene.things.values(), {one: one for one in scene.things})
            cpu, wall = cpu_s(), time.perf_counter()
            for _ in range(runs):
                sandbox.run(NEAREST, metadata)
            cpu, wall = cpu_s() - cpu, time.perf_counter() - wall
            figures.append((f"runs per CPU-second, scenes of {count} things", f"{runs / cpu:.0f}"))
            print(f"{count} things: {runs / cpu:.0f} runs per CPU-second, {1000 * wall / runs:.2f} ms each")
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        ended: Counter[str] = Counter()
        longest = 0.0
        for source in [*FAILS.values(), *(source for source, _ in HARMLESS.values())]:
            begun = time.perf_counter()
            try:
                sandbox.run(source, SCENE)
                ended["harmless value"] += 1
            except ProgramError as error:
                ended[error.reason] += 1
            longest = max(longest, time.perf_counter() - begun)
        grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024
        print(
            f"hostile programs: {ended.total()} ({dict(ended)}); longest {longest:.2f} s; host memory +{grown:.0f} MiB"
        )
    caught: Counter[bool] = Counter()
    by_reference: Counter[bool] = Counter()
    kinds = 0
    for task in TASKS:
        for lines in task.wrong.values():
            kinds += 1
            for seed in range(WORLDS):
                belief = believe_one(make_world(seed), task, lines, seed)
                caught[belief.rejected_because is not None] += 1
                by_reference[belief.rejected_because == "breaks_a_law"] += 1
    share = caught[True] / caught.total()
    figures += [
        ("hostile programs contained", ended.total()),
        ("longest of them", f"{longest:.1f} s"),
        ("wrong programs caught", f"{caught[True]} of {caught.total()}"),
    ]
    write_table("program_sandbox", ("what", "figure"), figures)
    print(f"planted: {kinds} kinds in {WORLDS} worlds, {share:.1%} caught, {by_reference[True]} of them by a law alone")


if __name__ == "__main__":
    main()
