"""Single images, with metric depth or without: a folder, or JSONL with one image per line."""

from __future__ import annotations

from roomtour.imports.images.read import read_images
from roomtour.imports.records import ImportFormat

FORMAT = ImportFormat(
    name="images",
    text="a folder of pictures, or JSONL with one image per line: its depth, intrinsics, things and ground",
    read=read_images,
    takes=("detections", "keep_all", "perception"),
)
