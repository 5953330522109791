"""The formats by name. Each lies in a folder of its own and is imported when it is asked for."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from importlib import import_module

from roomtour.errors import RoomtourError, did_you_mean
from roomtour.export.core.format import ExportFormat

_NAMES = (
    "roomtour3d",
    "tum",
    "colmap",
    "jsonl",
    "nerfstudio",
    "rerun",
    "llava",
    "messages",
    "spatialrgpt",
    "vlmeval",
    "tool_calls",
    "vsibench",
    "cambrian-p",
    "verl",
    "sprite",
    "r2r",
    "vlnce",
    "hf",
    "streamvln",
    "navila",
    "uninavid",
    "internnav",
    "gnm",
    "waypoints",
    "lerobot",
    "lskd",
    "lskd-benchmark",
    "swift",
    "osprey",
    "gar",
    "videorefer",
    "lamm",
    "lamm-benchmark",
    "pointllm",
    "llava3d",
    "embodiedscan",
)
"""In the order in which they are told; the folder of `lamm-benchmark` is `lamm_benchmark`."""


class _Formats(Mapping[str, ExportFormat]):
    """A command needs one of them, and all of them took 1.5 of the 2.3 CPU-seconds in which `validate` began."""

    def __getitem__(self, name: str) -> ExportFormat:
        if name not in _NAMES:
            raise KeyError(name)
        return import_module(f"roomtour.export.formats.{name.replace('-', '_')}").FORMAT

    def __contains__(self, name: object) -> bool:
        return name in _NAMES

    def __iter__(self) -> Iterator[str]:
        return iter(_NAMES)

    def __len__(self) -> int:
        return len(_NAMES)


FORMATS: Mapping[str, ExportFormat] = _Formats()


def get_format(name: str) -> ExportFormat:
    """The format of this name.

    Raises:
        RoomtourError: Naming the known ones.
    """
    if name not in FORMATS:
        raise RoomtourError(f"no export format {name!r}.{did_you_mean(name, FORMATS)} Known: {', '.join(FORMATS)}")
    return FORMATS[name]
