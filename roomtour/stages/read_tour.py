"""What a run knows of its tour, for every kind of data."""

from __future__ import annotations

from pathlib import Path

from instructions.perception.models.light.labels import coco_words
from instructions.tour import Tour
from recon.upright.scene_io import read_scene
from roomtour.artifacts import DETECTIONS, FRAME_ROOMS, OBJECTS, OBSERVATIONS, ROOM_SPANS, SCENE
from roomtour.config import Config


def read_tour(run: Path, config: Config) -> Tour:
    """The tour of a run, with everything that perception found."""
    detections = DETECTIONS.read(run)
    looked_for = {one.label for one in detections}
    if config.perception == "light" or (config.perception == "server" and detections):
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
