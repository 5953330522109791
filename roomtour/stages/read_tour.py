"""What a run knows of its tour, for every kind of data."""

from __future__ import annotations

from pathlib import Path

from instructions.perception.frames.results import FrameResults, VisionIndex
from instructions.perception.models.light.labels import coco_words
from instructions.tour import Tour
from recon.upright.scene_io import read_scene
from roomtour.artifacts import DETECTIONS, FRAME_ROOMS, OBJECTS, OBSERVATIONS, ROOM_SPANS, SCENE, VISION
from roomtour.config import Config
from roomtour.files.records import from_plain, read_json


def read_vision(run: Path) -> FrameResults:
    """What learned models said of the frames of a run; nothing in one that was imported."""
    path = run / VISION.path
    index = from_plain(read_json(path), VisionIndex, str(path)) if path.is_file() else VisionIndex()
    return FrameResults(path.parent, index)


def read_tour(run: Path, config: Config) -> Tour:
    """The tour of a run, with everything that perception found."""
    detections = DETECTIONS.read(run)
    looked_for = {detection.label for detection in detections}
    if read_vision(run).index.is_light:
        looked_for |= {word for word in coco_words() if word}
    return Tour(
        read_scene(run / SCENE.path),
        OBJECTS.read(run),
        OBSERVATIONS.read(run),
        detections,
        ROOM_SPANS.read(run),
        FRAME_ROOMS.read(run),
        frozenset(looked_for),
        seed=config.seed,
    )
