"""Whether a film has square pixels: pictures that were squeezed without saying so fit no single focal length.

Every sub-model is adjusted once more with a focal length for each axis. Their ratio is the pixels' width over their
height, and the covariance of that adjustment tells how well it is known: not at all where a camera that never nods goes
over level ground, for then the world may be stretched as its pictures are.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import pycolmap

from recon.adjust.refine import RefineOptions, adjustment, thin
from recon.audit.pose_uncertainty import measure_noise_px
from recon.colmap.fuse import subset
from recon.colmap.tasks import quiet_colmap
from recon.records import SourceInfo, SubModel


@dataclass(frozen=True)
class PixelAspect:
    """Width of a pixel over its height, as the sub-models of a tour have it."""

    ratio: float
    sigma: float  # of its natural logarithm

    def __str__(self) -> str:
        return f"{self.ratio:.2f} (+- {self.ratio * self.sigma:.2f})"

    @property
    def is_square(self) -> bool:
        """Whether nothing speaks against square pixels."""
        return abs(math.log(self.ratio)) <= _MOST_SIGMAS * self.sigma


_MOST_SIGMAS = 3.0  # beyond which pixels are not square: one film in four hundred by chance
_MODEL_SIGMA = 0.06
"""Of the logarithm, beside what a covariance knows of: bent models and wrong matches. Ten models of nine films with
square pixels were off by up to 0.044."""


def measure_pixel_aspect(models: Iterable[SubModel]) -> PixelAspect | None:
    """The aspect on which sub-models agree, each weighted by how exactly it knows it.

    Returns:
        None if none of them can tell.
    """
    with quiet_colmap():
        found = [one for model in models if (one := _measure(model.reconstruction)) is not None]
    if not found:
        return None
    logs, sigmas = np.array(found).T
    weights = 1.0 / sigmas**2
    mean = np.average(logs, weights=weights)
    # Models that contradict each other know less than they say (Birge's ratio).
    scatter = math.sqrt(max(1.0, weights @ (logs - mean) ** 2 / max(1, len(logs) - 1)))
    return PixelAspect(math.exp(mean), math.hypot(_MODEL_SIGMA, scatter / math.sqrt(weights.sum())))


def find_stretch(found: PixelAspect, source: SourceInfo, stretch: float = 1.0) -> float:
    """By what factor the pictures of a film are to be widened so that their pixels are square.

    Films are squeezed by a few factors only, and these lie further apart than measurements are off, so it is always one
    of them: the nearest.

    Args:
        found: Of pictures that were widened by `stretch` already.
        source: The size of those.
        stretch: 1 for pictures as they came; what changes that has to be surer than what changes another factor.

    Returns:
        `stretch` itself if nothing is to be changed.
    """
    if found.is_square if stretch == 1.0 else abs(math.log(found.ratio)) <= _LEAST_SIGMAS * found.sigma:
        return stretch
    usual = [shape * source.height / source.width for shape in _SHAPES] + [shape / stretch for shape in _SHAPES]
    factor = min(usual, key=lambda one: abs(math.log(one / found.ratio)))
    return stretch if abs(math.log(factor)) <= _CLOSE else stretch * factor


_SHAPES = (16 / 9, 4 / 3, 3 / 4, 9 / 16)
"""Width over height of films. They are squeezed to another of these shapes, or to squares, and perhaps cropped then. Of
13 measurements of films squeezed to squares, eight of them cropped aside of their middle since, the factor was 0.68 to
1.42 times the true one at first."""
_LEAST_SIGMAS = 2.0
"""At which another factor is taken for one that was found before. Three films that were taken for 4:3 were 2.8 to 4 off
then; of those with the right factor none was, but one cropped aside of its middle."""
_CLOSE = 0.05  # of the logarithm: what is nearer than that is not worth another reconstruction. Set by hand.


def _measure(model: pycolmap.Reconstruction) -> tuple[float, float] | None:
    """Logarithm of the pixels' aspect and its standard deviation; None where the model leaves it open."""
    frames = sorted(model.reg_image_ids())
    if len(frames) < _LEAST_FRAMES:
        return None
    begin = max(0, (len(frames) - _MOST_FRAMES) // 2)
    part = subset(model, frames[begin : begin + _MOST_FRAMES])
    thin(part, RefineOptions.points_per_frame, RefineOptions.points_per_seam)
    camera = next(iter(part.cameras.values()))
    # The only model of COLMAP with two focal lengths and one parameter of distortion.
    focal_px, *middle, distortion = camera.params
    camera.model = pycolmap.CameraModelId.DIVISION
    camera.params = [focal_px, focal_px, *middle, -distortion]
    config = pycolmap.BundleAdjustmentConfig()
    # Held points would hold the shape of their triangle too, and a walk on a plane stretches like its pictures.
    config.fix_gauge(pycolmap.BundleAdjustmentGauge.TWO_CAMS_FROM_WORLD)
    for frame in sorted(part.reg_image_ids()):
        config.add_image(frame)
    adjuster = pycolmap.create_default_ceres_bundle_adjuster(adjustment(len(frames), _ADJUSTMENT), config, part)
    adjuster.solve()
    fx_px, fy_px = camera.params[:2]
    side_px = max(camera.width, camera.height)
    if min(fx_px, fy_px) < _LEAST_FOCAL * side_px or max(fx_px, fy_px) > _MOST_FOCAL * side_px:
        return None
    part.update_point_3d_errors()
    wanted = pycolmap.BACovarianceOptions(params=pycolmap.BACovarianceOptionsParams.ALL, damping=_DAMPING)
    covariance = pycolmap.estimate_ba_covariance(wanted, part, adjuster)
    of_camera = None if covariance is None else covariance.get_other_params_cov(camera.params)
    if of_camera is None:
        return None
    slope = np.array([-1.0 / fx_px, 1.0 / fy_px])
    variance = float(slope @ of_camera[:2, :2] @ slope)
    return (math.log(fy_px / fx_px), math.sqrt(variance) * measure_noise_px(part)) if 0 < variance < math.inf else None


_LEAST_FRAMES = 4  # of a model; sixteen models of 4 to 9 frames of squeezed films were off by as much as they said
_MOST_FRAMES = 60  # from the middle of a model: they know it to a per cent
_LEAST_FOCAL, _MOST_FOCAL = 0.2, 2.5
"""Over the longer side. What is outside of them ran off: a lens of any film, squeezed to half, is not."""
_DAMPING = 1e-5  # of COLMAP's covariance, so that a scale that is open inside a model does not leave it without one
_ADJUSTMENT = RefineOptions(max_iterations=60, least_gain=1e-6)  # a squeezed model has far to go
