"""Learned models look at the frames, light or large ones. For landmarks there is nothing to do."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path

from instructions.perception.frames.light_look import look_at_frames_lightly
from instructions.perception.frames.look import LookResult, find_models, look_at_frames
from instructions.perception.frames.results import VisionIndex
from instructions.perception.models.light.folder import VARIABLE, find_light_files, light_folder, why_not_light
from instructions.perception.models.runtime import pick_runtime
from instructions.perception.rooms.priors import room_priors, seen_as
from roomtour.artifacts import FRAMES, SOURCE, VISION
from roomtour.config import Config
from roomtour.errors import RoomtourError
from roomtour.files.frames import read_source
from roomtour.files.records import to_plain, write_json
from roomtour.stages.code import digest_code
from roomtour.stages.context import Counts, StageContext, StageResult


def run(context: StageContext) -> StageResult:
    """Do the work of the stage."""
    result = LookResult(VisionIndex(), {}, ())
    config = context.config
    has_light = why_not_light(light_folder(config.vision.folder)) is None
    if config.perception == "light" or (config.perception == "server" and has_light):
        result = _look_lightly(context)
    elif config.perception == "models":
        result = _look(context)
    index = result.index
    counts: Counts = {"models": len({look.source for look in index.passes})}
    counts |= {f"{kind} computed": count for kind, count in result.computed.items()}
    write_json(context.out(VISION), to_plain(index, VisionIndex))
    folder = Path(VISION.path).parent
    looked = [(folder / look.folder).as_posix() for look in index.passes]
    kept = tuple(path for path in looked if (context.run / path).is_dir())
    return StageResult(counts, result.findings, kept=kept)


def _look(context: StageContext) -> LookResult:
    config = context.config
    return look_at_frames(
        read_source(context.path(SOURCE)).frames,
        context.path(FRAMES),
        context.path(VISION).parent,  # results survive a killed run: each file is written aside and renamed
        config.vision,
        rooms={prior.name: seen_as(prior.name) for prior in room_priors()},
        frames_key=_name_frames(context, look_at_frames),
        progress=context.progress,
        shelf=context.models,
        fan_out=partial(context.workers.map_in_threads, threads=config.vision.threads),
    )


def _look_lightly(context: StageContext) -> LookResult:
    return look_at_frames_lightly(
        read_source(context.path(SOURCE)).frames,
        context.path(FRAMES),
        context.path(VISION).parent,
        context.config.vision,
        frames_key=_name_frames(context, look_at_frames_lightly),
        progress=context.progress,
        fan_out=context.workers.map,
    )


def _name_frames(context: StageContext, look: Callable[..., LookResult]) -> str:
    """What results of single frames are kept under, besides options and networks: the frames, and the code that looks.

    What rests on these results may change and they are still good.
    """
    return f"{context.store.stages[FRAMES.stage].key} {digest_code(look.__module__)}"


def choose_perception(config: Config) -> Config:
    """The options with `auto` replaced by what this machine has: light models, else landmarks.

    What is chosen goes into the keys of the stages and into the manifest, so that results of one are never taken for
    those of the other, and a finished run says what it rests on.
    """
    if config.perception != "auto":
        return config
    is_light = why_not_light(light_folder(config.vision.folder)) is None
    return replace(config, perception="light" if is_light else "landmarks")


def require_same_perception(asked: Config, chosen: Config, before: str, run: Path) -> None:
    """Refuse to make a run anew without the names that it has, only because this machine lacks the light models now.

    Args:
        asked: The options as they were given.
        chosen: The same with what this machine has in place of `auto`.
        before: What the run was made with.
        run: Its folder.

    Raises:
        RoomtourError: Naming what is missing, how to give it, and how to go on without.
    """
    if asked.perception == "auto" and chosen.perception == "landmarks" and before == "light":
        missing = why_not_light(light_folder(asked.vision.folder))
        raise RoomtourError(
            f"{run}: was made with light models, and they are not here: {missing}, or name the folder that holds them: "
            f"{VARIABLE}=FOLDER. To make the run anew without them: --perception landmarks"
        )


def require_models(config: Config) -> None:
    """Refuse at once what would fail after the reconstruction: a model or package that is not there, a damaged file.

    Raises:
        InstructionError: Naming it, and how to get it.
    """
    if config.perception == "light":
        find_light_files(light_folder(config.vision.folder))
    elif config.perception == "models":
        find_models(config.vision)
        pick_runtime(config.vision.device, config.vision.dtype)
