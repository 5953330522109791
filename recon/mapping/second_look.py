"""Map clips again with learned keypoints where SIFT left them short, torn, in pieces or contradicted.

Textured tours come out whole and pay nothing. Bare, dark, small rooms do not: there learned keypoints tie every frame
to its neighbours, but what they tie is not always right. So of the two reconstructions of a clip the sounder one is
kept, by its longest stretch that nothing speaks against (`sound_parts`), never by its number of
frames; where the other has sound parts beyond it, they are taken too. Where neither is sound for long, the floor is
asked to hold the scale (`floor_hold`), and at last the clip is mapped without the pairs that only look alike.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from recon.colmap.database import open_database
from recon.colmap.log import quiet_colmap
from recon.diagnosis.contradictions import ContradictionOptions
from recon.diagnosis.floor_height import FloorMask
from recon.diagnosis.torn import TORN_LEARNED, TornOptions
from recon.findings import Finding
from recon.geometry import Array
from recon.mapping.clips import reconstruct_clip, reconstruct_clips
from recon.mapping.floor_hold import hold_by_floor
from recon.mapping.one_row import put_in_a_row
from recon.mapping.sfm import ClipResult, SfmOptions
from recon.mapping.sound_parts import SoundPart, choose_parts, find_held_parts, find_sound_parts, longest
from recon.matching.interfaces import Features
from recon.matching.second_kind import (
    SecondKind,
    add_keypoints,
    drop_look_alikes,
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
    if result.stands:
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
        seed: Of all random sampling.
        progress: Called with a fraction from 0 to 1.
        mask: (H, W) of the frames, 0 where none may have a keypoint.
        fan_out: Gives out frames, pairs and clips. The result does not depend on it.
    """
    report = progress or (lambda _: None)
    hard = [place for place, clip in enumerate(clips) if needs_second_look(clip, results[place])]
    if not hard:
        return SecondLook(tuple(results), None)
    number = {frame.index: frame for frame in frames}
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

            seconds[place] = find_second_kind(where, wanted, features, mask, fan_out, found)
        both = folder / "all.db"
        write_both_kinds(database_path, _united(list(seconds.values())), both)
    again = reconstruct_clips(
        both,
        frames_dir,
        [clips[place] for place in hard],
        folder / "mapping",
        loosened(options),
        seed,
        lambda done: report(_MATCHING + (1.0 - _MATCHING) * done),
        fan_out,
    )
    chosen = list(results)
    better: dict[int, SecondKind] = {}
    floors = floors_of([number[index] for index in needed])
    harder = _HarderLook(database_path, frames_dir, folder, floors, number, options, seed)
    with quiet_colmap(), fixed_threads():
        widened = dict(zip(hard, _widen([results[place] for place in hard], both), strict=True))
        for place, second in zip(hard, again, strict=True):
            # Matches of both kinds are witnesses against either reconstruction.
            models = widened[place].sub_models
            first = _Look(results[place], "sift", find_sound_parts(models, both, TornOptions(), floors))
            learned = _Look(second, features.name, find_sound_parts(second.sub_models, both, TORN_LEARNED, floors))
            looks, told, told_path = [first, learned], seconds[place], both
            if not _is_sound(looks, clips[place]):
                more, told, told_path = harder(clips[place], seconds[place], looks)
                looks += more
            kept = choose_parts(sorted((part for look in looks for part in look.parts), key=_by_length))
            best = max(looks, key=lambda look: longest(look.parts))
            result = best.result
            if any(part.model not in models for part in kept):
                is_told = any(part in look.parts for look in looks if look.is_told for part in kept)
                better[place] = told if is_told else seconds[place]
                path = told_path if is_told else both
                result = replace(_assemble(result, kept, path, seed), sound_frames=longest(best.parts))
            other = longest((learned if best is first else first).parts)
            chosen[place] = _with_finding(result, best.name, other, longest(best.parts), len(clips[place].frames))
        if not better:
            return SecondLook(tuple(chosen), None)
        final = both
        if better != {place: seconds[place] for place in hard}:
            final = folder / "better.db"
            write_both_kinds(database_path, _united(list(better.values())), final)
        return SecondLook(tuple(_widen(chosen, final)), final)


@dataclass(frozen=True, eq=False)
class _Look:
    """One reconstruction of a clip."""

    result: ClipResult
    name: str
    """Of the keypoints it begins with."""
    parts: Sequence[SoundPart]
    is_told: bool = False
    """Whether it was mapped without the pairs that only look alike."""


def _is_sound(looks: Sequence[_Look], clip: Clip) -> bool:
    return any(longest(look.parts) >= SOUND_SHARE * len(clip.frames) for look in looks)


def _by_length(part: SoundPart) -> int:
    return -len(part.frames)


@dataclass(frozen=True, eq=False)
class _HarderLook:
    """What is done about a clip that neither kind of keypoints holds together."""

    database_path: Path
    frames_dir: Path
    folder: Path
    floors: Mapping[int, FloorMask]
    frames: Mapping[int, Frame]
    options: SfmOptions
    seed: int

    def __call__(self, clip: Clip, second: SecondKind, looks: Sequence[_Look]) -> tuple[list[_Look], SecondKind, Path]:
        """Further looks, the keypoints with the pairs they rest on, and the database of both kinds with those.

        The last of the `looks` is that of learned keypoints.
        """
        told, dropped = drop_look_alikes(self.database_path, second)
        path = self.folder / f"told_{clip.name}.db"
        write_both_kinds(self.database_path, told, path)
        held = self._hold(clip, looks[-1], looks, path, dropped)
        if not dropped or _is_sound([held], clip):
            return [held], told, path
        work = self.folder / f"told_{clip.name}"
        result = reconstruct_clip(path, self.frames_dir, clip, work, loosened(self.options), self.seed)
        parts = find_sound_parts(result.sub_models, path, TORN_LEARNED, self.floors)
        again = _Look(_tell_of_look_alikes(result, dropped), looks[-1].name, parts, is_told=True)
        held_again = self._hold(clip, again, [*looks, held, again], path)
        return [again, held_again, held], told, path  # of two as long the one without look-alikes

    def _hold(self, clip: Clip, look: _Look, others: Sequence[_Look], told_path: Path, dropped: int = 0) -> _Look:
        """The look once the floor holds the scale of its models, or of all of them in one row."""
        models = look.result.sub_models
        parts = [part for model in models for part in self._hold_model(model, told_path)]
        held = replace(look, parts=parts)
        if not _is_sound([held], clip) and (row := put_in_a_row(models, clip.frames, told_path)) is not None:
            whole = SubModel(f"{clip.name}/row", (clip.name,), row.model)
            in_row = self._hold_model(whole, told_path, row.seams)
            parts = max(parts, in_row, key=longest)
        was = max(longest(other.parts) for other in others)
        result = _tell_of_hold(look.result, longest(parts), was, len(clip.frames))
        return replace(look, result=_tell_of_look_alikes(result, dropped), parts=parts)

    def _hold_model(self, model: SubModel, told_path: Path, seams: Sequence[tuple[int, int]] = ()) -> list[SoundPart]:
        times_s = {frame: self.frames[frame].time_s for frame in model.frames}
        held = hold_by_floor(model.reconstruction, told_path, self.floors, times_s, seed=self.seed, seams=seams)
        if held is None:
            return []
        walk = replace(model, reconstruction=held, held_by_floor=True)
        return find_held_parts(walk, told_path, self.database_path, self.floors, times_s)


_MATCHING = 0.3
"""Share of the time that finding and matching keypoints takes."""


def _united(seconds: Sequence[SecondKind]) -> SecondKind:
    """Those of several clips as one; shared frames have the same keypoints in each."""
    keypoints = {frame: found for second in seconds for frame, found in second.keypoints.items()}
    return SecondKind(keypoints, {pair: match for second in seconds for pair, match in second.pairs.items()})


def _assemble(result: ClipResult, parts: Sequence[SoundPart], database_path: Path, seed: int) -> ClipResult:
    """The result with these parts for its models, and a finding where any was cut out of a larger model."""
    subs = tuple(
        SubModel(f"{result.clip}/{place}", (result.clip,), part.cut_out(database_path, seed), part.model.held_by_floor)
        for place, part in enumerate(sorted(parts, key=lambda part: (-len(part.frames), part.frames)))
    )
    if all(part.frames == part.model.frames for part in parts):
        return replace(result, sub_models=subs)
    named = ", ".join(f"{part.frames[0]}-{part.frames[-1]}" for part in parts) or "none"
    message = f"cut where it contradicts its matches or its scale does not hold; sound are frames {named}"
    finding = Finding("warning", "sfm.scale_lost", f"clip {result.clip}", message)
    return replace(result, sub_models=subs, findings=(*result.findings, finding))


def _tell_of_hold(result: ClipResult, own: int, other: int, total: int) -> ClipResult:
    """The result with what the floor did for it."""
    message = (
        f"the pictures do not hold the scale everywhere (longest sound stretch {other} of {total} frames); it was held "
        f"by the camera's height above the floor and the pace of the walk, and {own} frames are sound now"
    )
    finding = Finding("info", "sfm.held_by_floor", f"clip {result.clip}", message)
    return replace(result, findings=(*result.findings, finding))


def _tell_of_look_alikes(result: ClipResult, pairs: int) -> ClipResult:
    """The result with the pairs that were left out."""
    if not pairs:
        return result
    message = (
        f"{pairs} pairs of frames were left out whose learned keypoints only look alike: the frames between tell "
        "another turn"
    )
    finding = Finding("info", "sfm.look_alikes", f"clip {result.clip}", message)
    return replace(result, findings=(*result.findings, finding))


def _with_finding(result: ClipResult, kept: str, other: int, own: int, total: int) -> ClipResult:
    """The result with why it was kept."""
    was = "learned keypoints" if kept == "sift" else "SIFT"
    name = "SIFT" if kept == "sift" else "learned keypoints"
    message = (
        "the clip came out short or in pieces and was mapped again with learned keypoints; the reconstruction of "
        f"{name} was kept: its longest sound stretch has {own} of {total} frames, that of {was} {other}"
    )
    finding = Finding("info", "sfm.second_look", f"clip {result.clip}", message)
    return replace(result, findings=(*result.findings, finding))


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
