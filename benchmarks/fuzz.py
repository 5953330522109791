"""Fuzzing: mutated videos, run files and dataset files go through the commands that read them.

    python benchmarks/fuzz.py videos VIDEO --out FOLDER [--cases 1000] [--seed 0]
    python benchmarks/fuzz.py runs RUN --out FOLDER [--cases 1000] [--seed 0]
    python benchmarks/fuzz.py datasets RUN --out FOLDER [--cases 300] [--seed 0]
    python benchmarks/fuzz.py table --out FOLDER

One thing must hold: a command ends within a minute with an exit code of its own and at most one line of error; no
traceback, no signal, no hang. Each case is made from its number and the seed alone and its outcome is appended to
FOLDER/SUBJECT.jsonl; cases that stand there are not run again, so the same command goes on where it was stopped.

Every case runs in a child that is forked from a process which has run every command once, unharmed; its threads have
ended by then.

* videos: clips of VIDEO in several containers and codecs; `process --until clips`.
* runs: a file of a copy of RUN; `show`, `check`, and either `report` or an export in some format.
* datasets: a file of an export of RUN; `validate`. The sums are left out, so that the format's own rules have to cope.
"""

from __future__ import annotations

import argparse
import contextlib
import importlib
import json
import os
import pkgutil
import random
import resource
import shutil
import signal
import sys
import tempfile
import time
import traceback
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from fractions import Fraction
from pathlib import Path
from typing import cast

import av
from av.error import FFmpegError
from av.video.stream import VideoStream

import instructions
import recon
import roomtour as roomtour_package
import trajectories
from roomtour.cli import main as roomtour
from roomtour.export.core.folder import SUMS
from roomtour.export.registry import FORMATS

_LIMIT_S = 60
_FAULT = 70
"""Exit code of a child that an exception left."""
_HANG = "hang"
_CLIP_S = 1.0
_CODECS = {
    "h264.mp4": ("libx264", {}),
    "h264.mov": ("libx264", {"bf": "2"}),
    "h264.mkv": ("libx264", {}),
    "h264.ts": ("libx264", {}),
    "hevc.mp4": ("libx265", {"x265-params": "log-level=none"}),
    "vp9.webm": ("libvpx-vp9", {"deadline": "realtime"}),
    "mpeg4.avi": ("mpeg4", {}),
}


@dataclass(frozen=True)
class Outcome:
    """What came of one case."""

    case: int
    subject: str
    """Container or kind of file that was mutated."""
    mutation: str
    ended: dict[str, str]
    """By command: `exit N`, `traceback: ...`, `signal N` or `hang`."""
    seconds: float
    peak_mb: float
    last_line: str

    @property
    def faults(self) -> list[str]:
        """Commands that did not end as they must."""
        return [f"{name}: {how}" for name, how in self.ended.items() if not how.startswith("exit")]


def mutate(data: bytes, rng: random.Random) -> tuple[str, bytes]:
    """Harm a file: the name of the mutation, and the new content."""
    out, size = bytearray(data), len(data)
    name = rng.choice(("flip", "flip", "cut", "zero", "ones", "repeat", "swap", "text", "nest", "empty"))
    reach = max(1, min(size, rng.choice((64, 4096, size, size))))  # heads say more than pixels do
    at = rng.randrange(reach)
    length = rng.choice((1, 4, 64, 4096))
    if name == "flip":
        for _ in range(rng.choice((1, 1, 8, 200))):
            where = rng.randrange(reach)
            if where < size:
                out[where] ^= 1 << rng.randrange(8)
    elif name == "cut":
        del out[at:]
    elif name in ("zero", "ones"):
        out[at : at + length] = (b"\0" if name == "zero" else b"\xff") * min(length, size - at)
    elif name == "repeat":
        out[at:at] = out[at : at + length] * rng.choice((1, 3, 50))
    elif name == "swap":
        other = rng.randrange(max(1, size))
        out[at : at + length], out[other : other + length] = out[other : other + length], out[at : at + length]
    elif name == "text":
        number = rng.choice(
            (b"-1", b"1e308", b"NaN", b"null", b'"x"', b"99999999999999999999", b"[]", b"{}", b"\xff\xfe")
        )
        out[at : at + rng.choice((0, 1, 8))] = number
    elif name == "nest":
        depth = rng.choice((200, 980, 100_000))
        mark = rng.choice((b"[", b'{"a":'))
        out[at:at] = mark * depth + (b"]" * depth if mark == b"[" and rng.random() < 0.5 else b"")
    else:
        out.clear()
    return name, bytes(out)


def run_apart(commands: Sequence[Sequence[str]], log: Path) -> tuple[dict[str, str], float, float]:
    """Run commands one after the other in a child; how each ended, the seconds, and the peak of memory in MB."""
    started = time.monotonic()
    log.write_bytes(b"")
    child = os.fork()
    if child == 0:
        _be_child(commands, log)
    peak, status = 0.0, None
    while status is None:
        done, ended, usage = os.wait4(child, os.WNOHANG)
        if done:
            status, peak = ended, usage.ru_maxrss / 1024
        elif time.monotonic() - started > _LIMIT_S:
            os.kill(child, signal.SIGKILL)
            os.wait4(child, 0)
            break
        else:
            time.sleep(0.005)
    ended_as: dict[str, str] = {}
    lines = log.read_text(encoding="utf-8", errors="replace").splitlines()
    for line in lines:
        if line.startswith("\0"):
            name, _, how = line[1:].partition("\0")
            ended_as[name] = how
    missing = [" ".join(command[:1]) for command in commands if command[0] not in ended_as]
    if missing:
        ended_as[missing[0]] = _HANG if status is None else _describe(status)
    return ended_as, time.monotonic() - started, peak


def _describe(status: int) -> str:
    return f"signal {os.WTERMSIG(status)}" if os.WIFSIGNALED(status) else f"left with {os.WEXITSTATUS(status)}"


def _be_child(commands: Sequence[Sequence[str]], log: Path) -> None:
    handle = os.open(log, os.O_WRONLY | os.O_APPEND)
    os.dup2(handle, 1)
    os.dup2(handle, 2)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    for command in commands:
        try:
            how = f"exit {roomtour(list(command))}"
        except SystemExit as error:
            how = f"exit {error.code}"
        except BaseException as error:
            traceback.print_exc()
            where = traceback.extract_tb(error.__traceback__)[-1]
            how = f"traceback: {type(error).__name__} in {Path(where.filename).name}:{where.lineno}"
        sys.stdout.flush()
        sys.stderr.flush()
        os.write(handle, f"\n\0{command[0]}\0{how}\n".encode())
    os._exit(0)


def import_all() -> None:
    """Import every module of ours, so that no child has to; an extra that is not installed is left out."""
    for package in (recon, trajectories, instructions, roomtour_package):
        for found in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            if not found.name.endswith("__main__"):
                with contextlib.suppress(ImportError):
                    importlib.import_module(found.name)


def cases(out: Path, subject: str, count: int, seed: int) -> Iterator[tuple[int, random.Random]]:
    """Numbers that have no outcome yet, each with its own source of chance."""
    path = out / f"{subject}.jsonl"
    done = {json.loads(line)["case"] for line in path.read_text().splitlines()} if path.is_file() else set()
    for number in range(count):
        if number not in done:
            yield number, random.Random(f"{seed} {subject} {number}")


def keep(out: Path, subject: str, outcome: Outcome) -> None:
    """Append one outcome; a fault is printed as well."""
    with (out / f"{subject}.jsonl").open("a") as file:
        file.write(json.dumps(asdict(outcome)) + "\n")
    for fault in outcome.faults:
        print(f"case {outcome.case}: {outcome.subject}, {outcome.mutation}: {fault}", flush=True)


def write_clips(video: Path, folder: Path) -> list[Path]:
    """A second of the video at 240 lines in every container and codec that this build of FFmpeg writes."""
    with av.open(str(video)) as source:
        pictures = []
        for frame in source.decode(video=0):
            if frame.time is None or frame.time >= _CLIP_S:
                break
            pictures.append(frame.reformat(width=320, height=240, format="yuv420p"))
    folder.mkdir(parents=True, exist_ok=True)
    out = []
    for name, (codec, options) in _CODECS.items():
        path = folder / name
        if not path.exists():
            try:
                _encode(pictures, path, codec, options)
            except (FFmpegError, ValueError) as error:
                path.unlink(missing_ok=True)
                print(f"no {name}: {error}")
                continue
        out.append(path)
    return out


def _encode(pictures: Sequence[av.VideoFrame], path: Path, codec: str, options: dict[str, str]) -> None:
    with av.open(str(path), "w") as container:
        stream = cast(VideoStream, container.add_stream(codec, rate=15, options=options))
        stream.width, stream.height, stream.pix_fmt = 320, 240, "yuv420p"
        for number, picture in enumerate(pictures):
            picture.pts, picture.time_base = number, Fraction(1, 15)
            container.mux(stream.encode(picture))
        container.mux(stream.encode(None))


def fuzz_videos(video: Path, out: Path, count: int, seed: int) -> None:
    """Mutated clips through sampling."""
    clips = write_clips(video, out / "clips")
    with tempfile.TemporaryDirectory() as folder:
        roomtour(["process", str(clips[0]), "--out", f"{folder}/run", "--until", "clips", "--workers", "1"])
    for number, rng in cases(out, "videos", count, seed):
        clip = rng.choice(clips)
        name, data = mutate(clip.read_bytes(), rng)
        work = out / "work"
        shutil.rmtree(work, ignore_errors=True)
        work.mkdir()
        path = work / f"clip{clip.suffix}"
        path.write_bytes(data)
        command = ["process", str(path), "--out", str(work / "run"), "--until", "clips", "--workers", "1"]
        ended, seconds, peak = run_apart([command], out / "log.txt")
        keep(out, "videos", Outcome(number, clip.name, name, ended, round(seconds, 2), round(peak), _last_line(out)))


def fuzz_runs(run: Path, out: Path, count: int, seed: int) -> None:
    """Mutated files of a run through the commands that read it."""
    shelf = out / "shelf"
    if not shelf.exists():
        shutil.copytree(run, shelf / "run")
    copy = shelf / "run"
    by_kind = group_files(copy)
    formats = list(FORMATS)
    with tempfile.TemporaryDirectory() as folder:
        for command in (["show", str(copy)], ["check", str(copy)], ["report", str(shelf)]):
            roomtour(command)
        for name in formats:
            roomtour(["export", str(copy), "--out", f"{folder}/{name}", "--format", name])
    for number, rng in cases(out, "runs", count, seed):
        kind = rng.choice(list(by_kind))
        path = rng.choice(by_kind[kind])
        third = rng.choice((["report", str(shelf)], *[["export", str(copy), "--out", str(out / "made")]] * 3))
        if third[0] == "export":
            third += ["--format", rng.choice(formats), "--allow-errors"]
        shutil.rmtree(out / "made", ignore_errors=True)
        with harm(path, rng) as name:
            ended, seconds, peak = run_apart([["show", str(copy)], ["check", str(copy)], third], out / "log.txt")
        keep(out, "runs", Outcome(number, kind, name, ended, round(seconds, 2), round(peak), _last_line(out)))


def fuzz_datasets(run: Path, out: Path, count: int, seed: int) -> None:
    """Mutated files of exports through `validate`."""
    made = out / "exports"
    for name in FORMATS:
        if not (made / name).exists():
            with contextlib.suppress(SystemExit):
                roomtour(["export", str(run), "--format", name, "--out", str(made / name)])
        (made / name / SUMS).unlink(missing_ok=True)
    folders = [made / name for name in FORMATS if (made / name).exists()]
    for folder in folders:
        roomtour(["validate", str(folder), "--format", folder.name])
    for number, rng in cases(out, "datasets", count, seed):
        folder = rng.choice(folders)
        by_kind = group_files(folder)
        kind = rng.choice(list(by_kind))
        path = rng.choice(by_kind[kind])
        with harm(path, rng) as name:
            command = ["validate", str(folder), "--format", folder.name]
            ended, seconds, peak = run_apart([command], out / "log.txt")
        subject = f"{folder.name}: {kind}"
        keep(out, "datasets", Outcome(number, subject, name, ended, round(seconds, 2), round(peak), _last_line(out)))


def group_files(folder: Path) -> dict[str, list[Path]]:
    """Files by what they are called, numbers left out: one frame is as good as another."""
    out: dict[str, list[Path]] = defaultdict(list)
    for path in sorted(path for path in folder.rglob("*") if path.is_file() and path.stat().st_size):
        name = path.relative_to(folder).as_posix()
        out["".join("0" if letter.isdigit() else letter for letter in name)].append(path)
    return out


@contextlib.contextmanager
def harm(path: Path, rng: random.Random) -> Iterator[str]:
    """A file as a mutation leaves it, and as it was again behind the block."""
    whole = path.read_bytes()
    name, data = mutate(whole, rng)
    path.write_bytes(data)
    try:
        yield name
    finally:
        path.write_bytes(whole)


def _last_line(out: Path) -> str:
    lines = (out / "log.txt").read_text(encoding="utf-8", errors="replace").splitlines()
    told = [line for line in lines if line.strip() and not line.startswith("\0")]
    return told[-1][:300] if told else ""


def print_table(out: Path) -> None:
    """How the cases ended, by subject."""
    print("| subject | cases | ended well | refused in a line | traceback | signal | hang | slowest | most memory |")
    print("|---|---|---|---|---|---|---|---|---|")
    for path in sorted(out.glob("*.jsonl")):
        rows = [Outcome(**json.loads(line)) for line in path.read_text().splitlines()]
        states = Counter(_state(row) for row in rows)
        cells = [str(states[state]) for state in ("well", "refused", "traceback", "signal", _HANG)]
        slowest, most = max(row.seconds for row in rows), max(row.peak_mb for row in rows)
        print(f"| {path.stem} | {len(rows)} | {' | '.join(cells)} | {slowest:.1f} s | {most:.0f} MB |")


def _state(row: Outcome) -> str:
    for state in (_HANG, "signal", "traceback"):
        if any(fault.partition(": ")[2].startswith(state) for fault in row.faults):
            return state
    if row.faults:
        return "signal"
    return "well" if all(how == "exit 0" for how in row.ended.values()) else "refused"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("subject", choices=["videos", "runs", "datasets", "table"])
    parser.add_argument("source", type=Path, nargs="?")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--cases", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    given.out.mkdir(parents=True, exist_ok=True)
    if given.subject != "table":
        import_all()
        how: dict[str, Callable[[Path, Path, int, int], None]] = {
            "videos": fuzz_videos,
            "runs": fuzz_runs,
            "datasets": fuzz_datasets,
        }
        how[given.subject](given.source.resolve(), given.out.resolve(), given.cases, given.seed)
    print_table(given.out)


if __name__ == "__main__":
    main()
