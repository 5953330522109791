"""The upright, scaled scene."""

from __future__ import annotations

from recon.scene import build_scene
from recon.scene_io import write_scene
from roomtour.frames_io import read_clips, read_source
from roomtour.models_io import read_sub_models
from roomtour.stages.context import Counts, Stage, StageContext, StageResult


def _run(context: StageContext) -> StageResult:
    sampled = read_source(context.run / "source.json")
    models = read_sub_models(context.run / "recon" / "merged")
    earlier = context.findings_of("sample", "clips", "features", "sfm", "merge")
    scene = build_scene(
        context.tour.name,
        sampled.source,
        sampled.frames,
        read_clips(context.run / "clips.json"),
        models,
        findings=earlier,
        options=context.config.scene,
        seed=context.config.seed,
    )
    (context.part / "scene").mkdir()
    write_scene(scene, context.part / "scene")
    counts: Counts = {"models": len(scene.models), "registered": scene.registered, "scale": scene.scale_status}
    return StageResult(counts, scene.findings[len(earlier) :])


STAGE = Stage(
    name="scene",
    title="Upright scene",
    version=1,
    needs=("merge",),
    outputs=("scene",),
    options=lambda config: [config.scene, config.seed],
    run=_run,
)
