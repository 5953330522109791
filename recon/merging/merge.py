"""Make one model of all sub-models that hang together: link every pair, solve for all at once, fuse, refine, verify.

What frames that two sub-models share say of them, and what matches between their other frames say, are links
(`links`). All links together place the sub-models (`solve`), and each group of linked ones becomes one model, which is
refined. A link that the model then contradicts is dropped, and the group is made again without it. A model picks up
frames that were lost; where that brings new links, all begins once more. What nothing links stays a model of its own.

Before, every sub-model is cut where it contradicts its own matches (`straighten`): a bent model would bend all others.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations
from pathlib import Path
from time import perf_counter

import pycolmap

from recon.adjust.refine import refine
from recon.adjust.thinning import ThinningOptions, thin
from recon.audit.contradictions import ContradictionOptions, PairCheck, check_pairs, judge_motions
from recon.audit.look_alikes import tell_of_look_alikes
from recon.audit.scale_hold import find_weak_scale
from recon.audit.verdict import Verdict
from recon.colmap.database import open_database
from recon.colmap.fuse import fuse
from recon.colmap.log import quiet_colmap
from recon.colmap.packed import pack_sub_model
from recon.colmap.shared_frames import leave_contained_out, read_pairs_across
from recon.findings import Finding
from recon.geometry import Sim3
from recon.merging.finish import FinishModel, StraightenModel, Unfinished
from recon.merging.links import Link, find_links, measure_step
from recon.merging.options import MergeBars, MergeJob, MergeOptions
from recon.merging.regrow import grow
from recon.merging.solve import solve
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
    """What was cut or left out."""
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

    Args:
        sub_models: Of one tour and one database, with different names; never modified.
        database_path: Where given, bent models are cut first, matches may link models without shared frames, and joined
            models are refined over their longest tracks, and then get all their points again.
        options: When a link is believed.
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
    report = progress or (lambda _: None)
    job = MergeJob(options, database_path, seed, bars)
    with quiet_colmap(), fixed_threads():
        pycolmap.set_random_seed(seed)
        findings: list[Finding] = []
        look_alikes: Verdict | None = None
        dense: list[SubModel] = list(sub_models)
        if database_path is not None:
            dense, findings, checks = _straighten_all(sub_models, job, fan_out, lambda done: report(0.3 * done))
            if first_kind_path is not None:
                asked = job.bars.straighten.check
                checks = [
                    check for model in sub_models for check in check_pairs(model.reconstruction, first_kind_path, asked)
                ]
            once = {(check.first, check.second): check for check in checks}  # clips overlap
            look_alikes = judge_motions(list(once.values()))
        thinned = dense
        if database_path is not None and dense != list(sub_models[:1]):  # one whole model has nothing to be joined to
            thinned = [_thin(model) for model in dense]
        # Else frames would be joined and lost ones be put where look-alikes are.
        merger = _Merger(job, use_matches=look_alikes is not None and look_alikes.ok)
        lost = {frame for model in sub_models for frame in model.frames}
        lost -= {frame for model in dense for frame in model.frames}
        # Of a clip that stayed whole, mapping has asked for the frames between.
        tour = _list_frames(database_path) if database_path is not None and len(sub_models) > 1 else frozenset[int]()
        nodes = merger.join_all(thinned, lost, tour)
        report(0.8)
        unchanged = {model.name: whole for model, whole in zip(thinned, dense, strict=True) if model in nodes}
        del thinned, dense  # those that were joined are not needed any more, and finishing needs most memory
        ordered, contained = _drop_contained(nodes)
        wholes = [
            replace(unchanged.get(model.name, model), name=f"merged/{place}") for place, model in enumerate(ordered)
        ]
        finished: list[SubModel] = []
        if database_path is None:  # poses that the user brought: nothing is refined
            finished += map(_copy_model, wholes)
        else:
            work = (
                Unfinished(pack_sub_model(whole), model.name in unchanged)
                for whole, model in zip(wholes, ordered, strict=True)
            )
            for whole, done in zip(wholes, fan_out(FinishModel(job), work), strict=True):
                finished.append(done.model.unpack() if done.model else _copy_model(whole))
                findings += _tell_of_open_scale(whole, done.open_scale)
    report(1.0)
    undone = _find_undone(ordered, nodes, merger.attempts)
    return MergeResult(tuple(finished), tuple(merger.attempts), (*findings, *contained), tuple(undone), look_alikes)


def _straighten_all(
    sub_models: Sequence[SubModel], job: MergeJob, fan_out: FanOut, progress: Progress
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


@dataclass(eq=False)
class _Merger:
    """Joins sub-models, and remembers what was tried."""

    job: MergeJob
    use_matches: bool
    attempts: list[MergeAttempt] = field(default_factory=list)
    """In the order tried."""
    _links: dict[frozenset[SubModel], list[Link]] = field(default_factory=dict)
    """Of every pair of those that there are now."""

    def join_all(self, sub_models: Sequence[SubModel], lost: Collection[int], tour: Collection[int]) -> list[SubModel]:
        """Join what hangs together, until no link is left.

        Args:
            sub_models: Of one tour; not changed.
            lost: Frames that a model may pick up again.
            tour: Frames that it may pick up where it has some before and behind.
        """
        nodes = sorted(sub_models, key=lambda model: (min(model.clips), -len(model.frames), model.name))
        has_grown = use_late = False
        while True:
            self._find_links(nodes)
            links = [link for of_pair in self._links.values() for link in of_pair if use_late or not link.is_late]
            after: list[SubModel] = []
            is_settled = True
            for group in solve(nodes, links):
                model = self._join(group, links)
                after += group if model is None else [model]
                is_settled &= model is not None
            has_grown &= len(after) == len(nodes)
            if is_settled and has_grown:
                if use_late:
                    return after
                use_late = True
            elif is_settled:
                after = [self._pick_up(model, {*lost, *_find_enclosed(model, after, tour)}) for model in after]
                has_grown, use_late = True, False
            nodes = after

    def _find_links(self, nodes: Sequence[SubModel]) -> None:
        """Ask every pair that was not asked yet."""
        before, self._links = self._links, {}
        for pair in combinations(nodes, 2):
            key, (one, other) = frozenset(pair), (set(model.frames) for model in pair)
            if one <= other or other <= one:
                continue  # one adds nothing to the other
            if key in before:
                self._links[key] = before[key]
                continue
            start = perf_counter()
            found = find_links(*pair, self.job, use_matches=self.use_matches)
            self._links[key] = [link for link in found if not link.doubt]
            seconds = perf_counter() - start
            self.attempts += [_note(link, link.doubt, seconds) for link in found if link.doubt]

    def _join(self, group: dict[SubModel, Sim3], links: Sequence[Link]) -> SubModel | None:
        """One model of a group; None if a link that it rests on was dropped, so that it is no group any more."""
        first, *rest = group
        if not rest:
            return first
        own = [link for link in links if link.first in group]
        model = first.reconstruction
        for other in rest:
            model = fuse(model, other.reconstruction, group[other])
        name, before, start = f"{_JOIN}{len(self.attempts)}", model.compute_num_observations(), perf_counter()
        checks = _adjust_and_check(model, group, own, self.job)
        seconds, is_sound = perf_counter() - start, not any(check.fault for check in checks.values())
        joined = SubModel(name, tuple(sorted({clip for part in group for clip in part.clips})), model)
        for link, check in checks.items():
            if check.fault:
                self._links[frozenset((link.first, link.second))].remove(link)
            if check.fault or is_sound:
                self.attempts.append(
                    replace(
                        _note(link, check.fault, seconds),
                        result=name if is_sound else "",
                        verdict="accepted" if is_sound else "rolled back",
                        error_merged_px=joined.mean_reprojection_error_px,
                        observations_before=before,
                        observations_after=model.compute_num_observations(),
                        contradicting_pairs=check.contradicting,
                        asked_pairs=check.asked,
                    )
                )
        return joined if is_sound else None

    def _pick_up(self, model: SubModel, wanted: Collection[int]) -> SubModel:
        """The model with those of the frames that it lacks and can pick up."""
        if self.job.database_path is None or not self.use_matches:
            return model
        lacking = sorted(set(wanted).difference(model.frames))
        near = [frame for frame in lacking if min(abs(frame - own) for own in model.frames) <= _GROWTH_REACH]
        frames = sorted({*model.frames, *near})
        return grow(model, self.job.database_path, frames, self.job.bars.straighten, self.job.seed) if near else model


_JOIN = "join/"
_GROWTH_REACH = 20
"""Frames: further from a model than its matches reach, it picks nothing up."""


def _note(link: Link, doubt: str, seconds: float) -> MergeAttempt:
    """A line of the merge log on a link, before it was used."""
    found = link.alignment
    placed = "frames placed by matches" if link.joined_by == "matches" else "shared frames"
    agreed = "" if found is None else f"{len(link.frames)} {placed} agree over {found.common_points} common keypoints"
    return MergeAttempt(
        first=link.first.name,
        second=link.second.name,
        result="",
        shared_frames=link.frames,
        error_first_px=link.first.mean_reprojection_error_px,
        error_second_px=link.second.mean_reprojection_error_px,
        error_merged_px=None,
        center_disagreement=None if found is None else found.center_disagreement / (measure_step(link.first) or 1.0),
        rotation_disagreement_deg=None if found is None else found.rotation_disagreement_deg,
        observations_before=sum(model.reconstruction.compute_num_observations() for model in (link.first, link.second)),
        observations_after=None,
        verdict="not aligned",
        reason=doubt or agreed,
        seconds=seconds,
        joined_by=link.joined_by,
        scale_disagreement=None if found is None else found.scale_disagreement,
    )


@dataclass(frozen=True)
class _Check:
    """What a model that was made over a link says of it."""

    contradicting: int | None = None
    """Verified pairs across the link that contradict the model; None where nothing was asked."""
    asked: int | None = None
    fault: str = ""
    """Why the link is not borne out; empty if it is."""


def _adjust_and_check(
    model: pycolmap.Reconstruction, parts: Iterable[SubModel], links: Sequence[Link], job: MergeJob
) -> dict[Link, _Check]:
    """Refine a fused model in place, and ask it about its links; poses of the user are neither moved nor doubted."""
    if job.database_path is None:
        return dict.fromkeys(links, _Check())
    hold = job.bars.straighten.hold
    # Where the scale of a part was open by itself, no link is at fault.
    known = {place.frames for part in parts for place in find_weak_scale(part.reconstruction, hold)}
    checks: dict[Link, _Check] = {}
    for _ in range(_ADJUSTMENTS):
        refine(model, job.database_path, model.reg_image_ids(), job.bars.refine, job.seed)
        weak = [place for place in find_weak_scale(model, hold) if place.frames not in known]
        checks = {link: _check_link(model, link, weak, job.database_path, job) for link in links}
        if not any(check.fault for check in checks.values()):
            break
    return checks


_ADJUSTMENTS = 2
"""What was fused over a few links lies roughly; what contradicts it is adjusted once more before a verdict."""


def _check_link(
    model: pycolmap.Reconstruction, link: Link, weak: Sequence[Verdict], database_path: Path, job: MergeJob
) -> _Check:
    sides = set(link.first.frames), set(link.second.frames)
    with open_database(database_path) as database:
        across = [(a, b) for a, b, _ in read_pairs_across(database, *sides)]
    within = across[:: max(1, len(across) // _MOST_ASKED)]
    checks = check_pairs(model, database_path, job.bars.straighten.check, within=within)
    against, asked = sum(check.contradicts for check in checks), len(checks)
    fault = _find_fault(against, asked, job.options)
    for place in weak:
        if any(place.first in one and place.last in other for one, other in (sides, sides[::-1])):
            fault = f"nothing holds the scale of the joined model at frames {place.first}-{place.last}"
    return _Check(against, asked, fault)


def _find_fault(against: int, asked: int, options: MergeOptions) -> str:
    """Why the matches across a link speak against it; empty if they do not."""
    if against < ContradictionOptions().min_pairs or against <= options.max_contradicting_pairs * asked:
        return ""
    return f"{against} of {asked} matched pairs across the join contradict the joined model"


_MOST_ASKED = 200
"""Pairs across a link, spread evenly: a share of 200 is good to 0.035, and each pair costs milliseconds."""


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


def _thin(model: SubModel) -> SubModel:
    """A copy with its longest tracks: they decide a join, and the others cost most of its time."""
    reconstruction = pycolmap.Reconstruction(model.reconstruction)
    thin(reconstruction, ThinningOptions())
    return replace(model, reconstruction=reconstruction)


def _copy_model(model: SubModel) -> SubModel:
    return replace(model, reconstruction=pycolmap.Reconstruction(model.reconstruction))


def _drop_contained(models: Sequence[SubModel]) -> tuple[list[SubModel], list[Finding]]:
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
