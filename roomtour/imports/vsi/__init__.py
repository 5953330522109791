"""VSI-Bench's meta files: boxes of annotated scans."""

from __future__ import annotations

from roomtour.imports.records import ImportFormat
from roomtour.imports.vsi.read import list_scenes, read_vsi

FORMAT = ImportFormat(
    name="vsi",
    text="VSI-Bench's meta files: boxes and counts of scans, without cameras; views of their videos",
    read=read_vsi,
    takes=("videos", "scene"),
    list_scenes=list_scenes,
)
