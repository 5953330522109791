"""What the golden files hold, and how they are made again.

`python -m tests.support.golden` writes `tests/golden/`: texts of made walks, and screens. It takes a minute, for one of
them is a whole run. Read the difference before keeping it.
"""

import os
import shutil
import tempfile
from pathlib import Path

from instructions.navigation.grammar_writer import write_instructions
from instructions.navigation.way.frame_lines import describe_frame
from instructions.perception.landmarks.landmarks import find_landmarks
from instructions.perception.scene_things import interpolate_tracks
from instructions.tour import Tour
from roomtour.kinds import KIND_NAMES
from tests.support.paths import DATA, ROOT
from tests.support.screens import COLUMNS, HELP, capture, capture_errors, screens_of_run, write_screen
from tests.support.worlds.boxworld import make_world, true_objects
from tests.support.worlds.made_walks import random_world

GOLDEN = ROOT / "tests" / "golden" / "instructions.txt"


def golden_text() -> str:
    """Texts and frame lines of the corridor from its points, and texts of some random walks from their boxes."""
    lines: list[str] = []
    world = make_world()
    found = find_landmarks(world.model, None, world.scene.frames, interpolate_tracks(world.model))
    lines.append("corridor")
    rows = write_instructions(Tour(world.scene, found.objects, found.observations, seed=1), [world.trajectory])
    lines += [f"  {row.kind}: {row.text}" for row in rows]
    by_id = {thing.id: thing for thing in found.objects}
    for frame in (1, 12, 33, 51):
        lines.append(f"  frame {frame}: {describe_frame(frame, found.observations, by_id).text}")
    for seed in range(12):
        world = random_world(seed)
        objects, observations = true_objects(world)
        lines.append(f"walk {seed}")
        for row in write_instructions(Tour(world.scene, objects, observations, seed=seed), [world.trajectory]):
            verdict = "" if row.accepted else f" [rejected: {row.rejection}]"
            lines.append(f"  {row.kind}: {row.text}{verdict}")
    return "\n".join(lines) + "\n"


def write_all(folder: Path) -> None:
    """Write every golden file."""
    GOLDEN.write_text(golden_text(), encoding="utf-8")
    for name, words in HELP.items():
        write_screen(name, capture(*words))
    (folder / "wrong").mkdir()
    write_screen("errors", capture_errors(folder / "wrong"))
    run, whole, out = folder / "run", folder / "whole" / "run", folder / "out"
    process = capture("process", str(DATA / "short_walk.mp4"), "--out", str(run), "--workers", "1")
    shutil.copytree(run, whole)
    make = capture("make", str(whole), "--data", *KIND_NAMES)
    out.mkdir()
    for name, screen in screens_of_run(run, whole, process, make, out):
        write_screen(name, screen, measured=True)


if __name__ == "__main__":
    os.environ["COLUMNS"] = COLUMNS
    with tempfile.TemporaryDirectory() as made:
        os.environ["ROOMTOUR_MODELS"] = str(Path(made) / "none")
        write_all(Path(made))
    print(f"wrote {GOLDEN.parent}; review the difference")
