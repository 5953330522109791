"""Make a mapped sub-model straight: rescue left-out frames, complete tracks, adjust all with a robust loss, filter."""

from __future__ import annotations

from dataclasses import dataclass

import pycolmap


@dataclass(frozen=True, kw_only=True)
class RefineOptions:
    """Rounds of refinement and what they keep."""

    rounds: int = 2
    """Each round: rescue frames, complete and merge tracks, adjust, filter."""
    loss_scale_px: float = 1.0
    """Residuals above this count less and less (Cauchy)."""
    max_error_px: float = 3.0
    """Observations further off than this are removed."""
    min_angle_deg: float = 1.0
    """Points seen under a smaller angle have no depth and are removed."""
    refine_principal_point: bool = True
    """Optical centres of phones lie several pixels off the image centre; needs `principal_point_min_frames`."""
    principal_point_min_frames: int = 50
    """With fewer frames the optical centre is too weakly determined."""
    max_iterations: int = 30
    """Of each adjustment."""
    rescue_min_inliers: int = 12
    """3D points a left-out frame must agree with in the finished model."""


def refine(
    model: pycolmap.Reconstruction,
    cache: pycolmap.DatabaseCache,
    options: RefineOptions = RefineOptions(),
    num_threads: int = -1,
    seed: int = 0,
) -> None:
    """Refine a model in place.

    Args:
        model: Registered frames with points; ids as in the database.
        cache: The same frames' features and matches.
        options: Rounds and thresholds.
        num_threads: -1 uses all cores.
        seed: Of random sampling.
    """
    mapper = pycolmap.IncrementalMapper(cache)
    mapper.begin_reconstruction(model)
    mapping = pycolmap.IncrementalMapperOptions(
        num_threads=num_threads,
        random_seed=seed,
        abs_pose_min_num_inliers=options.rescue_min_inliers,
        filter_max_reproj_error=options.max_error_px,
        filter_min_tri_angle=options.min_angle_deg,
    )
    triangulation = pycolmap.IncrementalTriangulatorOptions(min_angle=options.min_angle_deg, random_seed=seed)
    for _ in range(options.rounds):
        _rescue(mapper, mapping, triangulation)
        mapper.complete_and_merge_tracks(triangulation)
        mapper.retriangulate(triangulation)
        mapper.adjust_global_bundle(mapping, adjustment(model.num_reg_images(), options, num_threads))
        mapper.complete_and_merge_tracks(triangulation)
        mapper.filter_points(mapping)
    mapper.filter_frames(mapping)
    mapper.end_reconstruction(False)


def _rescue(
    mapper: pycolmap.IncrementalMapper,
    mapping: pycolmap.IncrementalMapperOptions,
    triangulation: pycolmap.IncrementalTriangulatorOptions,
) -> None:
    """Register left-out frames as long as any fits."""
    progress = True
    while progress:
        progress = False
        for image in mapper.find_next_images(mapping, structure_less=False):
            if mapper.register_next_image(mapping, image):
                mapper.triangulate_image(triangulation, image)
                progress = True
                break


def adjustment(frames: int, options: RefineOptions, num_threads: int) -> pycolmap.BundleAdjustmentOptions:
    """Bundle adjustment of all poses, points and the shared camera with a robust loss."""
    setup = pycolmap.BundleAdjustmentOptions(print_summary=False)
    setup.refine_principal_point = options.refine_principal_point and frames >= options.principal_point_min_frames
    setup.ceres.loss_function_type = pycolmap.LossFunctionType.CAUCHY
    setup.ceres.loss_function_scale = options.loss_scale_px
    setup.ceres.solver_options.max_num_iterations = options.max_iterations
    setup.ceres.solver_options.function_tolerance = 1e-5
    setup.ceres.solver_options.num_threads = num_threads
    return setup
