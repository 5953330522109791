"""Which reconstruction of a clip is kept: by SIFT, by learned keypoints, or with its scale held by the floor.

Each is judged by its longest stretch that nothing speaks against (`sound_parts`), and sound parts of the others are
taken where they lie beyond it.

How exact a path on learned keypoints is, is told by how far other random numbers put it elsewhere; nothing in one such
reconstruction tells. Of ten made walks by three seeds, bare, dark, grainy and blurred ones were 1 to 7 % of their path
off, some without a word; two draws of these mostly differed by as much, of textured ones by hundredths of a per cent.
What all draws have in common is not seen so: two of a grainy room were 1.5 and 1.2 % off and differed by 0.5. Where no
other draw holds the walk, its own covariance tells the worst ones (`upright.checks`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import pycolmap

from recon.audit.torn import TORN_LEARNED
from recon.audit.verdict import LEAST_FRAMES
from recon.colmap.fuse import fuse, subset
from recon.colmap.observations import read_pose
from recon.evaluate import pose_error
from recon.findings import Finding
from recon.floor.hold import LEAST_SOUND_FRAMES, hold_by_floor
from recon.floor_masks import FloorMask
from recon.geometry import Sim3, path_length
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
            message = (
                "the pictures do not determine the scale everywhere: the longest consistent stretch has "
                f"{max(before, after)} of {total} frames, and {longest(held)} with camera height above the floor and "
                "walking pace as constraints"
            )
            result = second.with_finding(Finding("info", "sfm.held_by_floor", f"clip {second.clip}", message))
            is_first, own, other = False, longest(held), before
        rests_on_learned = any(part.model not in clip.wide for part in kept)
        if rests_on_learned:
            result = replace(_assemble(result, kept, self.both_path, self.seed), sound_frames=max(own, other))
            held = [part for part in kept if part.model.held_by_floor]
            result = _add_doubtful_step_finding(result, held, self.both_path)
        name, was = ("SIFT", "learned keypoints") if is_first else ("learned keypoints", "SIFT")
        message = (
            "SIFT left the clip incomplete or inconsistent, so it was mapped again with learned keypoints; the model "
            f"of {name} was kept: its longest consistent stretch has {own} of {total} frames, that of {was} {other}"
        )
        if clip.look_alikes:
            message += (
                f". {clip.look_alikes} pairs of frames were rejected as look-alikes: the rotation that their learned "
                "keypoints give contradicts that of the frames between or beside them"
            )
        result = result.with_finding(Finding("info", "sfm.second_look", f"clip {result.clip}", message))
        # Where no stretch is long enough to be kept by itself, the models of the sounder one are taken as they are.
        return result, rests_on_learned or not (kept or is_first)

    def hold(self, models: Sequence[SubModel], sound: Sequence[SoundPart]) -> list[SoundPart]:
        """The sound stretches of the models, as one walk, once the floor holds their scale.

        It starts from what is `sound` before, the better first, and the models around it. A sound stretch may yet be
        bent, and what the walk is started from it seldom leaves, so one that does not come out whole is started from
        the models alone too.
        """
        chosen = [subset(part.model.reconstruction, part.frames) for part in sound if len(part.frames) >= LEAST_FRAMES]
        known = [part for part in chosen if part.num_reg_images() >= LEAST_SOUND_FRAMES]
        own = [model.reconstruction for model in models]
        best: list[SoundPart] = []
        for beginning in ([*chosen, *own], own) if chosen else (own,):
            if not beginning:
                continue
            start = concatenate_submaps(beginning)
            times_s = {frame: self.frames[frame].time_s for frame in start.model.reg_image_ids()}
            held = hold_by_floor(start.model, self.both_path, self.floors, times_s, known, self.seed, start.seams)
            if held is None:
                continue
            first = models[0] if models else sound[0].model
            walk = replace(first, reconstruction=held, held_by_floor=True)
            best = max(best, find_held_parts(walk, self.both_path, self.first_path, self.floors, times_s), key=longest)
            if longest(best) == len(times_s):
                break
        return best


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


_STANDING = 1e-6
"""Length of a path, in the unit of its model, up to which no similarity is told by it: its camera only turned."""
_WRONG = 0.03
"""Of its path, by which draws of a walk differ that is not to be trusted. Of any two of the walks above that differed
by more the worse was 2.6 to 6.8 % off; any two that were both less than 1 % off differed by at most 1.3 %."""
_WRONG_OF_TOUR = 0.01
"""Difference times the clip's share of the tour, from which that is an error: as much of the whole path is wrong."""


def measure_difference(kept: ClipResult, others: Sequence[ClipResult]) -> float | None:
    """Root mean square distance of camera centres between the largest model that is kept and those of other draws.

    Returns:
        The largest, over the length of the path, after the best similarity; None where no other model holds half of it.
    """
    largest = max(kept.sub_models, key=lambda model: len(model.frames))
    differences: list[float] = []
    for model in (model for other in others for model in other.sub_models):
        common = sorted(set(largest.frames) & set(model.frames))
        is_itself = model.reconstruction is largest.reconstruction  # a part by SIFT that both draws took
        if is_itself or len(common) < max(LEAST_FRAMES, len(largest.frames) / 2):
            continue
        here, there = ({n: read_pose(side.reconstruction, n) for n in common} for side in (largest, model))
        lengths = [path_length([poses[frame].center for frame in common]) for poses in (here, there)]
        if min(lengths) > _STANDING:
            differences.append(pose_error(there, here).rmse / lengths[0])
    return max(differences, default=None)


def add_exactness_finding(result: ClipResult, difference: float | None, share: float) -> ClipResult:
    """The result of a clip, which rests on learned keypoints, with what is known of how exact it is.

    `share` is how many of the tour's frames are the clip's: one dark corridor does not spoil a long tour.
    """
    is_held = any(model.held_by_floor for model in result.sub_models)
    off = 0.0 if difference is None else difference
    rests = f"the model rests on learned keypoints{' and on the camera height above the floor' if is_held else ''}"
    if difference is None:
        message = (
            f"the accuracy of the path is unknown: {rests}, and no second run covers half of it; such paths were off "
            "by 0.1 to 7 % of their length on walks with known poses"
        )
    else:
        differ = f"reconstructions with different random seeds differ by {difference:.1%} of the path length"
        message = f"{differ}: {rests}" if off > _WRONG else f"{rests}: {differ}"
    message += (
        "; do not rely on its lengths or its shape, and film with more light, slower, and past things with texture"
        if off > _WRONG
        else "; rely on the order of the rooms, less on lengths"
    )
    severity = "error" if off > _WRONG and off * share > _WRONG_OF_TOUR else "warning"
    return result.with_finding(Finding(severity, "sfm.less_exact", f"clip {result.clip}", message))
