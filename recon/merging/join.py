"""Join linked sub-models: place them by one solve, fuse, refine, and take back the links that the model contradicts."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations
from pathlib import Path
from time import perf_counter

import pycolmap

from recon.adjust.refine import refine
from recon.audit.contradictions import ContradictionOptions, check_pairs
from recon.audit.scale_hold import find_weak_scale
from recon.audit.verdict import Verdict
from recon.colmap.database import open_database
from recon.colmap.fuse import fuse, read_pairs_across
from recon.geometry import Sim3
from recon.merging.links import Link, find_links, measure_step, solve
from recon.merging.regrow import MergeJob, grow
from recon.records import MergeAttempt, SubModel


@dataclass(eq=False)
class Joiner:
    """Joins sub-models, and remembers what was tried."""

    job: MergeJob
    use_matches: bool
    attempts: list[MergeAttempt] = field(default_factory=list)  # in the order tried
    _links: dict[frozenset[SubModel], list[Link]] = field(default_factory=dict)
    """Of every pair of those that there are now."""

    def join_all(self, sub_models: Sequence[SubModel], lost: Collection[int], tour: Collection[int]) -> list[SubModel]:
        """Join what hangs together; models may pick up lost frames, and frames of the tour between their own."""
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
        return grow(model, self.job.database_path, frames, self.job.bars, self.job.seed) if near else model


_JOIN = "join/"
_GROWTH_REACH = 20  # frames: further from a model than its matches reach, it picks nothing up


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
class LinkCheck:
    """What a model that was made over a link says of it."""

    contradicting: int | None = None
    """Verified pairs across the link that contradict the model; None where nothing was asked."""
    asked: int | None = None
    fault: str = ""  # why the link is not borne out; empty if it is


def _adjust_and_check(
    model: pycolmap.Reconstruction, parts: Iterable[SubModel], links: Sequence[Link], job: MergeJob
) -> dict[Link, LinkCheck]:
    """Refine a fused model in place, and ask it about its links; poses of the user are neither moved nor doubted."""
    if job.database_path is None:
        return dict.fromkeys(links, LinkCheck())
    hold = job.bars.hold
    # Where the scale of a part was open by itself, no link is at fault.
    known = {place.frames for part in parts for place in find_weak_scale(part.reconstruction, hold)}
    checks: dict[Link, LinkCheck] = {}
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
) -> LinkCheck:
    sides = set(link.first.frames), set(link.second.frames)
    with open_database(database_path) as database:
        across = [(a, b) for a, b, _ in read_pairs_across(database, *sides)]
    within = across[:: max(1, len(across) // _MOST_ASKED)]
    checks = check_pairs(model, database_path, job.bars.check, within=within)
    against, asked = sum(check.contradicts for check in checks), len(checks)
    fault = _find_fault(against, asked)
    for place in weak:
        if any(place.first in one and place.last in other for one, other in (sides, sides[::-1])):
            fault = f"nothing holds the scale of the joined model at frames {place.first}-{place.last}"
    return LinkCheck(against, asked, fault)


def _find_fault(against: int, asked: int) -> str:
    """Why the matches across a link speak against it; empty if they do not."""
    if against < ContradictionOptions().min_pairs or against <= _MOST_AGAINST * asked:
        return ""
    return f"{against} of {asked} matched pairs across the join contradict the joined model"


_MOST_AGAINST = 0.2
"""Share of the verified pairs across a link that may contradict the joined model: sound ones at most 0.05, one at a
scale wrong by half 0.49."""
_MOST_ASKED = 200
"""Pairs across a link, spread evenly: a share of 200 is good to 0.035, and each pair costs milliseconds."""


def _find_enclosed(model: SubModel, others: Sequence[SubModel], tour: Collection[int]) -> set[int]:
    """Frames of the tour between the first and the last of the model that no model of its size or larger has.

    They have no pose, or one in a model that could not be joined with it: where the camera turns on the spot, a clip
    that begins there has a few frames whose scale nothing in the clip tells.
    """
    larger = (other.frames for other in others if len(other.frames) >= len(model.frames))
    return {frame for frame in tour if model.frames[0] < frame < model.frames[-1]}.difference(*larger)
