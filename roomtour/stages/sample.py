"""Decode and sample: the tour as numbered frames."""

from __future__ import annotations

from recon.findings import Finding, attach_to_errors
from recon.pose_sources.match import match_to_tour
from recon.video.overlays import find_overlays, no_overlays
from recon.video.sampling import sample_tour
from roomtour.artifacts import FRAMES, MASK, SOURCE
from roomtour.files.frames import write_mask, write_source
from roomtour.stages.context import Counts, StageContext, StageResult
from roomtour.stages.inputs.known_poses import read_given_poses


def run(context: StageContext) -> StageResult:
    """Do the work of the stage."""
    config = context.config
    poses = read_given_poses(config)  # a wrong file is told now, not after the features
    frames_dir = context.out(FRAMES)
    frames_dir.mkdir()
    sampled = sample_tour(
        context.tour.source,
        frames_dir,
        config.sample,
        config.transitions,
        image_fps=config.input.fps,
        rotate_deg=config.input.rotate,
        stretch=context.stretch,
        progress=context.progress,
    )
    if poses:
        given = [finding for source in poses for finding in source.findings]
        with attach_to_errors([*sampled.findings, *given]):
            match_to_tour(poses, context.tour.source, sampled.frames, config.pose_source, config.input.fps)
    write_source(context.out(SOURCE), sampled)
    frames = sampled.frames
    overlays = find_overlays(frames_dir, frames) if config.input.mask_overlays else no_overlays(frames)
    write_mask(context.out(MASK), overlays.mask)
    counts: Counts = {"frames": len(sampled.frames), "shots": len(sampled.cuts_s) + 1 - len(sampled.transitions)}
    findings = [*sampled.findings, *overlays.findings]
    if config.input.stretch is None and context.stretch != 1.0:
        message = (
            f"the first reconstruction showed that the film does not have square pixels: its pictures are made "
            f"{context.stretch:.2f} times as wide. If they look wrong now, --input.stretch 1 leaves them as they are"
        )
        findings.append(Finding("info", "sample.stretched", "tour", message))
    return StageResult(counts, tuple(findings))
