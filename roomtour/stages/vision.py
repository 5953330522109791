"""Learned models look at the frames. With embedded perception there is nothing to do."""

from __future__ import annotations

from functools import partial

from instructions.perception.frames.look import find_models, look_at_frames
from instructions.perception.frames.results import FrameResults, VisionIndex
from instructions.perception.models.runtime import pick_runtime
from roomtour.artifacts import FRAMES, SOURCE, VISION
from roomtour.config import Config
from roomtour.files.frames import read_source
from roomtour.files.records import from_plain, read_json, to_plain, write_json
from roomtour.stages.context import Counts, StageContext, StageResult


def run(context: StageContext) -> StageResult:
    """Do the work of the stage."""
    config = context.config
    index = VisionIndex()
    counts: Counts = {"models": 0}
    findings = ()
    if config.perception == "models":
        result = look_at_frames(
            read_source(context.path(SOURCE)).frames,
            context.path(FRAMES),
            context.path(VISION).parent,  # results survive a killed run: each file is written aside and renamed
            config.vision,
            config.room_types,
            frames_key=context.store.stages[FRAMES.stage].key,
            progress=context.progress,
            shelf=context.models,
            fan_out=partial(context.workers.map_in_threads, threads=config.vision.threads),
        )
        index, findings = result.index, result.findings
        counts = {"models": len({one.source for one in index.passes})}
        counts |= {f"{kind} computed": count for kind, count in result.computed.items()}
    write_json(context.out(VISION), to_plain(index, VisionIndex))
    return StageResult(counts, findings)


def read_vision(context: StageContext) -> FrameResults:
    """What this stage left."""
    path = context.path(VISION)
    return FrameResults(path.parent, from_plain(read_json(path), VisionIndex, str(path)))


def require_models(config: Config) -> None:
    """Refuse at once what would fail after the reconstruction: a model or package that is not there.

    Raises:
        InstructionError: Naming it, and how to get it.
    """
    find_models(config.vision)
    pick_runtime(config.vision.device, config.vision.dtype)


def identity(config: Config) -> object:
    """What decides the results: models by content, thresholds, words. Not device, batch or threads."""
    vision = config.vision
    models = {ability: [one.name, one.revision] for ability, one in find_models(vision).items()}
    limits = [vision.box_threshold, vision.max_boxes, vision.max_overlap, vision.tag_probability, vision.max_tags]
    words = [vision.region_words, config.room_types.types, config.room_types.prompts]
    return [models, vision.dtype, limits, words]
