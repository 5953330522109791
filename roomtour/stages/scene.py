"""The upright, scaled scene."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from instructions.perception.frames.results import DEPTH_STEP_PX, FrameResults
from instructions.perception.sizes.evidence import PictureSizes
from recon.errors import ReconError
from recon.findings import Finding
from recon.records import Scale, SubModel
from recon.upright.checks import check_heights, check_precisions
from recon.upright.metric_scale import scale_of_sub_model
from recon.upright.scene import build_scene
from recon.upright.scene_io import write_scene
from roomtour.artifacts import CLIPS, MERGED, SCENE, SOURCE
from roomtour.files.floors import read_floors
from roomtour.files.frames import read_clips, read_source
from roomtour.files.models import read_assessments, read_sub_models
from roomtour.stages.context import Counts, StageContext, StageResult
from roomtour.stages.inputs.known_poses import read_stated_scale
from roomtour.stages.read_tour import read_vision


def run(context: StageContext) -> StageResult:
    """Do the work of the stage."""
    sampled = read_source(context.path(SOURCE))
    models = read_sub_models(context.path(MERGED))
    vision = read_vision(context.run)
    floors = read_floors(sampled.frames, vision)
    earlier = context.findings_of("sample", "clips", "features", "sfm", "merge")
    stated = read_stated_scale(context.config)
    if stated is None:
        measured, unmeasured = _scales_from_depth(models, vision)
    else:
        measured, unmeasured = {model.name: stated for model in models}, []
    scene = build_scene(
        context.tour.name,
        sampled.source,
        sampled.frames,
        read_clips(context.path(CLIPS)),
        models,
        findings=(*earlier, *unmeasured, *check_heights(models, floors)),
        options=context.config.scene,
        seed=context.config.seed,
        measured_scales=measured,
        are_stated=stated is not None,
        evidence=PictureSizes(vision, sampled.frames) if vision.source("boxes") is not None else None,
        assessments=read_assessments(context.path(MERGED)),
    )
    if context.config.poses is None:  # else nothing but the given poses decides the path
        scene = replace(scene, findings=(*scene.findings, *check_precisions(scene, models)))
    folder = context.out(SCENE)
    folder.mkdir()
    write_scene(scene, folder)
    counts: Counts = {"models": len(scene.models), "registered": scene.registered, "scale": scene.scale_status}
    return StageResult(counts, scene.findings[len(earlier) :])


def _scales_from_depth(models: Sequence[SubModel], vision: FrameResults) -> tuple[dict[str, Scale], list[Finding]]:
    """Scale of each model that a metric depth model could measure; why not for the others. Nothing without one."""
    source = vision.source("depth")
    if source is None or not vision.depth_is_metric:
        return {}, []
    scales: dict[str, Scale] = {}
    findings: list[Finding] = []
    for model in models:
        try:
            scales[model.name] = scale_of_sub_model(model, vision.raw_depth, DEPTH_STEP_PX, source)
        except ReconError as error:
            message = f"{error}; the camera height prior is used"
            findings.append(Finding("warning", "scene.scale_not_measured", f"model {model.name}", message))
    return scales, findings
