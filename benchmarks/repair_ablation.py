"""What each repair of mapping and merging does: a run's tour made again with everything on, and without one at a time.

    python benchmarks/repair_ablation.py RUN [--truth examples/apartment_truth/trajectory.tum] [--clip-s 8]
    python benchmarks/repair_ablation.py RUN --fps 10 --truth FOLDER/poses.txt --only bridge loops --state FOLDER
    python benchmarks/repair_ablation.py RUN --learned

RUN is a run folder with at least the stage `features`; its frames and matches are used, nothing in it is changed. With
`--clip-s` the tour is cut into clips of that length, so that there is something to join; the truth is as for
`merging.py`. Repairs of merging share one mapping. A row says how many models came out, what they hold and how far they
are off; `the same` means that all poses are those of the first row to the last bit, so that the repair did nothing.
With `--state` a call that was cut off goes on where it stopped: rows that are done are printed as they were. With
`--learned` the matches are those of both kinds of keypoints that the run's second look made.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any
from unittest.mock import patch

from merging import error_cm, read_truth

from recon.colmap.database import list_verified_pairs, open_database
from recon.colmap.read import read_model
from recon.diagnosis.contradictions import CHECK_LEARNED, ContradictionOptions
from recon.diagnosis.scale_hold import ScaleHoldOptions
from recon.diagnosis.torn import TORN_LEARNED, TornOptions
from recon.geometry import Pose
from recon.mapping.clips import reconstruct_clips
from recon.mapping.second_look import loosened
from recon.mapping.sfm import SfmOptions
from recon.merging.bridge import BridgeOptions
from recon.merging.join import MergeOptions
from recon.merging.loops import LoopOptions
from recon.merging.loose_tails import LooseTailOptions
from recon.merging.merge import merge_sub_models
from recon.merging.regrow import StraightenOptions
from recon.merging.seam_scale import SeamScaleOptions
from recon.records import Clip, Frame, SubModel
from recon.video.shots import ClipOptions, make_clips
from roomtour.artifacts import CLIPS, DATABASE, FRAMES, SOURCE, SUB_MODELS
from roomtour.files.frames import read_clips, read_source
from roomtour.files.models import find_database

_NEVER = 1_000_000
_MADE = "made_with.json"
"""File of a state that says of what its rows are."""


@dataclass(frozen=True)
class Repair:
    """One row: how a repair is switched off."""

    name: str
    merge: MergeOptions = field(default_factory=MergeOptions)
    sfm: SfmOptions = field(default_factory=SfmOptions)
    instead: tuple[tuple[str, Callable[..., Any]], ...] = ()
    """Functions by dotted name, and what stands for them."""


def _straighten(**changed: Any) -> MergeOptions:
    return MergeOptions(straighten=replace(StraightenOptions(), **changed))


_TRUSTING, _WHOLE, _HELD = (
    ContradictionOptions(max_share=1.0),
    TornOptions(max_share=1.0),
    ScaleHoldOptions(max_drift=1e6),
)
REPAIRS = [
    Repair("everything on"),
    Repair("cutting where pairs contradict", _straighten(check=_TRUSTING)),
    Repair("cutting where torn", _straighten(torn=_WHOLE)),
    Repair("cutting where the scale is open", _straighten(hold=_HELD)),
    Repair("cutting at all", _straighten(check=_TRUSTING, torn=_WHOLE, hold=_HELD)),
    Repair("loose tails", MergeOptions(loose_tails=LooseTailOptions(max_sigma=1e6))),
    Repair("seam scale", MergeOptions(seam_scale=SeamScaleOptions(min_frames=_NEVER))),
    Repair("run of scale along shared frames", MergeOptions(max_scale_disagreement=1e6)),
    Repair(
        "agreement of shared cameras",
        MergeOptions(max_rotation_disagreement_deg=180.0, max_center_disagreement_steps=1e6),
    ),
    Repair(
        "verdict of pairs across a join", MergeOptions(max_contradicting_pairs=1.0, max_contradicting_by_matches=1.0)
    ),
    Repair("verdict of lost observations", MergeOptions(max_lost_observations=1.0)),
    Repair("adjusting both where strained", MergeOptions(max_strained_observations=1.0)),
    Repair("bridge", MergeOptions(bridge=BridgeOptions(min_frames=_NEVER))),
    Repair("loops", MergeOptions(loops=LoopOptions(min_pairs=_NEVER))),
    Repair("look-alikes", instead=(("recon.merging.merge.find_look_alikes", lambda checks: []),)),
    Repair(
        "picking up lost frames",
        instead=(
            ("recon.merging.merge._grow_all", lambda nodes, *_: list(nodes)),
            ("recon.merging.merge._pick_up_and_join", lambda nodes, lost, attempts, *_: (list(nodes), list(attempts))),
        ),
    ),
    Repair("halves", sfm=SfmOptions(), instead=(("recon.mapping.sfm.halves_of", lambda *_: None),)),
    Repair("mapping again", sfm=SfmOptions(), instead=(("recon.mapping.sfm._map_again", lambda *_: []),)),
    Repair("asking pairs while mapping", sfm=SfmOptions(check=_TRUSTING)),
    Repair("asking for tears while mapping", sfm=SfmOptions(torn=_WHOLE)),
    Repair("global mapping", sfm=SfmOptions(mapper="incremental")),
    Repair("cutting weak seams", sfm=SfmOptions(min_seam_points=1)),
]
_OF_MAPPING = {repair.name for repair in REPAIRS[-6:]}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("run", type=Path)
    parser.add_argument("--truth", type=Path)
    parser.add_argument("--fps", type=float, help="of a folder of images")
    parser.add_argument("--clip-s", type=float, help="the run's own clips if not given")
    parser.add_argument("--overlap-s", type=float, default=3.0)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", nargs="*", help="words in the names of the rows; the first row comes always")
    parser.add_argument("--state", type=Path, help="folder of what is done; an empty one to begin with")
    parser.add_argument("--learned", action="store_true", help="matches of learned keypoints too")
    arguments = parser.parse_args()
    if why := why_not(arguments):
        parser.error(why)
    frames = read_source(arguments.run / SOURCE.path).frames
    clips: Sequence[Clip] = read_clips(arguments.run / CLIPS.path)
    if arguments.clip_s is not None:
        clips = make_clips(frames, ClipOptions(length_s=arguments.clip_s, overlap_s=arguments.overlap_s))
    truth = None if arguments.truth is None else read_truth(arguments.truth, frames, arguments.fps)
    rows = [row for row in REPAIRS if _is_wanted(row, arguments.only)]
    rows = [REPAIRS[0], *(row for row in rows if row is not REPAIRS[0])]
    database = arguments.run / DATABASE.path
    if arguments.learned:
        database = find_database(database, arguments.run / SUB_MODELS.path)
        if database == arguments.run / DATABASE.path:
            parser.error(f"{arguments.run} took no second look; leave --learned out")
    print(f"{arguments.run.name}: {len(frames)} frames in {len(clips)} clips, seed {arguments.seed}", flush=True)
    with tempfile.TemporaryDirectory() as scratch:
        state = State(arguments.state or Path(scratch), describe_made(arguments, frames, clips))
        for row in rows:
            if (done := state.rows.get(row.name)) is None:
                done = _try(row, state, database, arguments, frames, clips, truth)
                state.add(row.name, done)
            usual = state.rows[REPAIRS[0].name]
            is_first = row is REPAIRS[0]
            said = "the same" if done["mark"] == usual["mark"] and not is_first else done["said"]
            print(f"{row.name if is_first else f'without {row.name}'}: {said}; {done['cost']}", flush=True)


def why_not(arguments: argparse.Namespace) -> str | None:
    """What is wrong with the first argument that is; None if none is."""
    run = arguments.run
    missing = [one.path for one in (SOURCE, CLIPS, FRAMES, DATABASE) if not (run / one.path).exists()]
    if missing:
        return f"{run}: no run folder with the stage features: it has no {missing[0]}"
    if arguments.clip_s is not None and not 0 <= arguments.overlap_s < arguments.clip_s:
        return f"--clip-s {arguments.clip_s:g} --overlap-s {arguments.overlap_s:g}: need 0 <= overlap < clip"
    if arguments.fps is not None and not arguments.fps > 0:
        return f"--fps {arguments.fps:g}: need more than 0 pictures per second"
    if arguments.seed < 0:
        return f"--seed {arguments.seed}: need 0 or more"
    if arguments.truth is not None and not arguments.truth.is_file():
        return f"--truth {arguments.truth}: no file"
    for word in arguments.only or ():
        if not any(word in row.name for row in REPAIRS):
            return f"--only {word}: in no name of a row; they are: {', '.join(row.name for row in REPAIRS)}"
    return None if arguments.state is None else _why_no_state(arguments.state)


def _why_no_state(folder: Path) -> str | None:
    if folder.exists() and not folder.is_dir():
        return f"--state {folder}: is no folder"
    if folder.is_dir() and any(folder.iterdir()) and not (folder / _MADE).is_file():
        return f"--state {folder}: holds other things and no {_MADE}; name an empty folder, or none that is there"
    return None


def _is_wanted(row: Repair, words: Sequence[str] | None) -> bool:
    return words is None or any(word in row.name for word in words)


def describe_made(arguments: argparse.Namespace, frames: Sequence[Frame], clips: Sequence[Clip]) -> dict[str, str]:
    """What decides about the rows of a call, but for the code: rows of another run or seed are no rows of this one."""
    matches = hashlib.sha256()  # not of the file, which opening it changes
    with open_database(arguments.run / DATABASE.path) as database:
        for first, second, _ in list_verified_pairs(database):
            matches.update(database.read_two_view_geometry(first, second).inlier_matches.tobytes())
    truth = None if arguments.truth is None else hashlib.sha256(arguments.truth.read_bytes()).hexdigest()
    times = [frame.time_s for frame in frames]
    told = {"matches": matches.hexdigest(), "clips": repr((times, list(clips))), "truth": repr((truth, arguments.fps))}
    told = {name: hashlib.sha256(value.encode()).hexdigest()[:16] for name, value in told.items()}
    return {**told, "seed": str(arguments.seed), "learned": str(arguments.learned)}


class State:
    """Rows that are done, and the sub-models of the first one."""

    def __init__(self, folder: Path, made: Mapping[str, str]) -> None:
        self.mapped = folder / "mapped"
        self._file = folder / "rows.jsonl"
        folder.mkdir(parents=True, exist_ok=True)
        about = folder / _MADE
        before = json.loads(about.read_text(encoding="utf-8")) if about.is_file() else made
        differs = [name for name, value in made.items() if before.get(name) != value]
        if differs:
            raise SystemExit(
                f"--state {folder}: its rows were made with other {', '.join(differs)}; name another folder"
            )
        about.write_text(json.dumps(dict(made)), encoding="utf-8")
        lines = self._file.read_text(encoding="utf-8").splitlines() if self._file.exists() else []
        self.rows: dict[str, dict[str, str]] = {row["name"]: row for row in map(json.loads, lines)}

    def add(self, name: str, row: dict[str, str]) -> None:
        """Keep a row."""
        self.rows[name] = row
        with self._file.open("a", encoding="utf-8") as out:
            out.write(json.dumps({"name": name, **row}) + "\n")


def write_models(models: Sequence[SubModel], folder: Path) -> None:
    """Over those of a call that was cut off."""
    for number, model in enumerate(models):
        place = folder / f"{number:03d}"
        place.mkdir(parents=True, exist_ok=True)
        model.reconstruction.write(place)
        (place / "model.json").write_text(json.dumps([model.name, list(model.clips)]), encoding="utf-8")


def read_models(folder: Path) -> list[SubModel]:
    """What `write_models` wrote. Each row begins with models that were read: their points lie in another order."""
    models: list[SubModel] = []
    for place in sorted(folder.glob("*")):
        name, of_clips = json.loads((place / "model.json").read_text(encoding="utf-8"))
        models.append(SubModel(name, tuple(of_clips), read_model(place)))
    return models


def _try(
    row: Repair,
    state: State,
    database: Path,
    arguments: argparse.Namespace,
    frames: Sequence[Frame],
    clips: Sequence[Clip],
    truth: dict[int, Pose] | None,
) -> dict[str, str]:
    began = time.process_time()
    with tempfile.TemporaryDirectory() as folder, ExitStack() as stack:
        for name, function in row.instead:
            stack.enter_context(patch(name, function))
        mapped = state.mapped
        if row is REPAIRS[0] or row.name in _OF_MAPPING:
            sfm = loosened(row.sfm) if arguments.learned else row.sfm
            work = Path(folder) / "work"
            made = reconstruct_clips(database, arguments.run / FRAMES.path, clips, work, sfm, arguments.seed)
            mapped = state.mapped if row is REPAIRS[0] else Path(folder) / "mapped"
            write_models([model for result in made for model in result.sub_models], mapped)
        merge = row.merge
        if arguments.learned:  # as the stage `merge`
            torn = TORN_LEARNED if merge.straighten.torn is not _WHOLE else _WHOLE
            check = CHECK_LEARNED if merge.straighten.check is not _TRUSTING else _TRUSTING
            merge = replace(merge, straighten=replace(merge.straighten, torn=torn, check=check))
        first_kind = arguments.run / DATABASE.path if arguments.learned else None
        models = read_models(mapped)
        merged = merge_sub_models(models, database, merge, arguments.seed, first_kind_path=first_kind)
    codes = sorted({finding.code for finding in merged.findings if finding.severity != "info"})
    return {
        "mark": _mark(merged.models),
        "said": _describe(merged.models, truth, len(frames)),
        "cost": f"{', '.join(codes) or 'no warning'}; {time.process_time() - began:.1f} CPU-s",
    }


def _mark(models: Sequence[SubModel]) -> str:
    """Of all poses, bit by bit."""
    digest = hashlib.sha256()
    for model in models:
        for frame in model.frames:
            digest.update(model.reconstruction.image(frame).cam_from_world().matrix().tobytes())
    return digest.hexdigest()


def _describe(models: Sequence[SubModel], truth: dict[int, Pose] | None, total: int) -> str:
    held = {frame for model in models for frame in model.frames}
    each = []
    for model in models:
        off = "" if truth is None or len(model.frames) < 3 else f" at {error_cm(model, truth):.1f} cm"
        each.append(f"{len(model.frames)}{off}")
    return f"{len(held)} of {total} frames in {len(models)} models ({', '.join(each)})"


if __name__ == "__main__":
    main()
