"""Take the wrong stretches out of a sub-model and grow its sound parts over them again; finish what was joined.

A bent model passes every check that only looks at its own tracks, and joined to others it bends them too. So a model is
cut where it contradicts its matches (`contradictions`, `torn`), where nothing holds its scale (`scale_hold`) and where
the walk leaps: a leap of 40 usual steps alone told of a grainy office walk that it was 5 % of its path off.
Each sound part then picks up the frames that were lost, one by one, and what it makes of them is judged again. Grown
from a sound part, frames usually fall into their right place; what is still wrong is left out.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import pycolmap

from recon.adjust.refine import RefineOptions, densify, refine
from recon.audit.audit import Audit, Evidence, audit
from recon.audit.contradictions import ContradictionOptions, PairCheck
from recon.audit.scale_hold import ScaleHoldOptions, find_weak_scale
from recon.audit.torn import TornOptions
from recon.audit.verdict import LEAST_FRAMES, Verdict
from recon.colmap.database import CAMERA_ID, open_database
from recon.colmap.fuse import leave_contained_out, subset
from recon.colmap.tasks import Packed, pack, quiet_colmap
from recon.findings import Finding
from recon.mapping.loop_closure import close_loops
from recon.matching.interfaces import LEAST_MATCHES
from recon.numerals import count, list_some
from recon.ranges import AtLeastOne
from recon.records import SubModel


@dataclass(frozen=True, kw_only=True)
class MergeBars:
    """How models are cut, grown again and refined; no options, but other ones for other keypoints."""

    check: ContradictionOptions = ContradictionOptions()  # where a model is not trusted
    torn: TornOptions = TornOptions()  # where matches lie on different points of the model
    hold: ScaleHoldOptions = ScaleHoldOptions(min_sigma=0.03, shrunk=0.15)
    """Where the scale of the two sides is called unknown. To cut costs more than to ask again, so a scale known to 3 %
    is not cut: on an office walk one known to 1.3 and 1.6 % was, and left two models of a tour right to 3.5 cm."""
    min_part_frames: AtLeastOne = LEAST_FRAMES
    """Smaller parts are dropped and their frames grown from a larger part: so few frames prove nothing."""
    grow: RefineOptions = RefineOptions(rescue_min_inliers=LEAST_MATCHES, search_rounds=1, points_per_frame=0)
    """How a sound part picks up frames. With all its points, since what comes of it is judged by them."""
    refine: RefineOptions = RefineOptions(search_rounds=1, max_views=15)
    """Refinement of every merged model. Asking 15 frames of each point costs half of asking all on ten minutes of tour,
    for the same result."""


@dataclass(frozen=True)
class MergeJob:
    """What every step needs."""

    database_path: Path | None
    seed: int
    bars: MergeBars = MergeBars()


@dataclass(frozen=True, eq=False)
class Straightened:
    """What became of one sub-model."""

    models: tuple[SubModel, ...] | None
    """None if nothing was wrong; else its sound parts, largest first, named `clip/k.0`, `clip/k.1`, ..."""
    findings: tuple[Finding, ...]
    checks: tuple[PairCheck, ...]  # verdicts of the pairs on the model before any cut


def straighten(model: SubModel, database_path: Path, bars: MergeBars = MergeBars(), seed: int = 0) -> Straightened:
    """Cut a sub-model where it contradicts its matches, and grow the parts again over all its frames.

    Returns:
        Models without a stretch that contradicts its matches; none if no part of `min_part_frames` is sound.
    """
    found = _audit(model.reconstruction, database_path, bars)
    # What the floor holds was judged with its floor, and nothing else holds its scale everywhere.
    if model.held_by_floor or not found.doubts:
        return Straightened(None, (), found.checks)
    with open_database(database_path) as database:
        shared = database.read_camera(CAMERA_ID)
    waiting = _sound_parts(found, bars)
    grown: list[pycolmap.Reconstruction] = []
    while waiting:
        part = waiting.pop(0)
        if shared.has_prior_focal_length:  # forget the camera that was adjusted together with the wrong stretch
            for camera in part.cameras.values():
                camera.params = shared.params
        grown += _grow(part, database_path, model.frames, bars, seed)
        covered = {frame for piece in grown for frame in piece.reg_image_ids()}
        waiting = [other for other in waiting if not covered.issuperset(other.reg_image_ids())]
    proving = [part for part in grown if part.num_reg_images() >= bars.min_part_frames]
    kept, _ = leave_contained_out(proving, lambda part: part.reg_image_ids())
    parts = tuple(replace(model, name=f"{model.name}.{k}", reconstruction=part) for k, part in enumerate(kept))
    return Straightened(parts, (_describe_cut(model, found.doubts, parts),), found.checks)


def grow(
    model: SubModel,
    database_path: Path,
    frames: Sequence[int],
    bars: MergeBars = MergeBars(),
    seed: int = 0,
) -> SubModel:
    """The model with those of `frames` that it can pick up and that then agree with their matches.

    The model itself if it gains nothing, or only by losing frames it had.
    """
    parts = _grow(pycolmap.Reconstruction(model.reconstruction), database_path, frames, bars, seed)
    whole = [part for part in parts if set(model.frames) < set(part.reg_image_ids())]
    return replace(model, reconstruction=whole[0]) if whole else model


def _grow(
    model: pycolmap.Reconstruction, database_path: Path, frames: Sequence[int], bars: MergeBars, seed: int
) -> list[pycolmap.Reconstruction]:
    """Refine a model in place over more frames and cut what of it is not sound."""
    refine(model, database_path, frames, bars.grow, seed)
    return _all_sound(model, database_path, bars)


def _audit(model: pycolmap.Reconstruction, database_path: Path, bars: MergeBars) -> Audit:
    check, torn, hold = bars.check, bars.torn, bars.hold
    return audit(model, Evidence(database_path=database_path, check=check, torn=torn, hold=hold, leaps=True))


def _all_sound(model: pycolmap.Reconstruction, database_path: Path, bars: MergeBars) -> list[pycolmap.Reconstruction]:
    """The model, cut until nothing in it is doubtful: what a cut leaves may no longer hold together."""
    found = _audit(model, database_path, bars)
    if not found.doubts:
        return [model]
    parts = _sound_parts(found, bars)
    return [piece for part in parts for piece in _all_sound(part, database_path, bars)]


def _sound_parts(found: Audit, bars: MergeBars) -> list[pycolmap.Reconstruction]:
    """The consistent stretches that have enough frames, largest first."""
    return [subset(found.model, span) for span in found.consistent if len(span) >= bars.min_part_frames]


def _describe_cut(model: SubModel, doubtful: Sequence[Verdict], parts: Sequence[SubModel]) -> Finding:
    places = list_some([f"frames {stretch.first}-{stretch.last} ({stretch.words})" for stretch in _unite(doubtful)], 4)
    kept = {frame for part in parts for frame in part.frames}
    lost = len(set(model.frames) - kept)
    if lost == 0 and len(parts) == 1:
        outcome, severity = "cut there and grown again from its sound part, which now agrees", "info"
    else:
        sizes = " and ".join(str(len(part.frames)) for part in parts)
        sound = f"sound parts of {sizes} frames are kept" if parts else "no part is sound"
        outcome = f"cut there; {sound}; {count(lost, 'frame')} left out"
        severity = "warning"
    message = f"bent or broken at {places}: {outcome}"
    return Finding(severity, "merge.bent", f"model {model.name}", message)


def _unite(stretches: Sequence[Verdict]) -> list[Verdict]:
    """Stretches that overlap or touch as one, in time order, to be told in few words."""
    united: list[Verdict] = []
    for stretch in sorted(stretches, key=lambda stretch: (stretch.first, stretch.last)):
        if united and stretch.first <= united[-1].last:
            before = united.pop()
            stretch = replace(before, frames=(before.first, max(before.last, stretch.last)))
        united.append(stretch)
    return united


@quiet_colmap()
def straighten_packed(job: MergeJob, packed: Packed[SubModel]) -> Packed[Straightened]:
    """A task: `straighten` on one sub-model."""
    assert job.database_path is not None
    return pack(straighten(packed.unpack(), job.database_path, job.bars, job.seed))


@quiet_colmap()
def finish_model(
    job: MergeJob, unfinished: tuple[Packed[SubModel], bool]
) -> Packed[tuple[SubModel | None, tuple[Verdict, ...]]]:
    """A task: refine one model once more and give it all its points, unless it is as it came.

    Returns:
        The model, none if it stays as it is; and where its scale is known too badly for what lies beyond. That is also
        what was spared when a sub-model was cut: a joined model has nothing else to tell its scale.
    """
    bars, database_path, (packed, is_unchanged) = job.bars, job.database_path, unfinished
    assert database_path is not None
    model = packed.unpack()
    if not is_unchanged:
        refine(model.reconstruction, database_path, model.frames, bars.refine, job.seed)
        model = replace(model, reconstruction=close_loops(model.reconstruction, database_path, bars.refine, job.seed))
        densify(model.reconstruction, database_path, model.frames, seed=job.seed)
    everywhere = replace(bars.hold, min_sigma=0.0)
    open_scale = () if model.held_by_floor else find_weak_scale(model.reconstruction, everywhere)
    return pack((None if is_unchanged else model, open_scale))
