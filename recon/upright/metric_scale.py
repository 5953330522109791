"""Metres per unit of a free-scale model: from depth, a stated camera height, or everything whose size is roughly known.

A kind of evidence (the camera's height, heights of doors, of tables, ...) says how large such a thing is in the model
and how large such things are. Its likelihood over the logarithm of the scale is a mixture: a few normal sizes of the
kind (a coffee table, a dining table), and a broad rest for a wrong name or an odd thing, so nothing that stands alone
can pull the scale. Things of one kind share their make, so many of them count as two at most (`_SAME_MAKE`). Kinds are
independent of each other and their likelihoods are multiplied on a grid: the result is the posterior's mean and spread.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike, NDArray

from recon.colmap.observations import read_pose, tracks_from_colmap, well_triangulated
from recon.errors import ReconError
from recon.geometry import Array, sample_depth
from recon.records import ExpectedSize, Scale, ScaleWitness, SizeWitness, SubModel

_PAIRS_PER_FRAME = 200
"""So many tracks count per frame; frames full of texture would otherwise outvote the others."""

DepthOf = Callable[[int], NDArray[np.float32] | None]
"""Metric depth (h, w) of a frame at every n-th pixel, or None."""
_LEAST_DEPTHS = 20  # pairs whose median tells the scale; of fewer it is chance. Set by hand.


def scale_from_camera_height(camera_height: float, camera_height_m: float, sigma: float) -> Scale:
    """Scale from the prior that the cameras were carried at `camera_height_m`.

    Raises:
        ReconError: If a height is not positive.
    """
    if not (camera_height > 0 and camera_height_m > 0):
        raise ReconError(
            f"scale: camera height is {camera_height:g} units, {camera_height_m:g} m; both must be positive"
        )
    source = f"camera height {camera_height_m:g} m above the floor (prior)"
    return Scale("assumed", camera_height_m / camera_height, sigma, source)


def no_scale(reason: str) -> Scale:
    """A model that keeps its own unit. Its factor is 1 and its sigma 1: nothing is known."""
    return Scale("relative", 1.0, 1.0, reason)


def scale_from_depth(track_depths: ArrayLike, metric_depths: ArrayLike, source: str = "metric depth model") -> Scale:
    """Scale from pairs of depths of the same image points.

    The factor is the median ratio, so that up to half of the pairs may be wrong. Sigma is the robust spread of the
    ratios (1.4826 MAD of their logarithms), not divided by the root of their number: errors of a depth model are shared
    by neighbouring pixels and frames.

    Args:
        track_depths: (N,) depths along the optical axis in units of the model.
        metric_depths: (N,) depths of the same points in metres. Pairs that are not positive and finite are left out.
        source: What measured the metres.

    Raises:
        ReconError: For different lengths or fewer than 20 usable pairs.
    """
    tracks, metres = np.asarray(track_depths, dtype=np.float64), np.asarray(metric_depths, dtype=np.float64)
    if tracks.shape != metres.shape or tracks.ndim != 1:
        raise ReconError(f"scale: {tracks.shape} track depths but {metres.shape} metric depths")
    usable = np.isfinite(tracks) & np.isfinite(metres) & (tracks > 0) & (metres > 0)
    if usable.sum() < _LEAST_DEPTHS:
        raise ReconError(
            f"scale: {int(usable.sum())} of {len(tracks)} depth pairs are usable, need {_LEAST_DEPTHS}. "
            "Check that depth maps and frames have the same size"
        )
    ratios = np.log(metres[usable] / tracks[usable])
    middle = float(np.median(ratios))
    sigma = 1.4826 * float(np.median(np.abs(ratios - middle)))
    return Scale("metric", float(np.exp(middle)), sigma, source)


def scale_of_sub_model(model: SubModel, depth_of: DepthOf, step_px: int, source: str) -> Scale:
    """Scale of a sub-model as the median ratio of metric depth to track depth, with its robust spread as sigma.

    Args:
        model: Free-scale model; image ids are frame indices.
        depth_of: Gives the metric depth map of a frame, sampled at pixels (j * step_px, i * step_px).
        step_px: That step.
        source: Model and revision, for the record.

    Raises:
        ReconError: If fewer than 20 tracks have a depth in metres.
    """
    tracks = tracks_from_colmap(model.reconstruction)
    world_from_cam = {frame: read_pose(model.reconstruction, frame) for frame in model.frames}
    sure = well_triangulated(tracks, world_from_cam)
    ours: list[Array] = []
    metres: list[Array] = []
    for frame, pose in world_from_cam.items():
        depth = depth_of(frame)
        if depth is None:
            continue
        rows = tracks.rows_of_frame(frame)
        keep = sure[tracks.obs_point[rows]]
        point, xy = tracks.obs_point[rows][keep], tracks.obs_xy[rows][keep]
        every = max(1, len(point) // _PAIRS_PER_FRAME)
        ours.append((tracks.xyz[point[::every]] - pose.center) @ pose.forward)
        metres.append(sample_depth(depth, xy[::every], step_px))
    return scale_from_depth(np.concatenate([*ours, []]), np.concatenate([*metres, []]), source)


_HALF_RANGE, _STEP = np.log(4.0), 0.002
"""Logarithms of the scale that are looked at, about what the first witness says."""
_REST = 1.0 / (2 * np.log(4.0))
"""Density of the broad rest: any size within a factor of four either way, equally likely."""
_SAME_MAKE = 0.5  # correlation of the sizes of one kind in one tour: chairs of a table, doors of a flat
_COMMON_SIGMA = 0.03
"""What all witnesses share and no number of them mends: the height of the floor, the lens, drift of the model."""
_AGREES = 2.5  # standard deviations within which a witness agrees
_METRIC_KINDS = 3
"""So many kinds of things of known size have to agree, besides the camera's height. Two can share one error."""
_METRIC_SIGMA = 0.08  # above it lengths are better called assumed
_LEAST_WEIGHT = 0.05  # a kind that says less than this share of the whole is no independent word


@dataclass(frozen=True)
class WeighedScale:
    """What the witnesses say together."""

    scale: Scale
    witnesses: tuple[ScaleWitness, ...]  # most weight first
    disputes: tuple[ScaleWitness, ...]  # those that do not agree


def count_independent(witness: SizeWitness) -> float:
    """How many independent things the things of a kind are worth."""
    count = len(witness.measured)
    return count / (1.0 + (count - 1) * _SAME_MAKE)


def camera_height_witness(camera_height: float, camera_height_m: float, sigma: float) -> SizeWitness:
    """The prior that the camera was carried at `camera_height_m`, as a witness."""
    usual = ExpectedSize(camera_height_m, max(sigma, 0.01), 1.0)
    return SizeWitness("camera height", (camera_height,), (usual,), noise=0.0, trust=0.95, kind="camera")


def depth_witness(measured: Scale) -> SizeWitness:
    """What a metric depth model says, as a witness; its errors are shared by all frames, so it is no surer than 8 %."""
    size = ExpectedSize(measured.factor, max(measured.sigma, 0.08), 1.0)
    return SizeWitness("learned depth", (1.0,), (size,), noise=0.0, trust=0.8, kind="depth")


def weigh_witnesses(witnesses: Sequence[SizeWitness]) -> WeighedScale:
    """Estimate the scale.

    `metric` needs three kinds of known size that agree with it (or a metric depth model and one such kind), none of
    which carries nearly everything, and a spread of at most 8 %. Everything else is `assumed`: better than the prior
    alone where something is known, but not to be relied on.

    Raises:
        ReconError: For no witness.
    """
    if not witnesses:
        raise ReconError("scale: no witness says how large the model is")
    # The logarithm of the scale that each thing gives with the most frequent size of its kind.
    usual = [max(one.expected, key=lambda size: size.share).size_m for one in witnesses]
    single = [np.log(size_m) - np.log(one.measured) for one, size_m in zip(witnesses, usual, strict=True)]
    middle = float(np.median(np.concatenate(single)))
    grid = middle + np.arange(-_HALF_RANGE, _HALF_RANGE + _STEP, _STEP)
    logs = np.array([_log_likelihood(one, grid) for one in witnesses])
    total = logs.sum(axis=0)
    density = np.exp(total - total.max())
    density /= density.sum()
    log_factor = float(density @ grid)
    spread = float(np.sqrt(density @ (grid - log_factor) ** 2))
    sigma = float(np.hypot(spread, _COMMON_SIGMA))
    stated = [_state(one, log_factor) for one in witnesses]
    all_weight = sum(one.weight for one in stated)
    said = [replace(one, weight=one.weight / all_weight if all_weight > 0 else 0.0) for one in stated]
    agreeing = [
        one.kind
        for one, word in zip(witnesses, said, strict=True)
        if word.agrees and one.kind != "camera" and word.weight >= _LEAST_WEIGHT
    ]
    enough = len(agreeing) >= (2 if "depth" in agreeing else _METRIC_KINDS)
    disputes = [word for word in said if not word.agrees]
    is_metric = enough and sigma <= _METRIC_SIGMA and len(disputes) <= len(said) // 3
    ordered = tuple(sorted(said, key=lambda word: (-word.weight, word.name)))
    source = ", ".join(
        f"{word.name} ({word.things})" if word.things > 1 else word.name for word in ordered if word.agrees
    )
    scale = Scale("metric" if is_metric else "assumed", float(np.exp(log_factor)), sigma, source)
    return WeighedScale(scale, ordered, tuple(sorted(disputes, key=lambda word: -abs(word.residual))))


def _parts(witness: SizeWitness, grid: Array) -> Array:
    """Likelihood of each thing (things, sizes, grid) by each usual size, shares included."""
    sizes = np.log([one.size_m for one in witness.expected])
    sigma = np.hypot([one.spread for one in witness.expected], witness.noise)
    share = np.array([one.share for one in witness.expected])
    share = share / share.sum()
    away = grid[None, None] + np.log(np.array(witness.measured))[:, None, None] - sizes[None, :, None]
    normal = np.exp(-0.5 * (away / sigma[None, :, None]) ** 2) / (np.sqrt(2 * np.pi) * sigma[None, :, None])
    return share[None, :, None] * normal


def _log_likelihood(witness: SizeWitness, grid: Array) -> Array:
    """Of a kind over the grid: the mean over its things, times what they are worth."""
    inside = _parts(witness, grid).sum(axis=1)
    each = np.log(witness.trust * inside + (1.0 - witness.trust) * _REST)
    return count_independent(witness) * each.mean(axis=0)


def _state(witness: SizeWitness, log_factor: float) -> ScaleWitness:
    """What a kind says by itself, with the sizes that fit the joint scale best; its weight is 1 / variance here."""
    parts = _parts(witness, np.array([log_factor]))[:, :, 0]
    inside = witness.trust * parts.sum(axis=1)
    right = inside / (inside + (1.0 - witness.trust) * _REST)
    # The size that each thing has most likely; far off every size, the one that is nearest.
    sizes = np.log([one.size_m for one in witness.expected])
    away = log_factor + np.log(np.array(witness.measured))[:, None] - sizes[None]
    sigma = np.hypot([one.spread for one in witness.expected], witness.noise)
    best = np.argmin((away / sigma) ** 2 - 2 * np.log([one.share for one in witness.expected]), axis=1)
    rows = np.arange(len(best))
    # Of several things a wrong name must not speak for the kind: the median one does.
    order = np.argsort(away[rows, best], kind="stable")
    middle = int(order[(len(order) - 1) // 2])
    own_sigma = float(sigma[best[middle]] / np.sqrt(count_independent(witness)))
    residual = float(np.median(away[rows, best]))
    weight = float(right.mean() * count_independent(witness) / sigma[best[middle]] ** 2)
    size_m = float(np.exp(sizes[best[middle]]))
    return ScaleWitness(
        witness.name,
        len(witness.measured),
        measured=float(size_m * np.exp(residual - log_factor)),
        expected_m=size_m,
        spread=own_sigma,
        factor=float(np.exp(log_factor - residual)),
        weight=weight,
        residual=residual / own_sigma,
        agrees=abs(residual / own_sigma) <= _AGREES,
    )
