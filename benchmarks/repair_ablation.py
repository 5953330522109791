"""What each repair of mapping and merging does: a run's tour made again with everything on, and without one at a time.

    python benchmarks/repair_ablation.py RUN [--truth examples/apartment_truth/trajectory.tum] [--clip-s 8]
    python benchmarks/repair_ablation.py RUN --fps 10 --truth FOLDER/poses.txt --only bridge loops

RUN is a run folder with at least the stage `features`; its frames and matches are used, nothing in it is changed. With
`--clip-s` the tour is cut into clips of that length, so that there is something to join; the truth is as for
`merging.py`. Repairs of merging share one mapping. A row says how many models came out, what they hold and how far they
are off; `the same` means that all poses are those of the first row to the last bit, so that the repair did nothing.
"""

from __future__ import annotations

import argparse
import hashlib
import tempfile
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any
from unittest.mock import patch

from merging import error_cm, read_truth

from recon.diagnosis.contradictions import ContradictionOptions
from recon.diagnosis.scale_hold import ScaleHoldOptions
from recon.diagnosis.torn import TornOptions
from recon.geometry import Pose
from recon.mapping.clips import reconstruct_clips
from recon.mapping.sfm import SfmOptions
from recon.merging.bridge import BridgeOptions
from recon.merging.join import MergeOptions
from recon.merging.loops import LoopOptions
from recon.merging.loose_tails import LooseTailOptions
from recon.merging.merge import merge_sub_models
from recon.merging.regrow import StraightenOptions
from recon.merging.seam_scale import SeamScaleOptions
from recon.records import Clip, SubModel
from recon.video.shots import ClipOptions, make_clips
from roomtour.artifacts import CLIPS, DATABASE, FRAMES, SOURCE
from roomtour.files.frames import read_clips, read_source

_NEVER = 1_000_000


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
    arguments = parser.parse_args()
    frames = read_source(arguments.run / SOURCE.path).frames
    clips: Sequence[Clip] = read_clips(arguments.run / CLIPS.path)
    if arguments.clip_s is not None:
        clips = make_clips(frames, ClipOptions(length_s=arguments.clip_s, overlap_s=arguments.overlap_s))
    truth = None if arguments.truth is None else read_truth(arguments.truth, frames, arguments.fps)
    rows = [r for r in REPAIRS if arguments.only is None or any(word in r.name for word in arguments.only)]
    rows = [REPAIRS[0], *(row for row in rows if row is not REPAIRS[0])]
    database = arguments.run / DATABASE.path
    mapped: Sequence[SubModel] = ()
    usual = ""
    print(f"{arguments.run.name}: {len(frames)} frames in {len(clips)} clips, seed {arguments.seed}", flush=True)
    for number, row in enumerate(rows):
        began = time.process_time()
        with tempfile.TemporaryDirectory() as folder, ExitStack() as stack:
            for name, function in row.instead:
                stack.enter_context(patch(name, function))
            models = mapped
            if number == 0 or row.name in _OF_MAPPING:
                made = reconstruct_clips(
                    database, arguments.run / FRAMES.path, clips, Path(folder), row.sfm, arguments.seed
                )
                models = [model for result in made for model in result.sub_models]
            mapped = models if number == 0 else mapped
            merged = merge_sub_models(models, database, row.merge, arguments.seed)
        mark = _mark(merged.models)
        usual = usual or mark
        said = "the same" if mark == usual and number else _describe(merged.models, truth, len(frames))
        codes = sorted({finding.code for finding in merged.findings if finding.severity != "info"})
        print(f"without {row.name}: " if number else f"{row.name}: ", end="")
        print(f"{said}; {', '.join(codes) or 'no warning'}; {time.process_time() - began:.1f} CPU-s", flush=True)


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
