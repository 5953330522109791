"""The formats by name."""

from __future__ import annotations

from roomtour.errors import RoomtourError, did_you_mean
from roomtour.export.core.format import ExportFormat
from roomtour.export.formats import (
    actions,
    colmap,
    gnm,
    hf,
    jsonl,
    lamm,
    lamm_benchmark,
    lerobot,
    llava,
    llava3d,
    lskd,
    lskd_benchmark,
    messages,
    nerfstudio,
    osprey,
    pointllm,
    r2r,
    roomtour3d,
    spatialrgpt,
    sprite,
    swift,
    tool_calls,
    tum,
    verl,
    vlmeval,
    vlnce,
    vsibench,
)

_ALL = (
    roomtour3d.FORMAT,
    tum.FORMAT,
    colmap.FORMAT,
    jsonl.FORMAT,
    nerfstudio.FORMAT,
    llava.FORMAT,
    messages.FORMAT,
    spatialrgpt.FORMAT,
    vlmeval.FORMAT,
    tool_calls.FORMAT,
    vsibench.FORMAT,
    verl.FORMAT,
    sprite.FORMAT,
    r2r.FORMAT,
    vlnce.FORMAT,
    hf.FORMAT,
    actions.FORMAT,
    gnm.FORMAT,
    lerobot.FORMAT,
    lskd.FORMAT,
    lskd_benchmark.FORMAT,
    swift.FORMAT,
    osprey.FORMAT,
    lamm.FORMAT,
    lamm_benchmark.FORMAT,
    pointllm.FORMAT,
    llava3d.FORMAT,
)
FORMATS: dict[str, ExportFormat] = {format.name: format for format in _ALL}


def get_format(name: str) -> ExportFormat:
    """The format of this name.

    Raises:
        RoomtourError: Naming the known ones.
    """
    if name not in FORMATS:
        raise RoomtourError(f"no export format {name!r}.{did_you_mean(name, FORMATS)} Known: {', '.join(FORMATS)}")
    return FORMATS[name]
