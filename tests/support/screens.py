"""Screens that a user sees, as `tests/golden/screens` holds them: 100 columns, made folders shown by a word.

`python -m tests.support.golden` writes them; read each that changed.
"""

import difflib
import re
import shutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import chdir, redirect_stderr, redirect_stdout
from io import StringIO
from pathlib import Path

from tests.support.paths import DATA, ROOT

FOLDER = ROOT / "tests" / "golden" / "screens"
COLUMNS = "100"
"""The environment says it before roomtour is imported: `tests/conftest.py`."""

HELP = {
    "help": ["--help"],
    "help_process": ["process", "--help"],
    "export_list": ["export", "--list"],
    "options_clips": ["options", "clips.*"],
}

_TO_RUN = ["--out", "run", "--workers", "1"]
ERRORS: Sequence[Sequence[str]] = (
    [],
    ["proces"],
    ["--versio"],
    ["process"],
    ["process", "walk.mp4"],
    ["process", "missing.mp4", *_TO_RUN],
    ["process", "notes.mp4", *_TO_RUN],
    ["process", "empty.mp4", *_TO_RUN],
    ["process", "pictures", *_TO_RUN],
    ["process", "walk.mp4", "--out", "other", "--workers", "1"],
    ["process", "walk.mp4", *_TO_RUN, "--until", "featurs"],
    ["process", "walk.mp4", *_TO_RUN, "--force", "featurs"],
    ["process", "walk.mp4", *_TO_RUN, "--smaple.fps", "3"],
    ["process", "walk.mp4", *_TO_RUN, "--sample.fps", "many"],
    ["process", "walk.mp4", *_TO_RUN, "--sample.fps", "-1"],
    ["process", "walk.mp4", *_TO_RUN, "--sample.fps"],
    ["process", "walk.mp4", *_TO_RUN, "--fps", "3"],
    ["process", "walk.mp4", *_TO_RUN, "--scene.camera-hei=3"],
    ["process", "walk.mp4", *_TO_RUN, "--dry-rum"],
    ["process", "walk.mp4", *_TO_RUN, "-x"],
    ["process", "walk.mp4", *_TO_RUN, "--set", "sample.fps"],
    ["process", "walk.mp4", *_TO_RUN, "--set", "sample.fps=["],
    ["process", "walk.mp4", *_TO_RUN, "--set", "vision.tags=3"],
    ["process", "walk.mp4", *_TO_RUN, "--set", "sfm.min_model_frame=3"],
    ["process", "walk.mp4", *_TO_RUN, "--set", "sample.fsp=3"],
    ["process", "walk.mp4", *_TO_RUN, "--data", "navigatoin"],
    ["process", "walk.mp4", *_TO_RUN, "--features.kind", "best"],
    ["process", "walk.mp4", *_TO_RUN, "--writer", "gpt"],
    ["process", "walk.mp4", *_TO_RUN, "--poses", "missing.tum"],
    ["process", "walk.mp4", *_TO_RUN, "--config", "missing.yaml"],
    ["process", "walk.mp4", *_TO_RUN, "--config", "wrong_value.yaml"],
    ["process", "walk.mp4", *_TO_RUN, "--config", "unknown_key.yaml"],
    ["process", "walk.mp4", *_TO_RUN, "--config", "no_mapping.yaml", "--sample.fps", "3"],
    ["options", "camera_heigth_m"],
    ["show", "missing"],
    ["show", "other", "--al"],
    ["check"],
    ["check", "other"],
    ["make"],
    ["make", "other"],
    ["make", "other", "--data", "navigatoin"],
    ["make", "other", "--data", "navigation"],
    ["make", "other", "--data", "navigation", "--set", "seeed=1"],
    ["export"],
    ["export", "other"],
    ["export", "other", "--format", "roomtour3", "--out", "set"],
    ["export", "other", "--format", "llava", "--options", "val_shar=0.1", "--out", "set"],
    ["export", "other", "--format", "llava", "--options", "val_share=2", "--out", "set"],
    ["validate", "missing"],
    ["validate", "other"],
    ["validate", "other", "--fromat", "tum"],
    ["report", "missing"],
    ["explain", "other"],
    ["ask", "other", " "],
    ["ask", "other", "How tall is the lamp?"],
    ["view", "other"],
    ["review"],
    ["leaderboard"],
    ["models", "list", "--vision.devic", "cpu"],
    ["import", "other", "--format", "sprit", "--out", "run"],
)
"""Command lines that make no sense, in the folder of `lay_out`."""
_HOW_MANY = re.compile(r"\ball \d+\b")
"""Options come and go without a change of the screen."""


def lay_out(folder: Path) -> Path:
    """What the wrong command lines meet: a video, files that are none, a folder of pictures, one of somebody else."""
    (folder / "walk.mp4").write_bytes((DATA / "short_walk.mp4").read_bytes())
    (folder / "notes.mp4").write_text("Tuesday: buy milk, film the flat.\n")
    (folder / "empty.mp4").touch()
    for name in ("pictures", "other"):
        (folder / name).mkdir()
    for number in "12":
        (folder / "pictures" / f"{number}.jpg").write_bytes(b"\xff\xd8\xff\xd9")
    (folder / "other" / "thesis.tex").write_text("mine")
    (folder / "wrong_value.yaml").write_text("sample: {fps: fast}\n")
    (folder / "no_mapping.yaml").write_text("sample: 3\n")
    (folder / "unknown_key.yaml").write_text("camera_height: 1.6\n")
    return folder


def capture(*words: str) -> str:
    """A command line and all it prints; its exit code too unless that is 0."""
    from roomtour.cli import main

    told = StringIO()
    with redirect_stdout(told), redirect_stderr(told):
        code = main(words)
    line = " ".join(f'"{word}"' if not word or " " in word else word for word in words)
    text = f"$ roomtour {line}".rstrip() + f"\n{told.getvalue()}" + (f"[exit code {code}]\n" if code else "")
    return "\n".join(line.rstrip() for line in text.splitlines()) + "\n"


def capture_errors(folder: Path) -> str:
    """What each wrong command line is told."""
    with chdir(lay_out(folder)):
        return "\n".join(capture(*words) for words in ERRORS)


def screens_of_run(run: Path, whole: Path, process: str, make: str, folder: Path) -> Iterator[tuple[str, str]]:
    """Names and screens of commands that read a finished run."""
    places = {DATA: "VIDEOS", whole: "WHOLE", whole.parent: "RUNS", run: "RUN", folder: "OUT"}
    yield "process", _told_alike(process, places)
    yield "show", _told_alike(capture("show", str(run)), places)
    yield "make", _told_alike(make, places)
    out = str(folder / "asked")
    asked = capture("ask", str(whole), "How long is the walk?", "--out", out)
    asked += capture("explain", str(whole), "--data", "programs", "--sample", "2", "--out", out)
    yield "ask", _told_alike(asked, places)
    yield "report", _told_alike(capture("report", str(whole.parent), "--out", str(folder / "index.html")), places)

    tum, llava = folder / "tum", folder / "llava"
    told = capture("export", str(whole), "--format", "llava", "--out", str(llava)) + capture("validate", str(llava))
    told += capture("export", str(whole), "--format", "tum", "--out", str(tum)) + capture("validate", str(tum))
    with (tum / "0.txt").open("a", encoding="utf-8") as poses:
        poses.write("1 2 3\n")
    max((llava / "images").rglob("*.jpg")).unlink()
    told += capture("validate", str(tum)) + capture("validate", str(llava))
    yield "export", _told_alike(told, places)

    damaged = shutil.copytree(run, folder / "damaged")
    told = capture("check", str(run), str(damaged))
    (damaged / "scene" / "scene.json").write_text("{")
    (damaged / "frames" / "000001.jpg").unlink()
    told += capture("check", str(damaged)) + capture("show", str(damaged))
    yield "check", _told_alike(told, places)


def _told_alike(text: str, places: Mapping[Path, str]) -> str:
    """With words for folders that lie elsewhere each time; a table may have folded their names."""
    for path, word in places.items():
        text = re.sub(r"(?:\s*\n\s*)?".join(map(re.escape, str(path))), word, text)
    return text.replace("\\", "/")


def require_screen(name: str, told: str, *, measured: bool = False) -> None:
    """Fail with the difference if a screen is not the one that was read."""
    path = FOLDER / f"{name}.txt"
    golden = path.read_text(encoding="utf-8") if path.exists() else ""
    read, now = (_without_numbers(text) if measured else _HOW_MANY.sub("all #", text) for text in (golden, told))
    changed = list(difflib.unified_diff(read.splitlines(), now.splitlines(), str(path), "now", lineterm=""))
    assert not changed, "\n".join([*changed, "If this is wanted: python -m tests.support.golden, and read it"])


def write_screen(name: str, told: str, *, measured: bool = False) -> None:
    """Keep a screen, unless only measured numbers differ."""
    try:
        require_screen(name, told, measured=measured)
    except AssertionError:
        FOLDER.mkdir(exist_ok=True)
        (FOLDER / f"{name}.txt").write_text(told, encoding="utf-8")


def _without_numbers(text: str) -> str:
    """Seconds stand right-aligned in their column, everything else where its text begins."""
    text = re.sub(r" +\d+\.\d s\b", lambda found: "# s".rjust(len(found[0])), text)
    return re.sub(r"\b[a-z]?[0-9a-f]{16}\b|-?\d+(\.\d+)?", "#", text)
