"""Sound, damaged and poisonous tours through `roomtour batch`: does each cost itself alone, and is it named rightly?

    python benchmarks/batch.py --out FOLDER [--sound 6] [--slots 2] [--until merge]
    unshare -n sh -c "ip link set lo up; python benchmarks/batch.py --out FOLDER --sound 53 --nodes 2"

The second makes 60 tours and a Ray cluster of two machines in a network of its own, and kills the second machine once a
fourth of the tours is done.

Sound tours are the test walk cut to different lengths and re-encoded. Damaged ones are copies that are empty, text, cut
after a tenth of their bytes, or flipped at random. Poisonous ones crash in native code (a null pointer is read), eat
memory, or hang: their children are replaced, everything else is the real thing. Every sound tour is then processed
quietly, one after the other in this process, and the files of both runs are compared byte by byte.
"""

from __future__ import annotations

import argparse
import resource
import threading
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import av
import numpy as np

from roomtour.batch.driver import Job, JobOptions
from roomtour.batch.engine import Engine
from roomtour.batch.local import LocalEngine
from roomtour.batch.plan import plan_tasks
from roomtour.batch.ray_engine import RayEngine
from roomtour.batch.records import Attempt
from roomtour.config import Config
from roomtour.pipeline import process_tour
from roomtour.sources import Tour

WALK = Path(__file__).parents[1] / "tests" / "data" / "short_walk.mp4"
POISON = {
    "crashes": "import ctypes; print('native', flush=True); ctypes.string_at(0)",
    "eats": "import time; held = bytearray(7_000_000_000); held[::4096] = b'x' * len(held[::4096]); time.sleep(600)",
    "hangs": "import time; time.sleep(600)",
}
EXPECTED = {
    "empty": "refused",
    "text": "refused",
    "crashes": "crashed",
    "eats": "out-of-memory",
    "hangs": "timed-out",
}
"""The rest of the damaged tours may give what they still hold."""
_TOLD_APART = ("manifest.json", "log.jsonl", "report.html")
"""Files with times and places, which differ from run to run."""


def poison_command(attempt: Attempt, command: Sequence[str]) -> Sequence[str]:
    """The command of a tour's child, or its poison."""
    poison = POISON.get(attempt.task.tour.name)
    return ["-c", poison] if poison else command


class PoisonedEngine(LocalEngine):
    """The local engine; the children of some tours are replaced."""

    def submit(self, attempt: Attempt, command: Sequence[str]) -> None:
        """Start the tour's child, or its poison."""
        super().submit(attempt, poison_command(attempt, command))


class PoisonedCluster(RayEngine):
    """The same on a Ray cluster."""

    def submit(self, attempt: Attempt, command: Sequence[str]) -> None:
        """Start the tour's child, or its poison."""
        super().submit(attempt, poison_command(attempt, command))


def make_cluster(nodes: int, slots: int, runs: Path, tours: int) -> PoisonedCluster:
    """A cluster of so many machines on this one, whose last is killed when a fourth of the tours is done."""
    from ray.cluster_utils import Cluster

    memory = 6_000_000_000
    head = {"num_cpus": slots, "memory": memory, "include_dashboard": False}
    cluster = Cluster(initialize_head=True, head_node_args=head)
    added = [cluster.add_node(num_cpus=slots, memory=memory) for _ in range(nodes - 1)]
    cluster.wait_for_nodes()

    def kill_later() -> None:
        while len(list(runs.glob("*"))) < tours / 4:
            time.sleep(0.5)
        print("  the last machine is killed")
        cluster.remove_node(added[-1], allow_graceful=False)

    threading.Thread(target=kill_later, daemon=True).start()
    return PoisonedCluster(str(cluster.address), None, 1, 60.0)


def cut_walk(path: Path, until_s: float, turned: bool = False) -> None:
    """The first seconds of the test walk, encoded again, or turned upside down."""
    with av.open(str(WALK)) as source, av.open(str(path), "w") as target:
        stream = target.add_stream("libx264", rate=source.streams.video[0].average_rate)
        stream.width, stream.height = source.streams.video[0].width, source.streams.video[0].height
        stream.pix_fmt, stream.options = "yuv420p", {"crf": "18"}
        for frame in source.decode(video=0):
            if frame.time is not None and frame.time > until_s:
                break
            image = frame.to_ndarray(format="rgb24").astype(np.uint8)
            picture = av.VideoFrame.from_ndarray(np.ascontiguousarray(image[::-1, ::-1] if turned else image), "rgb24")
            target.mux(stream.encode(picture))
        target.mux(stream.encode())


def make_tours(folder: Path, sound: int) -> list[Path]:
    """Sound, damaged and poisonous tours."""
    folder.mkdir(parents=True, exist_ok=True)
    for number in range(sound):
        cut_walk(folder / f"sound{number}.mp4", 7.0 + 0.5 * (number % 16), turned=number % 4 == 3)
    whole = WALK.read_bytes()
    flipped = np.frombuffer(whole, np.uint8).copy()
    rng = np.random.default_rng(0)
    flipped[rng.integers(0, len(flipped), 400)] ^= 0xFF
    damaged = {"empty": b"", "text": b"no video\n" * 9, "cut": whole[: len(whole) // 10], "flipped": flipped.tobytes()}
    for name, content in {**damaged, **dict.fromkeys(POISON, whole)}.items():
        (folder / f"{name}.mp4").write_bytes(content)
    return sorted(folder.glob("*.mp4"))


def find_differing(one: Path, other: Path) -> list[str]:
    """Files of two run folders that are not equal."""
    names = {
        str(path.relative_to(run))
        for run in (one, other)
        for path in run.rglob("*")
        if path.is_file() and path.name not in _TOLD_APART and not path.name.startswith(".")
    }
    return sorted(name for name in names if _content(one / name) != _content(other / name))


def _content(path: Path) -> bytes | None:
    return path.read_bytes() if path.is_file() else None


def cpu_seconds(who: int) -> float:
    """User and system time."""
    used = resource.getrusage(who)
    return used.ru_utime + used.ru_stime


def main() -> None:
    """Run the job, then the quiet runs, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--sound", type=int, default=6)
    parser.add_argument("--slots", type=int, default=2)
    parser.add_argument("--until", default="merge")
    parser.add_argument("--nodes", type=int, default=1)
    given = parser.parse_args()
    config = replace(Config(), perception="landmarks", workers=1)
    inputs = make_tours(given.out / "tours", given.sound)
    job = given.out / "job"
    tasks = plan_tasks(inputs, job, config, given.until)
    engine: Engine = PoisonedEngine(given.slots, memory_mb=6000.0, idle_s=60.0)
    if given.nodes > 1:
        engine = make_cluster(given.nodes, given.slots, job / "runs", len(tasks))
    own, started = cpu_seconds(resource.RUSAGE_SELF), time.monotonic()
    status = Job(job, tasks, config, JobOptions(until=given.until, memory_mb=1500.0), engine).run(
        lambda row: print(
            f"  {row.tour:<10} {row.state:<14} {row.cpu_s:7.1f} CPU-s {row.peak_mb:6.0f} MB  {row.reason}"
        )
    )
    wall = time.monotonic() - started
    driver_s = cpu_seconds(resource.RUSAGE_SELF) - own
    wrong = [row.tour for row in status.tours if EXPECTED.get(row.tour, row.state) != row.state]
    sound = [row for row in status.tours if row.tour.startswith("sound")]
    wrong += [row.tour for row in sound if row.state != "done"]
    unequal, quiet_s = {}, 0.0
    for row in sound:
        before = cpu_seconds(resource.RUSAGE_SELF)
        tour = Tour(row.tour, given.out / "tours" / f"{row.tour}.mp4", given.out / "quiet" / row.tour)
        process_tour(tour, config, until=given.until)
        quiet_s += cpu_seconds(resource.RUSAGE_SELF) - before
        if found := find_differing(tour.run, job / "runs" / row.tour):
            unequal[row.tour] = found
    batch_s = sum(row.cpu_s for row in sound)
    print(f"states: {status.states}; named wrongly: {wrong or 'none'}")
    print(f"sound tours equal to a quiet run: {len(sound) - len(unequal)} of {len(sound)} {unequal or ''}")
    more = (batch_s - quiet_s) / len(sound)
    print(f"CPU-s of sound tours: {batch_s:.1f} in the job, {quiet_s:.1f} quietly: {more:.1f} more per tour")
    print(f"driver: {driver_s:.1f} CPU-s, {driver_s / wall:.1%} of a core; wall {wall:.0f} s at {given.slots} slots")


if __name__ == "__main__":
    main()
