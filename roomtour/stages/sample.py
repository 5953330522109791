"""Decode and sample: the tour as numbered frames."""

from __future__ import annotations

from recon.sampling import sample_tour
from roomtour.frames_io import write_source
from roomtour.stages.context import Counts, Stage, StageContext, StageResult


def _run(context: StageContext) -> StageResult:
    config = context.config
    frames_dir = context.part / "frames"
    frames_dir.mkdir()
    sampled = sample_tour(
        context.tour.source,
        frames_dir,
        config.sample,
        config.shots,
        image_fps=config.input.fps,
        progress=context.progress,
    )
    write_source(context.part / "source.json", sampled)
    counts: Counts = {"frames": len(sampled.frames), "shots": len(sampled.cuts_s) + 1}
    return StageResult(counts, sampled.findings)


STAGE = Stage(
    name="sample",
    title="Decode and sample",
    version=1,
    needs=(),
    outputs=("frames", "source.json"),
    options=lambda config: [config.input, config.sample, config.shots],
    run=_run,
)
