"""SPRITE's released files: scenes of simulators, left-handed with y up."""

from __future__ import annotations

from roomtour.imports.records import ImportFormat
from roomtour.imports.sprite.read import read_sprite

FORMAT = ImportFormat(
    name="sprite",
    text="SPRITE's folder: metainfo/N.json, camera_pose/N.json, images/N/frame_F.jpg",
    read=read_sprite,
    takes=("preset", "handedness"),
)
