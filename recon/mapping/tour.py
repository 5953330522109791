"""All clips of a tour: mapped, trimmed and cut, and once more past planes or by learned keypoints where that helps."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from recon.findings import Finding
from recon.mapping.clips import Progress, reconstruct_clips
from recon.mapping.leap_cuts import cut_leaps
from recon.mapping.options import SfmOptions
from recon.mapping.past_planes import find_clips_past_planes, find_witnessed, keep_planes, tell_of_planes
from recon.mapping.second_look import MappedTour, loosened, needs_second_look, remap_with_learned_features
from recon.mapping.sfm import ClipResult
from recon.mapping.tour_inputs import TourInputs
from recon.mapping.weak_ends import trim_weak_ends
from recon.matching.pairs import PairOptions
from recon.records import Clip

ReconstructClips = Callable[..., list[ClipResult]]
"""Called as `reconstruct_clips`."""


def map_tour(
    database_path: Path,
    inputs: TourInputs,
    clips: Sequence[Clip],
    work_dir: Path,
    options: SfmOptions = SfmOptions(),
    pairs: PairOptions = PairOptions(),
    *,
    is_learned: bool = False,
    why_not_learned: str = "give some as `learned`",
    reconstruct: ReconstructClips = reconstruct_clips,
    progress: Progress | None = None,
) -> MappedTour:
    """Recover camera poses and points of every clip of a tour.

    Args:
        database_path: From `build_database`; it is only read.
        inputs: Of the tour.
        clips: With different names.
        work_dir: Folder for files on the way, and for the database of both kinds of keypoints if there will be one.
        options: Of mapping.
        pairs: Which revisits of learned keypoints are tried and believed.
        is_learned: Whether the keypoints of the database are learned ones, so that there is no second kind to try.
        why_not_learned: How to get learned keypoints, for a finding where they are missing.
        reconstruct: Maps clips, here or on other machines.
        progress: Called with a fraction from 0 to 1.
    """
    report = progress or (lambda _: None)

    def map_all(wanted: Sequence[Clip], how: SfmOptions, folder: Path, tell: Progress) -> list[ClipResult]:
        """By the keypoints of the database."""
        folder.mkdir(exist_ok=True)
        mapping = loosened(how) if is_learned else how
        mapped = reconstruct(
            database_path, inputs.frames_dir, wanted, folder, mapping, inputs.seed, tell, inputs.fan_out
        )
        times_s = {frame.index: frame.time_s for frame in inputs.frames}
        least = how.min_model_frames
        return [cut_leaps(trim_weak_ends(result, least), times_s, least) for result in mapped]

    def map_whole(how: SfmOptions, folder: Path) -> MappedTour:
        """All clips, those past planes beside others, and what came out badly once more."""
        results = map_all(clips, how, folder, lambda done: report(_FIRST_KIND * done))
        sound = [clip for clip, result in zip(clips, results, strict=True) if result.sub_models]
        flat = find_clips_past_planes(clips, results, database_path, how) if sound else []
        if dropped := find_witnessed(flat, sound):  # the others tell whether they are right
            again = map_all(dropped, keep_planes(how), folder / "beside_others", lambda _: None)
            kept = {result.clip: tell_of_planes(result, beside_others=True) for result in again}
            results = [kept.get(result.clip, result) for result in results]
        if is_learned:
            return MappedTour(tuple(results))
        if inputs.learned is None:
            return MappedTour(
                tuple(_tell_of_learned(*pair, why_not_learned) for pair in zip(clips, results, strict=True))
            )
        rest: Callable[[float], None] = lambda done: report(_FIRST_KIND + (1.0 - _FIRST_KIND) * done)  # noqa: E731
        return remap_with_learned_features(database_path, inputs, clips, results, folder, how, pairs, rest)

    mapped = map_whole(options, work_dir)
    if not mapped.sub_models and find_clips_past_planes(clips, mapped.results, database_path, options):
        mapped = map_whole(keep_planes(options), work_dir / "past_planes")
        mapped = replace(mapped, results=tuple(map(tell_of_planes, mapped.results)))
    return mapped


_FIRST_KIND = 0.6
"""Share of the time, where clips are mapped again by learned keypoints; bars then go on from here."""


def _tell_of_learned(clip: Clip, result: ClipResult, how_to_get: str) -> ClipResult:
    """The result with a finding if learned keypoints could help it."""
    if not needs_second_look(clip, result):
        return result
    longest = f"its longest consistent stretch has {result.sound_frames} of {len(clip.frames)} frames"
    message = f"{longest}. Learned keypoints, for bare, dark or blurred rooms, may hold it together; {how_to_get}"
    finding = Finding("info", "sfm.second_look", f"clip {clip.name}", message)
    return replace(result, findings=(*result.findings, finding))
