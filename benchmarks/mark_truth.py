"""Questions about marks and the camera's motion against a world that knows better.

    python benchmarks/mark_truth.py RUN                    # a finished run of examples/apartment.mp4
    python benchmarks/mark_truth.py RUN --walk WALK        # a finished run of the image folder of WALK
    python benchmarks/mark_truth.py RUN --write

Every row is judged by `tests/support/judges/mark_judge.py`, which shares no code with what writes rows: words by the
true places, numbers within two of their sigmas (the assumed scale's error is part of them). The made apartment tells
places by rays against its surfaces, a real walk by its depth sensor, where it has one. `without scale` are numbers at
the scale that fits the cameras: what the reconstruction alone is off.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1]))

from benchmarks.results_table import write_table
from instructions.questions.core.records import Question
from instructions.questions.writers.marks import write_mark_questions
from roomtour.files.records import to_plain
from roomtour.run import Run
from tests.support.judges.mark_judge import MadeWorld, MarkJudge, SensorWorld, World, fit_scale

TRUTH = Path(__file__).parents[1] / "examples" / "apartment_truth"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("run", type=Path)
    parser.add_argument("--walk", type=Path, help="folder with images/, depth/, poses.txt and K.txt")
    parser.add_argument("--show", type=int, default=10, help="print so many untrue rows")
    parser.add_argument("--write", action="store_true", help="write the table to benchmarks/results/")
    args = parser.parse_args()
    run = Run(args.run)
    written = write_mark_questions(run.scene, run.detections, not_asked=Counter())
    rows = [to_plain(row, Question) for row in written]
    world = _open_world(run, args.walk)
    found = MarkJudge(world).judge(rows)
    model = run.scene.models[0]
    eyes = {frame: pose.center for frame, pose in model.world_from_cam.items()}
    true = {frame: pose[:3, 3] for frame in eyes if (pose := world.pose(frame)) is not None}
    scale = fit_scale(eyes, true)
    print(f"one metre of the run is {scale:.3f} m; its scale is {model.scale.status}, sigma {model.scale.sigma:.3f}")
    lines: list[tuple[object, ...]] = [
        (
            kind,
            found.asked[kind],
            found.judged[kind],
            _percent(found.wrong[kind], found.judged[kind]),
            _tell_error(found.errors.get(kind), 1.0),
            _tell_error(found.errors.get(kind), scale),
        )
        for kind in sorted(found.asked)
    ]
    for numbers, name in ((False, "all words"), (True, "all numbers")):
        judged = sum(found.judged[kind] for kind, one in found.is_number.items() if one == numbers)
        lines.append((name, None, judged, f"{found.share(numbers=numbers):.1%}", None, None))
    columns = ("type", "rows", "judged", "true", "median error", "without scale")
    print(
        *("  ".join(str(cell or "-").ljust(24 if at == 0 else 9) for at, cell in enumerate(one)) for one in lines),
        sep="\n",
    )
    print(*found.examples[: args.show], sep="\n")
    if args.write:
        write_table(f"mark_truth_{'office_walk' if args.walk else 'example'}", columns, lines)
    return 0


def _open_world(run: Run, walk: Path | None) -> World:
    camera = run.scene.models[0].camera
    size = (camera.width, camera.height)
    if walk is not None:
        names = {frame.index: Path(frame.source or "").name for frame in run.scene.frames}
        return SensorWorld(walk, names, size)
    from tests.support.worlds.apartment_surfaces import Surfaces

    shot = json.loads((TRUTH / "truth.json").read_text())
    times = {frame.index: frame.time_s for frame in run.scene.frames}
    video = {**shot["camera"], "width": shot["width"]}
    return MadeWorld(Surfaces(), np.loadtxt(TRUTH / "trajectory.tum"), video, size, times)


def _percent(wrong: int, judged: int) -> str:
    return f"{1 - wrong / judged:.1%}" if judged else "-"


def _tell_error(errors: list[float] | None, scale: float) -> str:
    return f"{np.median(np.abs((np.array(errors) + 1.0) * scale - 1.0)):.1%}" if errors else "-"


if __name__ == "__main__":
    sys.exit(main())
