"""The sub-models of a tour to finished models: joined, completed, colored and assessed."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from recon.adjust.refine import until_convergence
from recon.audit.contradictions import CHECK_LEARNED
from recon.audit.health import Assessment, assess
from recon.audit.torn import TORN_LEARNED
from recon.colmap.log import quiet_colmap
from recon.findings import Finding
from recon.mapping.tour_inputs import TourInputs
from recon.merging.merge import merge_sub_models
from recon.merging.regrow import MergeBars
from recon.records import MergeAttempt, SubModel
from recon.tasks import THREADS_PER_TASK


@dataclass(frozen=True, eq=False)
class MergedTour:
    """The models of a tour, and how they came about."""

    models: tuple[SubModel, ...]  # largest first, named `0`, `1`, ...
    attempts: tuple[MergeAttempt, ...]  # to join two, in the order tried
    findings: tuple[Finding, ...]
    assessments: Mapping[str, Assessment]  # what the matches say of each model, by its name


def merge_tour(
    sub_models: Sequence[SubModel],
    inputs: TourInputs,
    database_path: Path,
    *,
    both_kinds_path: Path | None = None,
    is_learned: bool = False,
    are_given: bool = False,
    progress: Callable[[float], None] | None = None,
) -> MergedTour:
    """Join what can be joined of a tour's sub-models, and finish the models.

    Args:
        sub_models: Of one tour; never modified.
        inputs: Of the tour.
        database_path: From `build_database`.
        both_kinds_path: Database with learned keypoints too, if sub-models rest on these.
        is_learned: Whether the keypoints of the first database are learned ones.
        are_given: Whether the poses are the user's: these are not ours to cut, to grow or to move.
        progress: Called with a fraction from 0 to 1.
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
    return MergedTour(tuple(models), result.attempts, result.findings, assessments)


def choose_bars(*, is_learned: bool, has_both_kinds: bool) -> MergeBars:
    """How models are cut and refined by what holds them: SIFT, learned keypoints, or both kinds."""
    bars = MergeBars()
    if not has_both_kinds and not is_learned:
        return bars
    bars = replace(bars, torn=TORN_LEARNED, check=CHECK_LEARNED, refine=until_convergence(bars.refine))
    # These walks were judged with their floor: what they lost of a pan would be its frames, not its scale.
    return replace(bars, hold=replace(bars.hold, shrunk=0.0)) if has_both_kinds else bars
