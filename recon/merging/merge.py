"""Join sub-models over the frames they share: align, fuse, adjust, and undo what made things worse.

Depth first over the merge graph from the first clip (RoomTour3D, section 3). A join is undone when the merged model's
reprojection error exceeds the sum of the two, when the shared cameras disagree after alignment, when too many
observations are lost, or when the matches across the join contradict it. What cannot be joined stays as a model of its
own.

Before, every sub-model is cut where it contradicts its own matches (`straighten`): a bent model would bend all others.
Nothing is joined over shared frames whose scale the frames beyond do not bear out (`seam_scale`). After, models that
share no such frames are joined by matches alone where enough of them agree (`bridge`), unless the tour's matches
contradict each other.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from pathlib import Path

import numpy as np
import pycolmap

from recon.adjust.thinning import ThinningOptions, thin
from recon.audit.audit import find_consistent
from recon.audit.contradictions import PairCheck, check_pairs, judge_motions
from recon.audit.look_alikes import tell_of_look_alikes
from recon.audit.scale_hold import find_weak_scale
from recon.audit.verdict import Verdict
from recon.colmap.database import open_database
from recon.colmap.log import quiet_colmap
from recon.colmap.packed import pack_sub_model
from recon.colmap.shared_frames import find_partner, find_shared_frames, leave_contained_out
from recon.findings import Finding
from recon.merging.bridge import Side, find_bridge
from recon.merging.finish import FinishModel, StraightenModel, Unfinished
from recon.merging.join import JoinJob, MergeBars, MergeOptions, join_by_frames, join_by_matches
from recon.merging.regrow import grow
from recon.records import MergeAttempt, SubModel
from recon.tasks import FanOut, fixed_threads, map_here

Progress = Callable[[float], None]


@dataclass(frozen=True, eq=False)
class MergeResult:
    """What became of the sub-models."""

    models: tuple[SubModel, ...]
    """Largest first, named `merged/0`, `merged/1`, ..."""
    attempts: tuple[MergeAttempt, ...]
    """In the order tried."""
    told: tuple[Finding, ...]
    """What was cut, left out, or joined over a floor or a pan."""
    undone: tuple[MergeAttempt, ...] = ()
    """Those whose models stay apart."""
    look_alikes: Verdict | None = None
    """On the matches of the tour; None if none were asked."""

    @property
    def findings(self) -> tuple[Finding, ...]:
        """What a user should know: of look-alikes, of each model, of joins, and of models that stay apart."""
        found = [] if self.look_alikes is None else tell_of_look_alikes(self.look_alikes)
        found += self.told
        found += [
            Finding("warning", "merge.undone", _name_pair(attempt), f"not joined: {attempt.reason}")
            for attempt in self.undone
        ]
        found += [
            Finding("info", "merge.by_matches", _name_pair(attempt), f"joined by matches; {attempt.reason}")
            for attempt in self.attempts
            if attempt.verdict == "accepted" and attempt.joined_by == "matches"
        ]
        return (*found, *_tell_of_parts(self.models))


def _name_pair(attempt: MergeAttempt) -> str:
    return f"{attempt.first} + {attempt.second}"


def merge_sub_models(
    sub_models: Sequence[SubModel],
    database_path: Path | None = None,
    options: MergeOptions = MergeOptions(),
    seed: int = 0,
    progress: Progress | None = None,
    fan_out: FanOut = map_here,
    first_kind_path: Path | None = None,
    bars: MergeBars = MergeBars(),
) -> MergeResult:
    """Join all sub-models that share frames, or that enough matches relate, and agree.

    Sub-models are not cut where their scale is nearly known (`StraightenOptions.hold`); most of what is joined over
    such a place comes out right. Where it does not, the scale of the joined model is open somewhere, or it was found to
    be bent against one that stays apart. Then all is done once more with these places cut, and what has the longest
    stretch that nothing speaks against is taken.

    Args:
        sub_models: Of one tour and one database, with different names; never modified.
        database_path: Where given, bent models are cut first, matches may join models without shared frames, and joined
            models are refined once more over their longest tracks, and then get all their points again.
        options: When a join is undone.
        seed: Of random sampling.
        progress: Called with a fraction from 0 to 1.
        fan_out: Gives out the sub-models before they are joined, and the models after.
        first_kind_path: Where the database has learned keypoints too, the one without: only pairs of SIFT tell a world
            of look-alikes. Learned matches of sound tours agree on lines, and on no pose, in up to 12 % of pairs.
        bars: How models are cut and refined.

    Returns:
        Models that keep every input frame but those whose place proved wrong, which a finding names; none of them has
        only frames that another has. Empty for no sub-models.
    """
    merged, known = _merge(sub_models, database_path, options, bars, seed, progress, fan_out, first_kind_path)
    hold = bars.straighten.hold
    everywhere = replace(hold, min_sigma=0.0)
    largest = max((len(model.frames) for model in merged.models), default=0)
    if (
        database_path is None
        or known == largest
        or not any(
            (doubt.sigma or 0.0) < hold.min_sigma
            for model in sub_models
            if not model.held_by_floor
            for doubt in find_weak_scale(model.reconstruction, everywhere)
        )
    ):
        return merged
    strict = replace(bars, straighten=replace(bars.straighten, hold=everywhere))
    again, then_known = _merge(sub_models, database_path, options, strict, seed, None, fan_out, first_kind_path)
    return again if then_known > known else merged


def _merge(
    sub_models: Sequence[SubModel],
    database_path: Path | None,
    options: MergeOptions,
    bars: MergeBars,
    seed: int,
    progress: Progress | None,
    fan_out: FanOut,
    first_kind_path: Path | None,
) -> tuple[MergeResult, int]:
    """The models, and how many frames the longest stretch of the largest has of known scale and without a bend."""
    report = progress or (lambda _: None)
    job = JoinJob(options, database_path, seed, bars)
    with quiet_colmap(), fixed_threads():
        pycolmap.set_random_seed(seed)
        nodes: list[SubModel] = list(sub_models)
        findings: list[Finding] = []
        look_alikes: Verdict | None = None
        if database_path is not None:
            nodes, findings, checks = _straighten_all(sub_models, job, fan_out, lambda done: report(0.3 * done))
            if first_kind_path is not None:
                asked = job.bars.straighten.check
                checks = [
                    check for model in sub_models for check in check_pairs(model.reconstruction, first_kind_path, asked)
                ]
            once = {(check.first, check.second): check for check in checks}  # clips overlap
            look_alikes = judge_motions(list(once.values()))
        dense = nodes
        if database_path is not None and nodes != list(sub_models[:1]):  # one whole model has nothing to be joined to
            nodes = [_thin(model) for model in nodes]
        thinned = nodes
        nodes, attempts = _join_all(nodes, [], job)
        report(0.6)
        # Else lost frames would be put where look-alikes are.
        if database_path is not None and look_alikes is not None and look_alikes.ok:
            held = [node.frames for node in nodes]
            lost = {frame for model in sub_models for frame in model.frames}.difference(*held)
            nodes, attempts = _pick_up_and_join(nodes, [lost] * len(nodes), attempts, database_path, job)
            nodes, attempts = _bridge_all(nodes, attempts, database_path, job)
            # Of a clip that stayed whole, mapping has asked for the frames between.
            tour = _list_frames(database_path) if len(sub_models) > 1 else frozenset[int]()
            wanted = [_find_enclosed(model, nodes, tour) for model in nodes]
            nodes, attempts = _pick_up_and_join(nodes, wanted, attempts, database_path, job)
        report(0.8)
        unchanged = {model.name: whole for model, whole in zip(thinned, dense, strict=True) if model in nodes}
        del thinned, dense  # those that were joined are not needed any more, and finishing needs most memory
        ordered, contained = drop_contained(nodes)
        wholes = [
            replace(unchanged.get(model.name, model), name=f"merged/{place}") for place, model in enumerate(ordered)
        ]
        work = (
            Unfinished(pack_sub_model(whole), model.name in unchanged)
            for whole, model in zip(wholes, ordered, strict=True)
        )
        finished: list[SubModel] = []
        known = 0
        if database_path is None:  # poses that the user brought: nothing is refined
            finished += map(_copy_model, wholes)
        else:
            for whole, done in zip(wholes, fan_out(FinishModel(job), work), strict=True):
                finished.append(done.model.unpack() if done.model else _copy_model(whole))
                findings += _tell_of_open_scale(whole, done.open_scale)
                doubts = [*done.open_scale, *_find_bent_places(ordered[0], attempts)]
                known = known or max(map(len, find_consistent(finished[-1].reconstruction, doubts)), default=0)
    report(1.0)
    told = (*findings, *contained)
    undone = _find_undone(ordered, nodes, attempts)
    return MergeResult(tuple(finished), tuple(attempts), told, tuple(undone), look_alikes), known


_JOIN = "join/"


def _straighten_all(
    sub_models: Sequence[SubModel], job: JoinJob, fan_out: FanOut, progress: Progress
) -> tuple[list[SubModel], list[Finding], list[PairCheck]]:
    """What may be joined of the sub-models, and what was found on the way.

    The pairs are those of the sub-models as they came.
    """
    nodes: list[SubModel] = []
    findings: list[Finding] = []
    checks: list[PairCheck] = []
    straightened = fan_out(StraightenModel(job), map(pack_sub_model, sub_models))
    for done, (model, result) in enumerate(zip(sub_models, straightened, strict=True)):
        nodes += [model] if result.models is None else [part.unpack() for part in result.models]
        findings += result.findings
        checks += result.checks
        progress((done + 1) / len(sub_models))
    return nodes, findings, checks


def _join_all(
    sub_models: Sequence[SubModel],
    attempts: Sequence[MergeAttempt],
    job: JoinJob,
    changed: Collection[str] = (),
) -> tuple[list[SubModel], list[MergeAttempt]]:
    """Depth first: stay with the node that grew until none of its neighbours fits, then go to the next.

    Pairs that `attempts` undid are not tried again, unless one of them is among the `changed`.
    """
    nodes = sorted(sub_models, key=_clip_order)
    attempts = list(attempts)
    undone = {
        frozenset((attempt.first, attempt.second))
        for attempt in attempts
        if attempt.verdict != "accepted" and not {attempt.first, attempt.second}.intersection(changed)
    }
    settled: set[str] = set()
    while current := next((model for model in nodes if model.name not in settled), None):
        rest = [model for model in nodes if model is not current]
        partner = find_partner(current, rest, job.options.min_shared_frames, undone)
        if partner is None:
            settled.add(current.name)
            continue
        other, shared = partner
        joined, attempt = join_by_frames(current, other, shared, f"{_JOIN}{len(attempts)}", job)
        attempts.append(attempt)
        if joined is None:
            undone.add(frozenset((current.name, other.name)))
        else:
            nodes = sorted([joined, *(model for model in rest if model is not other)], key=_clip_order)
            settled.clear()
    return nodes, attempts


def _clip_order(model: SubModel) -> tuple[str, int, str]:
    """First clip first, the larger model of a clip first."""
    return (min(model.clips), -len(model.frames), model.name)


def _pick_up_and_join(
    nodes: Sequence[SubModel],
    wanted: Sequence[Collection[int]],
    attempts: Sequence[MergeAttempt],
    database_path: Path,
    job: JoinJob,
) -> tuple[list[SubModel], list[MergeAttempt]]:
    """Let each model pick up the frames that are wanted of it; where two pick up the same, they may join."""
    grown = [_grow(model, frames, database_path, job) for model, frames in zip(nodes, wanted, strict=True)]
    changed = {after.name for before, after in zip(nodes, grown, strict=True) if after is not before}
    return _join_all(grown, attempts, job, changed) if changed else (list(nodes), list(attempts))


def _grow(model: SubModel, wanted: Collection[int], database_path: Path, job: JoinJob) -> SubModel:
    """The model with those of the frames that it lacks and can pick up."""
    frames = np.array(model.frames)
    lacking = sorted(set(wanted).difference(model.frames))
    near = [frame for frame in lacking if np.abs(frames - frame).min() <= _GROWTH_REACH]
    options = job.bars.straighten
    return grow(model, database_path, sorted({*model.frames, *near}), options, job.seed) if near else model


_GROWTH_REACH = 20
"""Frames: further from a model than its matches reach, it picks nothing up."""


def _list_frames(database_path: Path) -> frozenset[int]:
    with open_database(database_path) as database:
        return frozenset(image.image_id for image in database.read_all_images())


def _find_enclosed(model: SubModel, others: Sequence[SubModel], tour: Collection[int]) -> set[int]:
    """Frames of the tour between the first and the last of the model that no model of its size or larger has.

    They have no pose, or one in a model that could not be joined with it: where the camera turns on the spot, a clip
    that begins there has a few frames whose scale nothing in the clip tells.
    """
    larger = (other.frames for other in others if len(other.frames) >= len(model.frames))
    return {frame for frame in tour if model.frames[0] < frame < model.frames[-1]}.difference(*larger)


def _bridge_all(
    nodes: Sequence[SubModel], attempts: Sequence[MergeAttempt], database_path: Path, job: JoinJob
) -> tuple[list[SubModel], list[MergeAttempt]]:
    """Join models that share too few frames by matches, the largest first, until none fits."""
    nodes, attempts = list(nodes), list(attempts)
    tried: set[frozenset[str]] = set()
    while True:
        nodes.sort(key=lambda model: (-len(model.frames), model.frames))
        pairs = [pair for pair in combinations(nodes, 2) if frozenset(model.name for model in pair) not in tried]
        if not pairs:
            return nodes, attempts
        first, second = pairs[0]
        tried.add(frozenset((first.name, second.name)))
        shared = find_shared_frames(first, second)
        if len(shared) >= job.options.min_shared_frames and not _not_aligned(first, second, attempts):
            continue  # their shared frames have already spoken
        bridge = find_bridge(Side(first), Side(second), database_path, seed=job.seed)
        if bridge is None:
            continue
        joined, attempt = join_by_matches(first, second, bridge, f"{_JOIN}{len(attempts)}", job)
        attempts.append(attempt)
        if joined is not None:
            rest = [model for model in nodes if model.name not in (first.name, second.name)]
            nodes, attempts = _join_all([joined, *rest], attempts, job)


def _not_aligned(first: SubModel, second: SubModel, attempts: Sequence[MergeAttempt]) -> bool:
    """Whether the shared frames of two models did not determine their relative pose and scale.

    Where the camera turns on the spot, frames have no scale: nine of them came out 6500 times too small, at the same
    places, and the frames beyond must say what the shared ones cannot.
    """
    return any(
        {attempt.first, attempt.second} == {first.name, second.name} and attempt.verdict == "not aligned"
        for attempt in attempts
    )


def _thin(model: SubModel) -> SubModel:
    """A copy with its longest tracks: they decide a join, and the others cost most of its time."""
    reconstruction = pycolmap.Reconstruction(model.reconstruction)
    thin(reconstruction, ThinningOptions())
    return replace(model, reconstruction=reconstruction)


def _copy_model(model: SubModel) -> SubModel:
    return replace(model, reconstruction=pycolmap.Reconstruction(model.reconstruction))


def drop_contained(models: Sequence[SubModel]) -> tuple[list[SubModel], list[Finding]]:
    """Largest first, without those that would add no frame to a larger one, and the findings on them."""
    kept, left_out = leave_contained_out(models, lambda model: model.frames)
    return kept, [
        Finding(
            "info",
            "merge.contained",
            f"model {model.name}",
            f"left out: its {len(model.frames)} frames have other poses in a model of {len(larger.frames)} frames",
        )
        for model, larger in left_out
    ]


def _tell_of_open_scale(model: SubModel, places: Sequence[Verdict]) -> list[Finding]:
    """Where what lies before and behind a place may be larger or smaller than the model says."""
    if not places:
        return []
    worst = max(places, key=lambda doubt: doubt.sigma or 0.0)
    message = (
        f"the scale of a model of {len(model.frames)} frames may change by {min(worst.sigma or 0.0, 1.0):.1%} (most at "
        f"{worst.first}-{worst.last}): what lies behind may be that much larger or smaller than what lies before, and "
        "the path bends there; film such places closer, and past things at several distances"
    )
    return [Finding("warning", "merge.scale_open", f"frames {places[0].first}-{places[-1].last}", message)]


def _find_undone(
    models: Sequence[SubModel], nodes: Sequence[SubModel], attempts: Sequence[MergeAttempt]
) -> list[MergeAttempt]:
    """Joins that were undone, of models that stay apart.

    Of the `nodes` that were left when all was joined, those that are no `models` had nothing to add.
    """
    contained = {node.name for node in nodes}.difference(model.name for model in models)
    became = _follow_joins(attempts)
    return [
        attempt
        for attempt in _find_left_apart(attempts)
        if contained.isdisjoint((became(attempt.first), became(attempt.second)))
    ]


def _find_left_apart(attempts: Sequence[MergeAttempt]) -> list[MergeAttempt]:
    """Those that were undone and whose models did not meet later."""
    became = _follow_joins(attempts)
    return [
        attempt
        for attempt in attempts
        if attempt.verdict != "accepted" and became(attempt.first) != became(attempt.second)
    ]


def _find_bent_places(model: SubModel, attempts: Sequence[MergeAttempt]) -> list[Verdict]:
    """Where a model, by its name while joining, or another that stayed apart from it is bent."""
    became = _follow_joins(attempts)
    return [
        Verdict(False, "bent", 1.0, 0.0, attempt.bent, attempt.reason)
        for attempt in _find_left_apart(attempts)
        if attempt.bent and model.name in (became(attempt.first), became(attempt.second))
    ]


def _follow_joins(attempts: Sequence[MergeAttempt]) -> Callable[[str], str]:
    """The name of what a model of some name ended in."""
    joined = [attempt for attempt in attempts if attempt.verdict == "accepted"]
    became = {name: attempt.result for attempt in joined for name in (attempt.first, attempt.second)}

    def end(name: str) -> str:
        while name in became:
            name = became[name]
        return name

    return end


def _tell_of_parts(models: Sequence[SubModel]) -> list[Finding]:
    """A finding where a tour stays in several models."""
    if len(models) < 2:
        return []
    sizes = ", ".join(str(len(model.frames)) for model in models)
    message = f"the tour stays in {len(models)} models of {sizes} frames; see the merge log for each attempt"
    return [Finding("warning", "merge.apart", "tour", message)]
