"""All clips of a tour: mapped, cut, and mapped once more by learned keypoints where that helps."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from recon.audit.pixel_aspect import PixelAspect, measure_pixel_aspect
from recon.findings import Finding
from recon.mapping.clips import reconstruct_clips
from recon.mapping.learned_fallback import (
    MappedTour,
    needs_learned_features,
    remap_with_learned_features,
)
from recon.mapping.options import LEARNED_BARS, SIFT_BARS, SfmOptions
from recon.mapping.sfm import ClipResult
from recon.mapping.tour_inputs import TourInputs
from recon.records import Clip
from recon.tasks import Progress

ReconstructClips = Callable[..., list[ClipResult]]  # called as `reconstruct_clips`


def map_tour(
    database_path: Path,
    inputs: TourInputs,
    clips: Sequence[Clip],
    work_dir: Path,
    options: SfmOptions = SfmOptions(),
    *,
    is_learned: bool = False,
    why_not_learned: str = "give some as `learned`",
    reconstruct: ReconstructClips = reconstruct_clips,
    check_pixels: Callable[[PixelAspect], None] = lambda aspect: None,
    progress: Progress | None = None,
) -> MappedTour:
    """Recover camera poses and points of every clip of a tour.

    Args:
        database_path: From `build_database`; it is only read.
        inputs: Of the tour.
        clips: With different names.
        work_dir: Folder for files on the way, and for the database of both kinds of keypoints if there will be one.
        options: Of mapping.
        is_learned: Whether the keypoints of the database are learned ones, so that there is no second kind to try.
        why_not_learned: How to get learned keypoints, for a finding where they are missing.
        reconstruct: Maps clips, here or on other machines.
        check_pixels: Told the pixels' aspect as soon as one kind of keypoints is mapped; may raise to stop.
        progress: Called with a fraction from 0 to 1.
    """
    report = progress or (lambda _: None)
    mapped = reconstruct(
        database_path,
        inputs.frames_dir,
        clips,
        work_dir,
        options,
        inputs.seed,
        lambda done: report(_FIRST_KIND * done),
        inputs.fan_out,
        LEARNED_BARS if is_learned else replace(SIFT_BARS, learned_follow=inputs.learned is not None),
    )
    first = _measure_pixels(MappedTour(tuple(mapped)), check_pixels)
    if is_learned:
        return first
    if inputs.learned is None:
        hinted = tuple(_add_learned_hint(*pair, why_not_learned) for pair in zip(clips, mapped, strict=True))
        return replace(first, results=hinted)

    def report_rest(done: float) -> None:
        report(_FIRST_KIND + (1.0 - _FIRST_KIND) * done)

    both = remap_with_learned_features(database_path, inputs, clips, mapped, work_dir, options, report_rest)
    if both.database_path is None:
        return replace(both, pixel_aspect=first.pixel_aspect)
    return _measure_pixels(both, check_pixels)


def _measure_pixels(tour: MappedTour, check: Callable[[PixelAspect], None]) -> MappedTour:
    aspect = measure_pixel_aspect(tour.sub_models)
    if aspect is not None:
        check(aspect)
    return replace(tour, pixel_aspect=aspect)


_FIRST_KIND = 0.6
"""Share of the time, where clips are mapped again by learned keypoints; bars then go on from here."""


def _add_learned_hint(clip: Clip, result: ClipResult, how_to_get: str) -> ClipResult:
    """The result with a finding if learned keypoints could help it."""
    if not needs_learned_features(clip, result):
        return result
    longest = f"its longest consistent stretch has {result.sound_frames} of {len(clip.frames)} frames"
    message = f"{longest}. Learned keypoints, for bare, dark or blurred rooms, may keep it in one piece; {how_to_get}"
    return result.with_finding(Finding("info", "sfm.second_look", f"clip {result.clip}", message))
