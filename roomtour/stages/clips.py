"""Shots and clips: which frames are reconstructed together."""

from __future__ import annotations

from recon.video.shots import make_clips
from roomtour.artifacts import CLIPS, FRAME_TABLE, SOURCE
from roomtour.files.frames import read_source, write_clips, write_frames_table
from roomtour.stages.context import StageContext, StageResult


def run(context: StageContext) -> StageResult:
    """Do the work of the stage."""
    sampled = read_source(context.path(SOURCE))
    frames = sampled.frames
    clips = make_clips(frames, context.config.clips, sampled.mixed_shots)
    write_frames_table(context.out(FRAME_TABLE), frames, clips)
    write_clips(context.out(CLIPS), clips)
    return StageResult({"clips": len(clips)})
