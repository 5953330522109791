"""Where a model contradicts the matches it was made from, although its reprojection error is small.

A wrong stretch of a model fits its own tracks: observations that do not fit were left out on the way. The verified
matches of the database remember them. A pair of frames contradicts the model if another relative pose explains its
matches much better; where most pairs across a place do, and more than chance explains, the model is wrong there. On an
office walk cut in three, the wrong stretches had 56 to 100 % of 6 to 68 pairs against them, sound ones 3 of 5 or 5 of 8
where a flat wall with few matches lets two poses fit, and usually none; all at a reprojection error of 0.54 to 0.83 px.

The share of matches that lie on their epipolar lines, step by step, asks every pair, planes and turns on the spot too,
and unlike tears (`torn`) needs no points, which have no depth where the camera only turns. On a phone tour at least
62 % agreed at each step where the walk was right, past bare walls too, 1 to 25 % where it was wrong; under the sensor's
poses of an office walk at least 79 %.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np
import pycolmap
from numpy.typing import NDArray
from scipy.special import bdtrc

from recon.audit.epipolar import MatchedRays, apart_deg, best_pose, fit_of, least_cost
from recon.audit.verdict import Verdict, count_across
from recon.colmap.database import list_verified_pairs, open_database
from recon.colmap.observations import read_cams_from_world
from recon.geometry import Array, Camera, Pose
from recon.ranges import AtLeastOne, HalfTurn, NotNegative, Share


@dataclass(frozen=True, kw_only=True)
class ContradictionOptions:
    """When a pair of frames speaks against a model, and when a place of the model is not trusted."""

    gaps: tuple[AtLeastOne, ...] = (2, 4, 8)
    """Frames between the two of a pair. All of them cost twice as much and add nothing; 1 sees too little parallax."""
    min_matches: AtLeastOne = 40  # pairs with fewer verified matches are not evidence either way
    content_cost: Share = 0.3
    """Mean Cauchy cost (1 px) up to which a pair agrees with the model; most are, which saves most of the CPU."""
    min_gain: NotNegative = 0.15
    """By how much its own pose must lower that cost before a pair contradicts. Sound models: 0.01, 95 % below 0.2."""
    min_total_gain: NotNegative = 20.0
    """The same summed over its matches: a log-likelihood ratio that noise does not reach."""
    min_turn_deg: HalfTurn = 2.0
    """The pair's own rotation must differ by this, or its direction of motion by `min_swing_deg`."""
    min_swing_deg: HalfTurn = 20.0  # directions of motion are worth about 5 deg between neighbouring frames
    min_parallax_deg: HalfTurn = 0.7  # below it a pair's own direction of motion is noise
    max_explained: Share = 1.0
    """A pair does not contradict a model that explains more of its matches than this, to within `EXPLAINED_PX`, however
    much better its own pose does."""
    ambiguous_share: Share = 0.25
    """Share of a pair's verified matches that its own best pose leaves unexplained. The matches agreed on the epipolar
    lines, so only points behind a camera or a wrong focal length leave that many."""
    min_pairs: AtLeastOne = 3  # contradicting pairs that a place needs before it is not trusted
    max_share: Share = 0.5  # share of contradicting pairs up to which a place is trusted
    chance_share: Share = 0.4
    """Share of contradicting pairs that a sound place may have by itself where matches are few and on one wall."""
    max_chance: Share = 0.07
    """A run of such places is doubtful if a sound place would have that many contradicting pairs this rarely: 3 of 3, 6
    of 7 or 8 of 11 are too many, 3 of 5 and 5 of 8 are not (both were seen where a model was right to 4 cm)."""


EXPLAINED_PX = 4.5  # three times what verification allows learned keypoints
CHECK_LEARNED = ContradictionOptions(max_explained=0.5)
"""For matches of learned keypoints. No ratio test chose them, their own epipolar line did: under the sensor's poses of
an office walk they lay 0.5 to 2.6 px off their lines (median of a pair), under their own 0.3 to 0.9, and 12 of 34 pairs
contradicted the truth. But wherever there were 60 or more, the truth explained 79 % of them at least."""


@dataclass(frozen=True)
class PairCheck:
    """The verdict of one pair of frames on a model."""

    first: int
    second: int
    matches: int
    model_cost: float  # mean robust cost of its matches under the model's poses
    own_cost: float
    """Under the pair's own best pose; equal to `model_cost` where that is low or no pose could be much better."""
    contradicts: bool
    ambiguous: bool  # Not even its own best pose explains its matches: they mix two motions, as look-alikes do


def check_pairs(
    model: pycolmap.Reconstruction,
    database_path: Path,
    options: ContradictionOptions = ContradictionOptions(),
    within: Collection[tuple[int, int]] | None = None,
) -> list[PairCheck]:
    """Ask the verified pairs of neighbouring frames, or those `within` at any gap, whether they agree with a model.

    Returns:
        Sorted by first and second frame. Planes, turns on the spot and pairs with few matches are left out.
    """
    poses = read_cams_from_world(model)
    wanted = (
        {(a, a + gap) for a in poses for gap in options.gaps if a + gap in poses}
        if within is None
        else {(a, b) for a, b in within if a in poses and b in poses}
    )
    if not wanted:
        return []
    camera = Camera.from_colmap(model.camera(model.image(min(poses)).camera_id))
    return [
        _check(pair, poses[pair.second] @ poses[pair.first].inverse(), options)
        for pair in read_verified_pairs(database_path, camera, wanted, options.min_matches)
    ]


def read_verified_pairs(
    database_path: Path, camera: Camera, wanted: Collection[tuple[int, int]], min_matches: int
) -> Iterator[MatchedRays]:
    """The database's verified pairs among `wanted` that show depth, sorted, their matches as rays of `camera`."""
    to_pixels = np.array([[camera.fx, 0.0, camera.cx], [0.0, camera.fy, camera.cy], [0.0, 0.0, 1.0]])
    showing_depth = int(pycolmap.TwoViewGeometryConfiguration.UNCALIBRATED)
    with open_database(database_path) as database:

        @lru_cache
        def rays_of(frame: int) -> Array:
            return camera.rays(np.asarray(database.read_keypoints(frame))[:, :2])

        for first, second in sorted(wanted):
            if not database.exists_two_view_geometry(first, second):
                continue
            geometry = database.read_two_view_geometry(first, second)
            matches = geometry.inlier_matches
            if int(geometry.config) != showing_depth or len(matches) < min_matches or geometry.F is None:
                continue
            yield MatchedRays(
                first=first,
                second=second,
                rays_first=rays_of(first)[matches[:, 0]],
                rays_second=rays_of(second)[matches[:, 1]],
                essential=to_pixels.T @ geometry.F @ to_pixels,
                focal_px=camera.fx,
            )


def _check(pair: MatchedRays, second_from_first: Pose, options: ContradictionOptions) -> PairCheck:
    by_model = fit_of(second_from_first, pair)
    cost, matches = by_model.cost, len(pair.rays_first)
    needed_gain = max(options.min_gain, options.min_total_gain / matches)
    if (
        cost < options.content_cost
        or by_model.parallax_deg < options.min_parallax_deg
        # No pose can gain enough: saves more than half of the searches for one on a sound model.
        or (cost - least_cost(pair) < needed_gain and by_model.unexplained <= options.ambiguous_share)
        or by_model.explained(EXPLAINED_PX) > max(options.max_explained, 1.0 - options.ambiguous_share)
    ):
        return PairCheck(pair.first, pair.second, matches, cost, cost, contradicts=False, ambiguous=False)
    own = best_pose(pair, second_from_first)
    by_own = fit_of(own, pair)
    turned_deg, swung_deg = apart_deg(own, second_from_first)
    elsewhere = turned_deg > options.min_turn_deg or swung_deg > options.min_swing_deg
    return PairCheck(
        first=pair.first,
        second=pair.second,
        matches=matches,
        model_cost=cost,
        own_cost=by_own.cost,
        contradicts=elsewhere
        and cost - by_own.cost > needed_gain
        and by_model.explained(EXPLAINED_PX) <= options.max_explained,
        ambiguous=by_own.unexplained > options.ambiguous_share,
    )


def judge_motions(checks: Sequence[PairCheck]) -> Verdict:
    """Whether few enough pairs mix two motions; else the world is one of look-alikes."""
    ambiguous = sum(check.ambiguous for check in checks)
    share, bar = ambiguous / max(1, len(checks)), max(_AMBIGUOUS_SHARE, _LEAST_AMBIGUOUS / max(1, len(checks)))
    ends = min((check.first for check in checks), default=0), max((check.second for check in checks), default=0)
    words = f"in {ambiguous} of {len(checks)} neighboring pairs of frames the matches contradict each other"
    is_many = ambiguous >= max(_LEAST_AMBIGUOUS, _AMBIGUOUS_SHARE * len(checks))
    return Verdict(not is_many, "look-alikes", share, bar, ends, words)


_AMBIGUOUS_SHARE = 0.1
"""Of the asked pairs: three times what a tour of plain rooms reaches, a quarter of the tiled corridor."""
_LEAST_AMBIGUOUS = 10  # ambiguous pairs: a tenth of few pairs is one or two, which chance gives. Set by hand.


def doubtful_stretches(
    frames: Sequence[int], checks: Sequence[PairCheck], options: ContradictionOptions = ContradictionOptions()
) -> list[Verdict]:
    """Where most pairs across contradict a model, and more than chance explains, in time order."""
    order = np.asarray(frames)
    begin, end = np.searchsorted(order, np.array([(check.first, check.second) for check in checks]).reshape(-1, 2)).T
    asked = count_across(len(order), begin, end)
    against = count_across(len(order), begin, end, [check.contradicts for check in checks])
    share = against / np.maximum(asked, 1)
    doubtful = (share > options.max_share) & (against >= options.min_pairs)

    def judge(run: NDArray[np.int64]) -> Verdict | None:
        """The steps as one place, if more pairs across any of them contradict than chance explains."""
        first, last = int(order[run[0]]), int(order[run[-1] + 1])
        across = [check for check in checks if check.second > first and check.first < last]
        contradicting = sum(check.contradicts for check in across)
        if bdtrc(contradicting - 1, len(across), options.chance_share) >= options.max_chance:
            return None
        reason = f"{contradicting} of {len(across)} pairs contradict it"
        share = contradicting / len(across)
        return Verdict(False, "contradicted", share, options.max_share, (first, last), reason)

    look_alike = not judge_motions(checks).ok  # no pair of such a world is good enough a witness of a single step
    stretches: list[Verdict] = []
    for run in np.split(np.flatnonzero(doubtful), np.flatnonzero(np.diff(np.flatnonzero(doubtful)) > 1) + 1):
        # Pairs that only touch the rim of a run have little to say on what lies inside it. On an office walk 6 of 7
        # contradicted a step from which a model was bent by 10 deg, and 10 of 20 the run of steps beside it.
        whole = judge(run) if len(run) else None
        steps = [whole] if whole is not None or look_alike else [judge(run[k : k + 1]) for k in range(len(run))]
        stretches += [step for step in steps if step is not None]
    return stretches


_REACH_FRAMES = 4  # frames between the two of a pair: further ones blur where a fault is
MIN_EXPLAINED = 0.5  # of the matches across a step. Less than half is another walk than that of the model.


def measure_explained_shares(model: pycolmap.Reconstruction, database_path: Path) -> Array:
    """(F - 1,) Share of the verified matches across each step that agree with the model; nan for too few."""
    frames = sorted(model.reg_image_ids())
    row = {frame: place for place, frame in enumerate(frames)}
    poses = read_cams_from_world(model)
    camera = Camera.from_colmap(model.camera(model.image(frames[0]).camera_id))
    counted: list[tuple[int, int, int, int]] = []
    with open_database(database_path) as database:
        rays = {frame: camera.rays(np.asarray(database.read_keypoints(frame), np.float64)[:, :2]) for frame in frames}
        for first, second, _ in list_verified_pairs(database, row, _REACH_FRAMES):
            matches = database.read_two_view_geometry(first, second).inlier_matches
            one, other = rays[first][matches[:, 0]], rays[second][matches[:, 1]]
            pair = MatchedRays(first, second, one, other, np.zeros((3, 3)), camera.fx)
            fit = fit_of(poses[second] @ poses[first].inverse(), pair)
            agree = int(((fit.error_px < EXPLAINED_PX) & ~fit.behind).sum())
            counted.append((row[first], row[second], agree, len(matches)))
    begin, end, agree, of = np.array(counted, np.int64).reshape(-1, 4).T
    agreeing, asked = count_across(len(frames), begin, end, agree), count_across(len(frames), begin, end, of)
    return np.where(asked < ContradictionOptions.min_matches, np.nan, agreeing / np.maximum(asked, 1))


def find_unexplained(
    model: pycolmap.Reconstruction, database_path: Path, min_share: float = MIN_EXPLAINED
) -> list[Verdict]:
    """Steps across which less than `min_share` of the matches agree with the model, in time order."""
    frames = sorted(model.reg_image_ids())
    shares = measure_explained_shares(model, database_path)
    return [
        Verdict(
            False,
            "unexplained",
            1.0 - float(shares[place]),
            1.0 - min_share,
            (frames[place], frames[place + 1]),
            f"only {shares[place]:.0%} of the matches across agree",
        )
        for place in np.flatnonzero(shares < min_share)
    ]
