"""Which reconstruction of a clip is kept: by SIFT, by learned keypoints, or with its scale held by the floor.

Each is judged by its longest stretch that nothing speaks against (`sound_parts`), and sound parts of the others are
taken where they lie beyond it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import pycolmap

from recon.audit.torn import TORN_LEARNED
from recon.audit.verdict import LEAST_FRAMES
from recon.colmap.fuse import fuse
from recon.colmap.subset import subset
from recon.findings import Finding
from recon.floor import sound_steps
from recon.floor.hold import hold_by_floor
from recon.floor_masks import FloorMask
from recon.geometry import Sim3
from recon.mapping.sfm import ClipResult
from recon.mapping.sound_parts import (
    SoundPart,
    choose_parts,
    find_doubtful_steps,
    find_held_parts,
    find_sound_parts,
    longest,
)
from recon.records import Frame, SubModel

HELD_BELOW = 0.85
"""Of a clip's frames: with as many in one sound stretch the floor need not hold the walk. On made walks with known
poses a held one was 0.6 to 2.3 % of its path off where a sound stretch of it was 0.1 to 0.5: a few frames more are not
worth that."""


def needs_hold(sound: int, total: int) -> bool:
    """Whether a clip of `total` frames, `sound` of them in one stretch, is to be held by the floor."""
    return sound < HELD_BELOW * total


@dataclass(frozen=True, eq=False)
class SiftCandidate:
    """A clip that SIFT alone left short, torn, in pieces or contradicted."""

    first: ClipResult  # by SIFT alone
    wide: tuple[SubModel, ...]  # its models with the keypoints of both kinds
    parts: list[SoundPart]  # of these, by the matches of both kinds
    look_alikes: int  # pairs of its learned keypoints that were left out because they only look alike
    total: int  # frames


@dataclass(frozen=True, eq=False)
class Judge:
    """What the reconstructions of a tour's clips are judged by."""

    first_path: Path  # database with the keypoints of SIFT alone
    both_path: Path  # with those of both kinds
    floors: Mapping[int, FloorMask]
    frames: Mapping[int, Frame]
    seed: int

    def choose(self, clip: SiftCandidate, second: ClipResult) -> tuple[ClipResult, bool]:
        """The sounder reconstruction of a clip, held by the floor where neither is sound for long.

        Returns:
            The result, with findings that say why, and whether any of it rests on learned keypoints.
        """
        first, parts, total = clip.first, clip.parts, clip.total
        learned = find_sound_parts(second.sub_models, self.both_path, TORN_LEARNED, self.floors)
        before, after = longest(parts), longest(learned)
        held: list[SoundPart] = []
        if needs_hold(max(before, after), total):
            sound = sorted([*parts, *learned], key=lambda part: -len(part.frames))
            held = self.hold(second.sub_models, sound)
        kept = choose_parts(sorted([*parts, *learned, *held], key=lambda part: -len(part.frames)))
        is_first = after <= before
        result, own, other = (first, before, after) if is_first else (second, after, before)
        if longest(held) > max(before, after):
            result = _add_hold_finding(second, longest(held), max(before, after), total)
            is_first, own, other = False, longest(held), before
        rests_on_learned = any(part.model not in clip.wide for part in kept)
        if rests_on_learned:
            result = replace(_assemble(result, kept, self.both_path, self.seed), sound_frames=max(own, other))
            result = _add_doubtful_step_finding(
                result, [part for part in kept if part.model.held_by_floor], self.both_path
            )
        # Where no stretch is long enough to be kept by itself, the models of the sounder one are taken as they are.
        return _add_choice_finding(result, is_first, other, own, clip), rests_on_learned or not (kept or is_first)

    def hold(self, models: Sequence[SubModel], sound: Sequence[SoundPart]) -> list[SoundPart]:
        """The sound stretches of the models, as one walk, once the floor holds their scale.

        It starts from what is `sound` before, the better first, and the models around it. A sound stretch may yet be
        bent, and what the walk is started from it seldom leaves, so one that does not come out whole is started from
        the models alone too.
        """
        chosen = [subset(part.model.reconstruction, part.frames) for part in sound if len(part.frames) >= LEAST_FRAMES]
        known = [part for part in chosen if part.num_reg_images() >= sound_steps.LEAST_FRAMES]
        own = [model.reconstruction for model in models]
        best: list[SoundPart] = []
        for beginning in ([*chosen, *own], own) if chosen else (own,):
            if not beginning:
                continue
            start = concatenate_submaps(beginning)
            times_s = self._read_times(start.model.reg_image_ids())
            held = hold_by_floor(start.model, self.both_path, self.floors, times_s, known, self.seed, start.seams)
            if held is None:
                continue
            first = models[0] if models else sound[0].model
            walk = replace(first, reconstruction=held, held_by_floor=True)
            best = max(best, find_held_parts(walk, self.both_path, self.first_path, self.floors, times_s), key=longest)
            if longest(best) == len(times_s):
                break
        return best

    def _read_times(self, frames: Iterable[int]) -> dict[int, float]:
        return {frame: self.frames[frame].time_s for frame in frames}


def _assemble(result: ClipResult, parts: Sequence[SoundPart], database_path: Path, seed: int) -> ClipResult:
    """The result with these parts for its models, and a finding where any was cut out of a larger model."""
    subs = tuple(
        SubModel(f"{result.clip}/{place}", (result.clip,), part.cut_out(database_path, seed), part.model.held_by_floor)
        for place, part in enumerate(sorted(parts, key=lambda part: (-len(part.frames), part.frames)))
    )
    if all(part.frames == part.model.frames for part in parts):
        return replace(result, sub_models=subs)
    named = ", ".join(f"{part.frames[0]}-{part.frames[-1]}" for part in parts) or "none"
    message = (
        f"the model was cut where its matches contradict it or its scale is lost, and frames {named} are left; film "
        "the places between them again, slowly and with more light"
    )
    return replace(result, sub_models=subs).with_finding(
        Finding("warning", "sfm.scale_lost", f"clip {result.clip}", message)
    )


def _add_hold_finding(result: ClipResult, own: int, other: int, total: int) -> ClipResult:
    """The result with what the floor did for it."""
    message = (
        f"the pictures do not determine the scale everywhere: the longest consistent stretch has {other} of {total} "
        f"frames, and {own} with camera height above the floor and walking pace as constraints"
    )
    return result.with_finding(Finding("info", "sfm.held_by_floor", f"clip {result.clip}", message))


def _add_doubtful_step_finding(result: ClipResult, held: Sequence[SoundPart], database_path: Path) -> ClipResult:
    """The result with the steps of parts that the floor holds which few matches agree with."""
    doubts = [doubt for part in held for doubt in find_doubtful_steps(part, database_path)]
    if not doubts:
        return result
    steps = ", ".join(f"{doubt.first}-{doubt.last} ({1 - doubt.value:.0%})" for doubt in doubts)
    message = (
        f"at most half of the matches agree with the path at frames {steps}: the rotation of the camera there is a "
        "guess; film such a place again, slowly and with more light"
    )
    return result.with_finding(Finding("warning", "sfm.step_doubtful", f"clip {result.clip}", message))


def _add_choice_finding(result: ClipResult, is_first: bool, other: int, own: int, clip: SiftCandidate) -> ClipResult:
    """The result with why it was kept: the one by SIFT alone if it is the first."""
    name, was = ("SIFT", "learned keypoints") if is_first else ("learned keypoints", "SIFT")
    message = (
        "SIFT left the clip incomplete or inconsistent, so it was mapped again with learned keypoints; the model of "
        f"{name} was kept: its longest consistent stretch has {own} of {clip.total} frames, that of {was} {other}"
    )
    if clip.look_alikes:
        message += (
            f". {clip.look_alikes} pairs of frames were rejected as look-alikes: the rotation that their learned "
            "keypoints give contradicts that of the frames between or beside them"
        )
    return result.with_finding(Finding("info", "sfm.second_look", f"clip {result.clip}", message))


@dataclass(frozen=True, eq=False)
class CompositeSubmap:
    """A model whose frames come from several, one start for a walk; nothing has brought them together yet."""

    model: pycolmap.Reconstruction  # with the camera of the first of them
    seams: tuple[tuple[int, int], ...]
    """Neighbouring frames (before, after) of two models: between them neither pose nor scale means anything."""


def concatenate_submaps(models: Sequence[pycolmap.Reconstruction]) -> CompositeSubmap:
    """All frames of some models, each as the first that has it sees it, and the points that at least two of them keep.

    All are of the same keypoints and one camera, the better first.
    """
    source = {frame: 0 for frame in models[0].reg_image_ids()}
    whole = models[0]
    for number, model in enumerate(models[1:], 1):
        new = sorted(set(model.reg_image_ids()) - source.keys())
        if new:
            whole = fuse(whole, subset(model, new), Sim3(1.0, np.eye(3), np.zeros(3)))
            source |= dict.fromkeys(new, number)
    neighbours = pairwise(sorted(source))
    return CompositeSubmap(
        whole, tuple((before, after) for before, after in neighbours if source[before] != source[after])
    )
