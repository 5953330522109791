"""Make finished models of all sub-models of a tour: one of those that hang together, completed, colored, assessed.

What frames that two sub-models share say of them, and what matches between their other frames say, are links. All links
together place the sub-models (`links`), and each group of linked ones becomes one model, which is refined. A link that
the model then contradicts is dropped, and the group is made again without it. A model picks up frames that were lost;
where that brings new links, all begins once more (`join`). What nothing links stays a model of its own.

Before, every sub-model is cut where it contradicts its own matches (`regrow`): a bent model would bend all others.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

import pycolmap

from recon.adjust.refine import thin, until_convergence
from recon.audit.contradictions import CHECK_LEARNED, PairCheck, check_pairs, judge_motions
from recon.audit.pose_uncertainty import Assessment, assess
from recon.audit.torn import TORN_LEARNED
from recon.audit.verdict import Verdict
from recon.colmap.database import open_database
from recon.colmap.fuse import leave_contained_out
from recon.colmap.tasks import pack, quiet_colmap
from recon.findings import Finding
from recon.mapping.options import TourInputs
from recon.merging.join import Joiner
from recon.merging.regrow import MergeBars, MergeJob, finish_model, straighten_packed
from recon.records import MergeAttempt, SubModel
from recon.tasks import THREADS_PER_TASK, FanOut, Progress, fixed_threads, map_here


@dataclass(frozen=True, eq=False)
class MergeResult:
    """What became of the sub-models."""

    models: tuple[SubModel, ...]  # largest first, named `merged/0`, `merged/1`, ...; of a whole tour `0`, `1`, ...
    attempts: tuple[MergeAttempt, ...]  # in the order tried
    told: tuple[Finding, ...]  # what was cut or left out
    undone: tuple[MergeAttempt, ...] = ()  # those whose models stay apart
    look_alikes: Verdict | None = None  # on the matches of the tour; None if none were asked
    assessments: Mapping[str, Assessment] = field(default_factory=dict)  # of a whole tour: of each model, by its name

    @property
    def findings(self) -> tuple[Finding, ...]:
        """What a user should know: of look-alikes, of each model, of joins, and of models that stay apart.

        Where texture repeats along the walk, two neighboring frames match at the true offset and one repetition
        further. Both sets lie on the same epipolar lines, so they are verified together; but no pose puts both in front
        of the cameras. In a made corridor with a texture that repeats every 1.5 m this is true of 36 % of the pairs
        (the model was wrong by 2.3 m at 0.15 px); of pairs of sound tours, none to 3 %.
        """
        found = [*self.told]
        if self.look_alikes is not None and not self.look_alikes.ok:
            message = (
                f"{self.look_alikes.words}: repeated texture or look-alike objects. The path and all lengths are "
                "probably wrong, however small the reprojection error; film the place again and do not use this tour"
            )
            found.insert(0, Finding("error", "merge.look_alikes", "tour", message))
        for attempt in self.undone:
            where = f"{attempt.first} + {attempt.second}"
            found.append(Finding("warning", "merge.undone", where, f"not joined: {attempt.reason}"))
        for attempt in self.attempts:
            if attempt.verdict == "accepted" and attempt.joined_by == "matches":
                where = f"{attempt.first} + {attempt.second}"
                found.append(Finding("info", "merge.by_matches", where, f"joined by matches; {attempt.reason}"))
        return (*found, *_tell_of_parts(self.models))


def merge_sub_models(
    sub_models: Sequence[SubModel],
    database_path: Path | None = None,
    seed: int = 0,
    progress: Progress | None = None,
    fan_out: FanOut = map_here,
    first_kind_path: Path | None = None,
    bars: MergeBars = MergeBars(),
) -> MergeResult:
    """Join all sub-models of one database that share frames, or that enough matches relate, and agree.

    With a database, bent models are cut first, matches may link models without shared frames, and joined models are
    refined over their longest tracks, and then get all their points again. Where it has learned keypoints too,
    `first_kind_path` is the one without: only pairs of SIFT tell a world of look-alikes. Learned matches of sound tours
    agree on lines, and on no pose, in up to 12 % of pairs.

    Returns:
        Models that keep every input frame but those whose place proved wrong, which a finding names; none of them has
        only frames that another has. Empty for no sub-models.
    """
    report = progress or (lambda _: None)
    job = MergeJob(database_path, seed, bars)
    with quiet_colmap(), fixed_threads():
        pycolmap.set_random_seed(seed)
        findings: list[Finding] = []
        look_alikes: Verdict | None = None
        dense: list[SubModel] = list(sub_models)
        if database_path is not None:
            dense, findings, checks = _straighten_all(sub_models, job, fan_out, lambda done: report(0.3 * done))
            if first_kind_path is not None:
                asked = job.bars.check
                checks = [
                    check for model in sub_models for check in check_pairs(model.reconstruction, first_kind_path, asked)
                ]
            once = {(check.first, check.second): check for check in checks}  # clips overlap
            look_alikes = judge_motions(list(once.values()))
        thinned = dense
        if database_path is not None and dense != list(sub_models[:1]):  # one whole model has nothing to be joined to
            thinned = [_thin(model) for model in dense]
        # Else frames would be joined and lost ones be put where look-alikes are.
        joiner = Joiner(job, use_matches=look_alikes is not None and look_alikes.ok)
        lost = {frame for model in sub_models for frame in model.frames}
        lost -= {frame for model in dense for frame in model.frames}
        # Of a clip that stayed whole, mapping has asked for the frames between.
        tour = set[int]()
        if database_path is not None and len(sub_models) > 1:
            with open_database(database_path) as database:
                tour = {image.image_id for image in database.read_all_images()}
        nodes = joiner.join_all(thinned, lost, tour)
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
            work = ((pack(whole), model.name in unchanged) for whole, model in zip(wholes, ordered, strict=True))
            for whole, packed in zip(wholes, fan_out(partial(finish_model, job), work), strict=True):
                model, open_scale = packed.unpack()
                finished.append(model or _copy_model(whole))
                findings += _tell_of_open_scale(whole, open_scale)
    report(1.0)
    undone = _find_undone(ordered, nodes, joiner.attempts)
    return MergeResult(tuple(finished), tuple(joiner.attempts), (*findings, *contained), tuple(undone), look_alikes)


def _straighten_all(
    sub_models: Sequence[SubModel], job: MergeJob, fan_out: FanOut, progress: Progress
) -> tuple[list[SubModel], list[Finding], list[PairCheck]]:
    """What may be joined of the sub-models, and what was found on the way.

    The pairs are those of the sub-models as they came.
    """
    nodes: list[SubModel] = []
    findings: list[Finding] = []
    checks: list[PairCheck] = []
    straightened = fan_out(partial(straighten_packed, job), map(pack, sub_models))
    for done, (model, packed) in enumerate(zip(sub_models, straightened, strict=True)):
        result = packed.unpack()
        nodes += [model] if result.models is None else result.models
        findings += result.findings
        checks += result.checks
        progress((done + 1) / len(sub_models))
    return nodes, findings, checks


def _thin(model: SubModel) -> SubModel:
    """A copy with its longest tracks: they decide a join, and the others cost most of its time."""
    reconstruction = pycolmap.Reconstruction(model.reconstruction)
    thin(reconstruction)
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
            f"left out: a model of {len(larger.frames)} frames holds its {len(model.frames)} frames at other poses",
        )
        for model, larger in left_out
    ]


def _tell_of_open_scale(model: SubModel, places: Sequence[Verdict]) -> list[Finding]:
    """Where what lies before and behind a place may be larger or smaller than the model says."""
    if not places:
        return []
    worst = max(places, key=lambda doubt: doubt.sigma or 0.0)
    message = (
        f"the scale of a model of {len(model.frames)} frames may change by {min(worst.sigma or 0.0, 1.0):.1%} between "
        f"frames {worst.first} and {worst.last}: what follows may be that much too large or too small, and the path "
        "may bend there; film such places from nearby, and past things at several distances"
    )
    return [Finding("warning", "merge.scale_open", f"frames {places[0].first}-{places[-1].last}", message)]


def _find_undone(
    models: Sequence[SubModel], nodes: Sequence[SubModel], attempts: Sequence[MergeAttempt]
) -> list[MergeAttempt]:
    """Joins that were undone, of models that did not meet later and stay apart.

    Of the `nodes` that were left when all was joined, those that are no `models` had nothing to add.
    """
    contained = {node.name for node in nodes}.difference(model.name for model in models)
    joined = [attempt for attempt in attempts if attempt.verdict == "accepted"]
    became = {name: attempt.result for attempt in joined for name in (attempt.first, attempt.second)}

    def end(name: str) -> str:
        return end(became[name]) if name in became else name

    ends = [(attempt, end(attempt.first), end(attempt.second)) for attempt in attempts]
    return [
        attempt
        for attempt, one, other in ends
        if attempt.verdict != "accepted" and one != other and contained.isdisjoint((one, other))
    ]


def _tell_of_parts(models: Sequence[SubModel]) -> list[Finding]:
    """A finding where a tour stays in several models."""
    if len(models) < 2:
        return []
    sizes = ", ".join(str(len(model.frames)) for model in models)
    message = (
        f"the tour stays in {len(models)} models of {sizes} frames, whose poses relative to each other are unknown; "
        "the merge log has each attempt to join two; film the ways between them again, slowly"
    )
    return [Finding("warning", "merge.apart", "tour", message)]


def merge_tour(
    sub_models: Sequence[SubModel],
    inputs: TourInputs,
    database_path: Path,
    *,
    both_kinds_path: Path | None = None,
    is_learned: bool = False,
    are_given: bool = False,
    progress: Progress | None = None,
) -> MergeResult:
    """Join what can be joined of a tour's sub-models, and finish the models.

    Where sub-models rest on learned keypoints too, `both_kinds_path` has them. Poses that the user has given are not
    ours to cut, to grow or to move.
    """
    database = both_kinds_path or database_path
    bars = choose_bars(is_learned=is_learned, has_both_kinds=both_kinds_path is not None)
    result = merge_sub_models(
        sub_models,
        None if are_given else database,
        seed=inputs.seed,
        progress=progress,
        fan_out=inputs.fan_out,
        first_kind_path=None if both_kinds_path is None else database_path,
        bars=bars,
    )
    models = [replace(model, name=model.name.removeprefix("merged/")) for model in result.models]
    with quiet_colmap():
        for model in models:  # here, because every model passes, whatever mapped, joined or grew it
            model.reconstruction.extract_colors_for_all_images(inputs.frames_dir, THREADS_PER_TASK)
    check = bars.check
    numbers = [frame.index for frame in inputs.frames]
    assessments = {
        model.name: assess(model, numbers, database, result.attempts, fan_out=inputs.fan_out, check=check)
        for model in models
    }
    return replace(result, models=tuple(models), assessments=assessments)


def choose_bars(*, is_learned: bool, has_both_kinds: bool) -> MergeBars:
    """How models are cut and refined by what holds them: SIFT, learned keypoints, or both kinds."""
    bars = MergeBars()
    if not has_both_kinds and not is_learned:
        return bars
    bars = replace(bars, torn=TORN_LEARNED, check=CHECK_LEARNED, refine=until_convergence(bars.refine))
    # These walks were judged with their floor: what they lost of a pan would be its frames, not its scale.
    return replace(bars, hold=replace(bars.hold, shrunk=0.0)) if has_both_kinds else bars
