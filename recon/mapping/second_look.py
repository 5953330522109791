"""Map clips again with learned keypoints where SIFT left them short, torn, in pieces or contradicted.

Textured tours come out whole and pay nothing. Bare, dark, small rooms do not: there learned keypoints tie every frame
to its neighbours, but what they tie is not always right. So of the two reconstructions of a clip the sounder one is
kept (`judge`), never that of more frames. What rests on learned keypoints is mapped once more by other random numbers:
where nothing sound came of it, for it may come out by chance, and else to tell how exact it is (`draw_difference`).
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from recon.adjust.refine import prolong
from recon.colmap.database import CAMERA_ID, open_database, update_camera
from recon.colmap.log import quiet_colmap
from recon.diagnosis.contradictions import ContradictionOptions
from recon.diagnosis.floor_height import FloorMask
from recon.diagnosis.torn import TornOptions
from recon.findings import Finding
from recon.geometry import Array, Camera
from recon.mapping.clips import reconstruct_clips
from recon.mapping.draw_difference import measure_difference, tell_exactness
from recon.mapping.judge import HardClip, Judge, needs_hold
from recon.mapping.options import SfmOptions
from recon.mapping.sfm import ClipResult
from recon.mapping.sound_parts import find_sound_parts
from recon.matching.interfaces import Features
from recon.matching.pairs import PairOptions
from recon.matching.second_kind import (
    SecondKind,
    add_keypoints,
    find_second_kind,
    write_both_kinds,
)
from recon.records import Clip, Frame, SubModel
from recon.tasks import FanOut, fixed_threads, map_here
from recon.video.picture import Image

Progress = Callable[[float], None]
Floors = Callable[[Sequence[Frame]], Mapping[int, FloorMask]]
"""Says where the pictures of frames show the floor; nothing where no model can tell."""
Pictures = Callable[[Sequence[Frame], Path], Path]
"""Gives a folder with pictures of frames, perhaps larger ones, by the frames' names; it may make it at the path."""

SOUND_SHARE = 0.9
"""Of a clip's frames: with as many in one sound stretch it needs no second look. Merging joins a broken clip's parts
where they share frames, and cannot where the pictures between say too little."""


def loosened(options: SfmOptions) -> SfmOptions:
    """Options for learned keypoints: many matches, each less exact, and no attempt after the first.

    The thresholds are those at which five hard phone tours registered every frame.
    """
    once = ContradictionOptions(max_share=1.0)
    return replace(
        options,
        refine=prolong(options.refine),
        mapper="global" if options.mapper == "global" else "incremental",
        init_min_inliers=40,
        register_min_inlier_ratio=0.15,
        torn=TornOptions(max_share=1.0),
        check=once,
    )


@dataclass(frozen=True, eq=False)
class SecondLook:
    """What became of the clips of a tour."""

    results: tuple[ClipResult, ...]
    """Per clip, with a finding where a second look was taken or would have helped."""
    database_path: Path | None
    """With the keypoints of both kinds that the sub-models rest on; None where those of the first are enough."""


def needs_second_look(clip: Clip, result: ClipResult) -> bool:
    """Whether a clip came out short, torn, in pieces or contradicted, though its camera moves."""
    if not result.sub_models and any(finding.code == "sfm.no_parallax" for finding in result.findings):
        return False  # no keypoints give depth to a camera that stands
    return result.sound_frames < SOUND_SHARE * len(clip.frames)


def look_again(
    database_path: Path,
    frames_dir: Path,
    frames: Sequence[Frame],
    clips: Sequence[Clip],
    results: Sequence[ClipResult],
    work_dir: Path,
    features: Features,
    pictures: Pictures,
    floors_of: Floors,
    options: SfmOptions = SfmOptions(),
    pairs: PairOptions = PairOptions(),
    seed: int = 0,
    progress: Progress | None = None,
    mask: Image | None = None,
    fan_out: FanOut = map_here,
) -> SecondLook:
    """Map the clips that need it with learned keypoints too, and keep the sounder reconstruction of each.

    Args:
        database_path: From `build_database`; it is only read.
        frames_dir: Folder with the frames' images.
        frames: Of the tour, in time order.
        clips: Of the tour.
        results: What `reconstruct_clips` made of each.
        work_dir: Folder for files on the way, and for the database if there will be one.
        features: The learned keypoints.
        pictures: Where they are looked for.
        floors_of: Tells where pictures show the floor.
        options: As for `reconstruct_clips`.
        pairs: When a place that is seen again is tried and believed.
        seed: Of all random sampling.
        progress: Called with a fraction from 0 to 1.
        mask: (H, W) of the frames, 0 where none may have a keypoint.
        fan_out: Gives out frames, pairs and clips. The result does not depend on it.
    """
    report = progress or (lambda _: None)
    number = {frame.index: frame for frame in frames}
    hard = [place for place, clip in enumerate(clips) if needs_second_look(clip, results[place])]
    if not hard:
        return SecondLook(tuple(results), None)
    seconds: dict[int, SecondKind] = {}
    folder = work_dir / "second_look"
    folder.mkdir(parents=True)
    with quiet_colmap(), fixed_threads():
        needed = sorted({index for place in hard for index in clips[place].frames})
        where = pictures([number[index] for index in needed], folder / "pictures")
        for done, place in enumerate(hard):
            wanted = [number[index] for index in clips[place].frames]

            def found(share: float, done: int = done) -> None:
                report(_MATCHING * (done + share) / len(hard))

            seconds[place] = find_second_kind(where, wanted, features, mask, pairs, seed, fan_out, found)
        both = folder / "all.db"
        write_both_kinds(database_path, _unite(list(seconds.values())), both)
    draws = [(both, seed), *((held, seed) for held in _hold_lens(both, folder / "held_lens.db")), (both, seed + 1)]
    floors = floors_of([number[index] for index in needed])
    with quiet_colmap(), fixed_threads():
        widened = _widen([results[place] for place in hard], both)
        known: dict[int, HardClip] = {}
        for place, wide in zip(hard, widened, strict=True):
            # Matches of both kinds are witnesses against either reconstruction.
            parts = find_sound_parts(wide.sub_models, both, TornOptions(), floors)
            total = len(clips[place].frames)
            known[place] = HardClip(results[place], wide.sub_models, parts, seconds[place], total)
    chosen = list(results)
    better: set[int] = set()
    drawn: dict[int, list[ClipResult]] = {place: [] for place in hard}
    for draw, (database, of_draw) in enumerate(draws):
        is_last = draw == len(draws) - 1
        waiting = [
            place
            for place in hard
            if draw == 0 or _is_worth_a_draw(chosen[place], clips[place]) or (is_last and place in better)
        ]
        if not waiting:
            continue
        own = folder / f"draw_{draw}"
        own.mkdir()
        again = reconstruct_clips(
            database,
            frames_dir,
            [clips[place] for place in waiting],
            own / "mapping",
            loosened(options),
            of_draw,
            lambda done, draw=draw: report(_MATCHING + (1.0 - _MATCHING) * (draw + done) / len(draws)),
            fan_out,
        )
        judge = Judge(database_path, both, floors, number, own, features.name, prolong(options.refine), of_draw)
        with quiet_colmap(), fixed_threads():
            for place, second in zip(waiting, again, strict=True):
                result, is_better = judge.choose(known[place], second)
                drawn[place].append(result)
                if draw == 0 or (is_better and result.sound_frames > chosen[place].sound_frames):
                    chosen[place] = result
                    better |= {place} if is_better else set()
    for place in hard:
        others = [result for result in drawn[place] if result is not chosen[place]]
        if place in better:
            share = len(clips[place].frames) / len(frames)
            chosen[place] = tell_exactness(chosen[place], measure_difference(chosen[place], others), share)
        chosen[place] = _tell_draws(chosen[place], [result.sound_frames for result in drawn[place]])
    if not better:
        return SecondLook(tuple(chosen), None)
    with quiet_colmap(), fixed_threads():
        final = both
        if better != set(hard):
            final = folder / "better.db"
            write_both_kinds(database_path, _unite([seconds[place] for place in sorted(better)]), final)
        return SecondLook(tuple(_widen(chosen, final)), final)


def _tell_draws(result: ClipResult, sound: Sequence[int]) -> ClipResult:
    """The result with how long the soundest stretch of each draw was, if there was more than one."""
    if len(sound) < 2:
        return result
    lengths = " and ".join(map(str, sound))
    message = f"mapped {len(sound)} times by other random numbers or lenses: {lengths} frames were sound in one stretch"
    finding = Finding("info", "sfm.second_look", f"clip {result.clip}", message)
    return replace(result, findings=(*result.findings, finding))


def _is_worth_a_draw(result: ClipResult, clip: Clip) -> bool:
    """Whether a clip has models, but too short a sound stretch even with its scale held by the floor.

    What is bare, dark or in few bits comes out whole or in pieces by chance: of one walk in few bits a share of 0.3 was
    sound, of 1.0 by another seed.
    """
    return bool(result.sub_models) and needs_hold(result.sound_frames, len(clip.frames))


def _hold_lens(both: Path, held: Path) -> list[Path]:
    """A copy of a database whose focal length mapping holds; none where the pairs are sure, for it is held anyway.

    Which of the two is better nobody can tell before. In a small, bare room a free focal length was found and a held
    one, a tenth off, tore the walk; on a dark tour in few bits the free one ran off to twice the right one.
    """
    with open_database(both) as database:
        shared = database.read_camera(CAMERA_ID)
    if shared.has_prior_focal_length:
        return []
    shutil.copyfile(both, held)
    with open_database(held) as database:
        update_camera(database, Camera.from_colmap(shared), has_prior_focal=True)
    return [held]


_MATCHING = 0.3
"""Share of the time that finding and matching keypoints takes."""


def _unite(seconds: Sequence[SecondKind]) -> SecondKind:
    """Those of several clips as one; shared frames have the same keypoints in each."""
    keypoints = {frame: found for second in seconds for frame, found in second.keypoints.items()}
    return SecondKind(keypoints, {pair: match for second in seconds for pair, match in second.pairs.items()})


def _widen(results: Sequence[ClipResult], database_path: Path) -> list[ClipResult]:
    """The results with the keypoints that the database has now."""
    xy: dict[int, Array] = {}
    with open_database(database_path) as database:
        for frame in {frame for result in results for model in result.sub_models for frame in model.frames}:
            xy[frame] = np.asarray(database.read_keypoints(frame), np.float64)[:, :2]
    return [replace(result, sub_models=tuple(_widened(model, xy) for model in result.sub_models)) for result in results]


def _widened(model: SubModel, xy: Mapping[int, Array]) -> SubModel:
    has_all = all(model.reconstruction.image(frame).num_points2D() == len(xy[frame]) for frame in model.frames)
    return model if has_all else replace(model, reconstruction=add_keypoints(model.reconstruction, xy))
