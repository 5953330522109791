"""The formats by name. Each is a module or a folder of its own and is imported when it is asked for."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from importlib import import_module

from roomtour.errors import RoomtourError, did_you_mean
from roomtour.export.core.format import ExportFormat

_FOLDERS = {
    "roomtour3d": "walks",
    "tum": "scenes",
    "colmap": "scenes",
    "jsonl": "scenes",
    "nerfstudio": "scenes",
    "rerun": "scenes",
    "llava": "talks",
    "messages": "talks",
    "spatialrgpt": "talks",
    "vlmeval": "talks",
    "tool_calls": "talks",
    "vsibench": "talks",
    "cambrian-p": "talks",
    "verl": "talks",
    "sprite": "scenes",
    "r2r": "walks",
    "vlnce": "walks",
    "hf": "talks",
    "streamvln": "walks",
    "navila": "walks",
    "uninavid": "walks",
    "internnav": "walks",
    "gnm": "walks",
    "waypoints": "walks",
    "lerobot": "walks",
    "lskd": "regions",
    "lskd-benchmark": "regions",
    "swift": "regions",
    "osprey": "regions",
    "gar": "regions",
    "videorefer": "regions",
    "lamm": "dialogues",
    "lamm-benchmark": "dialogues",
    "pointllm": "dialogues",
    "llava3d": "dialogues",
    "embodiedscan": "scenes",
}
"""Where each format lies, in the order in which they are told; the module of `lamm-benchmark` is `lamm_benchmark`."""


class _Formats(Mapping[str, ExportFormat]):
    """A command needs one of them, and all of them took 1.5 of the 2.3 CPU-seconds in which `validate` began."""

    def __getitem__(self, name: str) -> ExportFormat:
        if name not in _FOLDERS:
            raise KeyError(name)
        return import_module(f"roomtour.export.formats.{_FOLDERS[name]}.{name.replace('-', '_')}").FORMAT

    def __contains__(self, name: object) -> bool:
        return name in _FOLDERS

    def __iter__(self) -> Iterator[str]:
        return iter(_FOLDERS)

    def __len__(self) -> int:
        return len(_FOLDERS)


FORMATS: Mapping[str, ExportFormat] = _Formats()


def get_format(name: str) -> ExportFormat:
    """The format of this name.

    Raises:
        RoomtourError: Naming the known ones.
    """
    if name not in FORMATS:
        raise RoomtourError(f"no export format {name!r}.{did_you_mean(name, FORMATS)} Known: {', '.join(FORMATS)}")
    return FORMATS[name]
