"""Structure from motion of each clip."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

from recon.mapping.sfm import ClipResult, reconstruct_clip
from recon.records import Clip
from roomtour.config import Config
from roomtour.files.frames import read_clips
from roomtour.files.models import write_sub_models
from roomtour.stages.context import Counts, StageContext, StageResult
from roomtour.stages.known_poses import given_poses_key, place_given_poses


def run(context: StageContext) -> StageResult:
    """Do the work of the stage."""
    config = context.config
    if config.poses is not None:
        return place_given_poses(context)
    clips = read_clips(context.run / "clips.json")
    at_once = max(1, min(config.workers, len(clips)))
    done = [0.0] * len(clips)

    def reconstruct(numbered: tuple[int, Clip]) -> ClipResult:
        number, clip = numbered

        def progress(fraction: float) -> None:
            done[number] = fraction
            context.progress(sum(done) / len(done))

        work_dir = context.part / "work" / clip.name
        work_dir.mkdir(parents=True)
        return reconstruct_clip(
            context.run / "recon" / "database.db",
            context.run / "frames",
            clip,
            work_dir,
            config.recon,
            num_threads=max(1, config.workers // at_once),
            seed=config.seed,
            progress=progress,
        )

    with ThreadPoolExecutor(at_once) as pool:
        results = list(pool.map(reconstruct, enumerate(clips)))
    sub_models = [model for result in results for model in result.sub_models]
    write_sub_models(context.part / "recon" / "clips", sub_models)
    findings = tuple(finding for result in results for finding in result.findings)
    registered = {frame for model in sub_models for frame in model.frames}
    counts: Counts = {"sub-models": len(sub_models), "registered": len(registered)}
    counts["mapper"] = " and ".join(sorted({result.mapper for result in results}))
    return StageResult(counts, findings)


def identity(config: Config) -> object:
    """What decides the result; poses that the user brings count by their content."""
    return [config.recon, config.seed, config.pose_source, given_poses_key(config)]
