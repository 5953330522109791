"""Structure from motion of each clip."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache, partial
from pathlib import Path

import numpy as np

from instructions.perception.frames.upright import VoteTask, decide_turn, turn_image
from instructions.perception.models.light.folder import find_light_files, light_folder, why_not_light
from instructions.perception.models.light.mosaic import Mosaic
from recon.audit.pixel_aspect import PixelAspect, find_stretch
from recon.floor_masks import FloorMask
from recon.known_poses import place_given_poses
from recon.mapping.learned_fallback import map_tour
from recon.mapping.options import TourInputs
from recon.pictures import read_picture_file
from recon.pose_sources.match import match_to_tour
from recon.records import Frame
from recon.video.sampling import SampledTour, take_larger_pictures
from roomtour.artifacts import CLIPS, DATABASE, FRAMES, MASK, SOURCE, SUB_MODELS
from roomtour.config import Config
from roomtour.files.floors import is_floor
from roomtour.files.frames import read_clips, read_mask, read_source
from roomtour.files.models import SECOND_DATABASE, write_sub_models
from roomtour.stages.context import Counts, SampleAgain, StageContext, StageResult
from roomtour.stages.features import HOW_TO_GET, find_learned
from roomtour.stages.inputs.known_poses import read_given_poses
from roomtour.workers.ray_workers import Workers


def run(context: StageContext) -> StageResult:
    """Do the work of the stage."""
    config = context.config
    if config.poses is not None:
        return _place_given_poses(context)
    work_dir = context.part / "work"
    work_dir.mkdir()
    mapped = map_tour(
        context.path(DATABASE),
        _read_inputs(context),
        read_clips(context.path(CLIPS)),
        work_dir,
        config.recon,
        is_learned=config.features.are_learned,
        why_not_learned=HOW_TO_GET,
        apart=context.workers.is_elsewhere,
        check_pixels=partial(_check_pixels, context),
        progress=context.progress,
    )
    folder = context.out(SUB_MODELS)
    write_sub_models(folder, mapped.sub_models)
    if mapped.database_path is not None:
        mapped.database_path.replace(folder / SECOND_DATABASE)
    registered = {frame for model in mapped.sub_models for frame in model.frames}
    counts: Counts = {"sub-models": len(mapped.sub_models), "registered": len(registered)}
    return StageResult(counts, mapped.findings)


def _check_pixels(context: StageContext, aspect: PixelAspect) -> None:
    """Have the pictures sampled again where they are squeezed, unless the user has said by how much."""
    if context.config.input.stretch is not None or len(context.store.stretches.factors) == _MOST_STRETCHES:
        return
    stretch = find_stretch(aspect, read_source(context.path(SOURCE)).source, context.stretch)
    if stretch != context.stretch:
        raise SampleAgain(stretch, f"a pixel looks {aspect} times as wide as high")


_MOST_STRETCHES = 2
"""A squeezed model knows its factor to a tenth or two, the next one better; a third would change nothing."""


def _read_inputs(context: StageContext) -> TourInputs:
    """The frames of the tour, and the networks of this machine that may look at them."""
    config, sampled = context.config, read_source(context.path(SOURCE))
    return TourInputs(
        frames=sampled.frames,
        frames_dir=context.path(FRAMES),
        mask=read_mask(context.path(MASK)),
        learned=None if config.features.kind == "sift" else find_learned(config),
        pictures=lambda frames, folder: _take_pictures(context, sampled, frames, folder),
        floors_of=lambda frames: find_floors(frames, sampled.frames, context.path(FRAMES), config, context.workers),
        seed=config.seed,
        fan_out=context.workers.map,
    )


def _take_pictures(context: StageContext, sampled: SampledTour, frames: Sequence[Frame], folder: Path) -> Path:
    """Pictures of the frames with more lines, where the file has them and is still there; else as sampled."""
    source, lines = context.tour.source, min(frames[0].width, frames[0].height)
    if min(sampled.source.width, sampled.source.height) > lines and source.exists():
        read = context.config.input
        if take_larger_pictures(source, frames, folder, LINES, read.fps, read.rotate, context.stretch):
            return folder
    return context.path(FRAMES)


LINES = 640
"""Of the pictures for learned keypoints: their network takes no more."""


def _place_given_poses(context: StageContext) -> StageResult:
    """The stage's work with `--poses`."""
    config = context.config
    sampled = read_source(context.path(SOURCE))
    matched, unfit = match_to_tour(
        read_given_poses(config), context.tour.source, sampled.frames, config.pose_source, config.input.fps
    )
    sub_models, findings = place_given_poses(
        matched,
        context.path(DATABASE),
        sampled,
        read_clips(context.path(CLIPS)),
        config.pose_source,
        seed=config.seed,
        progress=context.progress,
        fan_out=context.workers.map,
    )
    write_sub_models(context.out(SUB_MODELS), sub_models)
    registered = {frame for model in sub_models for frame in model.frames}
    return StageResult({"given poses": len(registered), "sub-models": len(sub_models)}, (*unfit, *findings))


def find_floors(
    frames: Sequence[Frame], every: Sequence[Frame], frames_dir: Path, config: Config, workers: Workers
) -> Mapping[int, FloorMask]:
    """Where the pictures of frames show the floor; nothing if the light models are not on this machine.

    A segmenter knows floors at the bottom of pictures, so those of a tour that lies on its side are turned before it.

    Args:
        frames: Those that are asked about.
        every: All of the tour, which tell together how it was held.
        frames_dir: Their pictures.
        config: Says where the networks are.
        workers: Give out the work.

    Raises:
        InstructionError: If their files are damaged.
    """
    folder = light_folder(config.vision.folder)
    if why_not_light(folder) is not None:
        return {}
    files = find_light_files(folder)
    segmenter = files["mosaic"]
    pictures = tuple(frames_dir / frame.image for frame in every)
    (votes,) = workers.map(VoteTask(files["yolox"], segmenter), [pictures])
    turns = decide_turn(votes)
    masks = workers.map(partial(_find_floor, segmenter, frames_dir, turns), frames)
    return {frame.index: mask for frame, mask in zip(frames, masks, strict=True) if mask is not None}


def _find_floor(weights: Path, frames_dir: Path, quarter_turns: int, frame: Frame) -> FloorMask | None:
    """A task: the floor in one picture, turned counter-clockwise before; None if it cannot be read."""
    image_bgr = read_picture_file(frames_dir / frame.image)
    if image_bgr is None:
        return None
    image = turn_image(np.asarray(image_bgr[:, :, ::-1], dtype=np.uint8), quarter_turns)
    (classes,) = _load(weights).segment([image])
    return is_floor(turn_image(classes, -quarter_turns))


@lru_cache(maxsize=1)
def _load(weights: Path) -> Mosaic:
    return Mosaic(weights)
