"""How true region knowledge is where things come from a noisy detector and noisy depth, by the judge of `regions.py`.

    python benchmarks/region_detector.py [--noise 1.0] [--seeds 0] [--show 20]

The made apartment is seen every 2/3 s; boxes are missed, misnamed, invented and shaken as `noisy_detector` says, times
`--noise`, depth is off by 8 % per frame, and things are joined from them as in a real run. A found thing stands for
the thing of the truth whose pixels its boxes cover most; a row about one that stands for none counts as false, and
sides are judged by the true boxes. Prints M4 and how many rows of each task are false.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1]))

from benchmarks.regions import Judge
from instructions.perception.frames.model_depth import depth_in_model
from instructions.perception.frames.results import DEPTH_STEP_PX
from instructions.perception.things.objects import find_objects
from instructions.records import Box, Observation
from instructions.regions.records import Qar, RegionView
from instructions.regions.writer import prepare_views, write_measured
from instructions.tour import Tour
from recon.records import Scene, SourceInfo
from roomtour.files.records import to_plain
from roomtour.trial.rendered import RenderedTour, View
from tests.support.worlds.apartment_surfaces import Surfaces
from tests.support.worlds.noisy_detector import Noise, frames_of, look, model_of


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--noise", type=float, default=1.0, help="times what is published for such models")
    parser.add_argument("--seeds", type=int, nargs="+", default=[0])
    parser.add_argument("--show", type=int, default=20, help="print so many false rows of each seed")
    args = parser.parse_args()
    times_s = np.arange(0.0, 74.0, 2 / 3).tolist()
    tour, judge = RenderedTour(), Judge(Surfaces(), times_s)
    views = tour.views(times_s)
    for seed in args.seeds:
        _measure(tour, views, judge, Noise().times(args.noise), seed, args.show)
    return 0


def _measure(tour: RenderedTour, views: Sequence[View], judge: Judge, noise: Noise, seed: int, show: int) -> None:
    model = model_of(tour, views, seed=seed)
    with tempfile.TemporaryDirectory() as scratch:
        seen = look(tour, views, Path(scratch), noise, seed=seed, masks=True)

        def depth_of(frame: int):
            raw = seen.results.raw_depth(frame)
            return None if raw is None else depth_in_model(model, frame, raw, DEPTH_STEP_PX, is_metric=True)

        found = find_objects(model, seen.results, depth_of, None, frames_of(tour, views))
    frames = tuple(frames_of(tour, views).values())
    size = (tour.camera.width, tour.camera.height)
    source = SourceInfo("apartment.mp4", "video", *size, 75.0, len(frames), 1.5, "made", 0, "0" * 64)
    scene = Scene("apartment", source, frames, (), (model,))
    known = Tour(scene, found.objects, found.observations, seed=seed)
    made = write_measured(known, prepare_views(known))
    boxes = {view.frame: _true_boxes(tour, view) for view in views}
    stands_for = _match(found.observations, boxes)
    plain_views = {view.id: to_plain(view, RegionView) for view in made.views}
    wrong: Counter[str] = Counter()
    judged = 0
    lines = []
    for row in made.rows:
        if not row.accepted or row.task == "use":
            continue
        judged += 1
        why = _find_fault(to_plain(row, Qar), plain_views[row.view], stands_for, boxes, judge)
        if why is not None:
            wrong[row.task] += 1
            lines.append(f"  {row.task}: {row.question} | {row.answer} | {why}")
    kept = Counter(row.view for row in made.rows if row.accepted)
    least = min((kept[one.id] for one in made.views), default=0)
    print(
        f"seed {seed}: {len(found.objects)} things, {len(made.views)} views, {len(made.rows)} rows, "
        f"{sum(not row.accepted for row in made.rows)} rejected, least kept {least}"
    )
    print(f"M4 true {1 - wrong.total() / max(judged, 1):.4f} of {judged}; false {dict(wrong)}")
    print("\n".join(lines[:show]), flush=True)


def _find_fault(row: dict, view: dict, stands_for: Mapping[str, str], boxes: dict, judge: Judge) -> str | None:
    """What is false in a row, told with the names and boxes of the truth."""
    frame = row["views"][0]
    strange = [one["object"] for one in row["regions"] if one["object"] not in stands_for]
    if strange:
        return f"{strange[0]} is nothing that is there"
    for one in row["regions"]:
        one["object"] = stands_for[one["object"]]
    if len({one["object"] for one in row["regions"]}) < len(row["regions"]):
        return "two regions are one thing"
    regions = []
    for one in view["regions"]:
        name = stands_for.get(one["object"])
        regions.append({**one, "object": name, "box_xyxy": boxes[frame].get(name, one["box_xyxy"])})
    return judge.wrong(row, {**view, "regions": regions})


def _true_boxes(tour: RenderedTour, view: View) -> dict[str, Box]:
    out = {}
    for row, thing in enumerate(tour.things):
        rows, columns = np.nonzero(view.thing == row)
        if len(rows):
            low, high = np.array([columns.min(), rows.min()]), np.array([columns.max() + 1, rows.max() + 1])
            out[thing.id] = tuple(float(value) for value in (np.concatenate([low, high]) * tour.step_px))
    return out


def _match(observations: Sequence[Observation], boxes: Mapping[int, Mapping[str, Box]]) -> dict[str, str]:
    """The thing of the truth that most boxes of a found thing overlap with by 0.4 at least."""
    votes: dict[str, Counter[str]] = defaultdict(Counter)
    for one in observations:
        best = max(((_iou(one.box_xyxy, box), name) for name, box in boxes[one.frame].items()), default=(0.0, ""))
        votes[one.object][best[1] if best[0] >= 0.4 else ""] += 1
    winners = {name: counts.most_common(1)[0][0] for name, counts in votes.items()}
    return {name: thing for name, thing in winners.items() if thing}


def _iou(a: Box, b: Box) -> float:
    width, height = min(a[2], b[2]) - max(a[0], b[0]), min(a[3], b[3]) - max(a[1], b[1])
    both = max(width, 0.0) * max(height, 0.0)
    areas = sum((box[2] - box[0]) * (box[3] - box[1]) for box in (a, b))
    return both / (areas - both)


if __name__ == "__main__":
    raise SystemExit(main())
