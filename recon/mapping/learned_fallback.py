"""All clips of a tour: mapped, and once more with learned keypoints where SIFT left them short, torn or in pieces.

Textured tours come out whole and pay nothing. Bare, dark, small rooms do not: there learned keypoints tie every frame
to its neighbours, but what they tie is not always right. So of the two reconstructions of a clip the sounder one is
kept (`judge`), never that of more frames. What rests on learned keypoints is mapped once more by other random numbers:
where nothing sound came of it, for it may come out by chance, and else to tell how exact it is.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

from recon.audit.pixel_aspect import PixelAspect, measure_pixel_aspect
from recon.audit.torn import TornOptions
from recon.colmap.database import CAMERA_ID, open_database
from recon.colmap.fuse import subset
from recon.colmap.tasks import quiet_colmap
from recon.findings import Finding
from recon.geometry import Array
from recon.mapping.judge import Judge, SiftCandidate, add_exactness_finding, measure_difference, needs_hold
from recon.mapping.options import ENOUGH_OF_CLIP, LEARNED_BARS, SIFT_BARS, SfmOptions, TourInputs
from recon.mapping.sfm import ClipResult, reconstruct_clips
from recon.mapping.sound_parts import find_sound_parts
from recon.matching.second_kind import LearnedMatches, match_learned_features, write_combined_database
from recon.records import Clip, SubModel
from recon.tasks import Progress, fixed_threads


@dataclass(frozen=True, eq=False)
class MappedTour:
    """What became of the clips of a tour."""

    results: tuple[ClipResult, ...]  # Per clip, with a finding where learned keypoints were tried or would have helped
    database_path: Path | None = None
    """With the keypoints of both kinds that the sub-models rest on; None where those of the first are enough."""
    pixel_aspect: PixelAspect | None = None  # None where no sub-model tells it

    @property
    def sub_models(self) -> list[SubModel]:
        """Of all clips."""
        return [model for result in self.results for model in result.sub_models]

    @property
    def findings(self) -> tuple[Finding, ...]:
        """Of the camera and of all clips. A clip without a pose is an error where the tour has none: it may be dark."""
        severity = "warning" if self.sub_models else "error"
        findings: list[Finding] = []
        if self.pixel_aspect is not None and not self.pixel_aspect.is_square:
            message = (
                f"a pixel looks {self.pixel_aspect} times as wide as it is high, so the film was squeezed, or widened, "
                "without saying so: turns, heights and distances are off"
            )
            findings.append(Finding("warning", "camera.squeezed", "camera", message))
        for result in self.results:
            findings += result.findings
            if result.why_lost:
                findings.append(Finding(severity, "sfm.no_model", f"clip {result.clip}", result.why_lost))
        return tuple(findings)


def needs_learned_features(clip: Clip, result: ClipResult) -> bool:
    """Whether a clip came out short, torn, in pieces or contradicted, though its camera moves."""
    # No keypoints give depth to a camera that stands; to one that walks past something bare, others may.
    return not result.stands and result.sound_frames < ENOUGH_OF_CLIP * len(clip.frames)


@quiet_colmap()
@fixed_threads()
def remap_with_learned_features(
    database_path: Path,
    inputs: TourInputs,
    clips: Sequence[Clip],
    results: Sequence[ClipResult],
    work_dir: Path,
    options: SfmOptions = SfmOptions(),
    progress: Progress | None = None,
) -> MappedTour:
    """Map the clips that need it with learned keypoints too, and keep the sounder reconstruction of each."""
    report = progress or (lambda _: None)
    number = {frame.index: frame for frame in inputs.frames}
    hard = [place for place, clip in enumerate(clips) if needs_learned_features(clip, results[place])]
    if not hard or (features := inputs.learned) is None:
        return MappedTour(tuple(results))
    folder = work_dir / "learned"
    folder.mkdir(parents=True)
    needed = [number[index] for index in sorted({index for place in hard for index in clips[place].frames})]
    where = inputs.pictures(needed, folder / "pictures") if inputs.pictures is not None else inputs.frames_dir
    seconds: list[LearnedMatches] = []
    for place in hard:
        wanted = [number[index] for index in clips[place].frames]
        found = lambda share: report(0.5 * (len(seconds) + share) / len(hard))  # noqa: E731
        seconds.append(
            match_learned_features(
                database_path, where, wanted, features, inputs.mask, inputs.seed, inputs.fan_out, found
            )
        )
    both = folder / "all.db"
    write_combined_database(database_path, _combine(seconds), both)
    floors = inputs.floors_of(needed)
    # Matches of both kinds are witnesses against either reconstruction.
    wide = _add_all_keypoints([results[place] for place in hard], both)
    tries = [
        _Draws(
            clips[place],
            SiftCandidate(
                results[place],
                seen.sub_models,
                find_sound_parts(seen.sub_models, both, TornOptions(), floors),
                len(second.inconsistent),
                len(clips[place].frames),
            ),
        )
        for place, seen, second in zip(hard, wide, seconds, strict=True)
    ]
    draws = [
        (both, inputs.seed),
        *((held, inputs.seed) for held in _with_fixed_focal(both, folder / "held_lens.db")),
        (both, inputs.seed + 1),
    ]
    for draw, (database, of_draw) in enumerate(draws):
        waiting = [hard_clip for hard_clip in tries if hard_clip.needs_another(is_last=draw == len(draws) - 1)]
        if not waiting:
            continue
        own = folder / f"draw_{draw}"
        own.mkdir()
        again = reconstruct_clips(
            database,
            inputs.frames_dir,
            [hard_clip.clip for hard_clip in waiting],
            own / "mapping",
            options,
            of_draw,
            lambda done, draw=draw: report(0.5 + 0.5 * (draw + done) / len(draws)),
            inputs.fan_out,
            LEARNED_BARS,
        )
        judge = Judge(database_path, both, floors, number, of_draw)
        for hard_clip, second in zip(waiting, again, strict=True):
            hard_clip.add(*judge.choose(hard_clip.first, second))
    chosen = list(results)
    for place, hard_clip in zip(hard, tries, strict=True):
        chosen[place] = hard_clip.tell(len(hard_clip.clip.frames) / len(inputs.frames))
    better = [second for second, hard_clip in zip(seconds, tries, strict=True) if hard_clip.is_better]
    if not better:
        return MappedTour(tuple(chosen))
    final = both
    if len(better) < len(hard):
        final = folder / "better.db"
        write_combined_database(database_path, _combine(better), final)
    return MappedTour(tuple(_add_all_keypoints(chosen, final)), final)


@dataclass(eq=False)
class _Draws:
    """What became of a hard clip by other random numbers and lenses."""

    clip: Clip
    first: SiftCandidate
    results: list[ClipResult] = field(default_factory=list)
    chosen: int = 0  # of the results
    is_better: bool = False  # whether the one that was chosen rests on learned keypoints

    def needs_another(self, *, is_last: bool) -> bool:
        """Whether to draw once more: always a first time, where nothing sound came of it, and to tell how exact it is.

        What is bare, dark or in few bits comes out whole or in pieces by chance: of one walk in few bits a share of 0.3
        was sound, of 1.0 by another seed.
        """
        if not self.results or (is_last and self.is_better):
            return True
        best = self.results[self.chosen]
        return bool(best.sub_models) and needs_hold(best.sound_frames, len(self.clip.frames))

    def add(self, result: ClipResult, is_better: bool) -> None:
        """Keep the sounder one: the first, or a later one on learned keypoints."""
        self.results.append(result)
        if len(self.results) == 1 or (is_better and result.sound_frames > self.results[self.chosen].sound_frames):
            self.chosen = len(self.results) - 1
            self.is_better |= is_better

    def tell(self, share: float) -> ClipResult:
        """The one that was chosen, with how exact it is and how many there were."""
        chosen = self.results[self.chosen]
        if self.is_better:
            others = [result for result in self.results if result is not chosen]
            chosen = add_exactness_finding(chosen, measure_difference(chosen, others), share)
        if len(self.results) < 2:
            return chosen
        lengths = " and ".join(str(result.sound_frames) for result in self.results)
        message = (
            f"mapped {len(self.results)} times, with other random numbers or another focal length: the longest "
            f"consistent stretches have {lengths} of {len(self.clip.frames)} frames"
        )
        return chosen.with_finding(Finding("info", "sfm.second_look", f"clip {chosen.clip}", message))


def _with_fixed_focal(both: Path, held: Path) -> list[Path]:
    """A copy of a database whose focal length mapping holds; none where the pairs are sure, for it is held anyway.

    Which of the two is better nobody can tell before. In a small, bare room a free focal length was found and a held
    one, a tenth off, tore the walk; on a dark tour in few bits the free one ran off to twice the right one.
    """
    with open_database(both) as database:
        shared = database.read_camera(CAMERA_ID)
    if shared.has_prior_focal_length:
        return []
    shutil.copyfile(both, held)
    shared.has_prior_focal_length = True
    with open_database(held) as database:
        database.update_camera(shared)
    return [held]


def _combine(seconds: Sequence[LearnedMatches]) -> LearnedMatches:
    """Those of several clips as one; shared frames have the same keypoints in each."""
    keypoints = {frame: found for second in seconds for frame, found in second.keypoints.items()}
    pairs = {pair: match for second in seconds for pair, match in second.pairs.items()}
    return LearnedMatches(keypoints, pairs, tuple(pair for second in seconds for pair in second.inconsistent))


def _add_all_keypoints(results: Sequence[ClipResult], database_path: Path) -> list[ClipResult]:
    """The results with the keypoints that the database has now."""
    xy: dict[int, Array] = {}
    with open_database(database_path) as database:
        for frame in {frame for result in results for model in result.sub_models for frame in model.frames}:
            xy[frame] = np.asarray(database.read_keypoints(frame), np.float64)[:, :2]

    def complete(model: SubModel) -> SubModel:
        has_all = all(model.reconstruction.image(frame).num_points2D() == len(xy[frame]) for frame in model.frames)
        return model if has_all else replace(model, reconstruction=subset(model.reconstruction, model.frames, xy))

    return [replace(result, sub_models=tuple(map(complete, result.sub_models))) for result in results]


def map_tour(
    database_path: Path,
    inputs: TourInputs,
    clips: Sequence[Clip],
    work_dir: Path,
    options: SfmOptions = SfmOptions(),
    *,
    is_learned: bool = False,
    why_not_learned: str = "give some as `learned`",
    apart: bool = False,
    check_pixels: Callable[[PixelAspect], None] = lambda aspect: None,
    progress: Progress | None = None,
) -> MappedTour:
    """Recover camera poses and points of every clip of a tour.

    `work_dir` gets files on the way, and the database of both kinds of keypoints if there will be one. Where learned
    keypoints would help and are missing, a finding says how to get them. `apart` is for clips that other machines map.
    `check_pixels` is told the pixels' aspect as soon as one kind of keypoints is mapped, and may raise to stop.
    """
    report = progress or (lambda _: None)
    mapped = reconstruct_clips(
        database_path,
        inputs.frames_dir,
        clips,
        work_dir,
        options,
        inputs.seed,
        lambda done: report(0.5 * done),
        inputs.fan_out,
        LEARNED_BARS if is_learned else replace(SIFT_BARS, learned_follow=inputs.learned is not None),
        apart=apart,
    )
    first = _measure_pixels(MappedTour(tuple(mapped)), check_pixels)
    if is_learned:
        return first
    if inputs.learned is None:
        for place, (clip, result) in enumerate(zip(clips, mapped, strict=True)):
            if needs_learned_features(clip, result):
                message = (
                    f"its longest consistent stretch has {result.sound_frames} of {len(clip.frames)} frames. Learned "
                    f"keypoints, for bare, dark or blurred rooms, may keep it in one piece; {why_not_learned}"
                )
                mapped[place] = result.with_finding(Finding("info", "sfm.second_look", f"clip {result.clip}", message))
        return replace(first, results=tuple(mapped))

    both = remap_with_learned_features(
        database_path, inputs, clips, mapped, work_dir, options, lambda done: report(0.5 + 0.5 * done)
    )
    if both.database_path is None:
        return replace(both, pixel_aspect=first.pixel_aspect)
    return _measure_pixels(both, check_pixels)


def _measure_pixels(tour: MappedTour, check: Callable[[PixelAspect], None]) -> MappedTour:
    aspect = measure_pixel_aspect(tour.sub_models)
    if aspect is not None:
        check(aspect)
    return replace(tour, pixel_aspect=aspect)
