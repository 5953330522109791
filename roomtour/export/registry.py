"""The formats by name, each imported when it is asked for, and their options from words such as `val_share=0.1`."""

from __future__ import annotations

from collections import UserDict
from collections.abc import Mapping, Sequence
from dataclasses import fields
from importlib import import_module
from typing import Any

from pydantic import ValidationError

from roomtour.errors import RoomtourError, did_you_mean
from roomtour.export.core.format import ExportFormat, tell_misfit
from roomtour.export.core.ledger import ExportOptions

_MODULES = {
    "roomtour3d": "walks.roomtour3d.check", "tum": "scenes.poses", "colmap": "scenes.poses",
    "jsonl": "scenes.jsonl_check", "nerfstudio": "scenes.nerfstudio", "rerun": "scenes.rerun", "llava": "talks.llava",
    "messages": "talks.messages", "spatialrgpt": "talks.spatialrgpt", "vlmeval": "talks.vlmeval",
    "tool_calls": "talks.messages", "vsibench": "talks.vsibench", "cambrian-p": "talks.cambrian_p",
    "verl": "talks.verl", "sprite": "scenes.sprite", "r2r": "walks.r2r", "vlnce": "walks.vlnce",
    "hf": "talks.hf", "streamvln": "walks.steps", "navila": "walks.steps", "uninavid": "walks.steps",
    "internnav": "walks.internnav", "gnm": "walks.timed", "waypoints": "walks.timed",
    "lerobot": "walks.lerobot.check", "lskd": "regions.lskd", "lskd-benchmark": "regions.lskd",
    "swift": "regions.swift", "osprey": "regions.masks", "gar": "regions.masks", "videorefer": "regions.videorefer",
    "lamm": "dialogues.lamm", "lamm-benchmark": "dialogues.lamm", "pointllm": "dialogues.clouds",
    "llava3d": "dialogues.clouds", "embodiedscan": "scenes.embodiedscan",
}  # fmt: skip
"""Where each format lies, as a constant of its name, in the order in which they are told."""


class _Formats(UserDict[str, Any]):
    """A command needs one of them, and all of them took 1.5 of the 2.3 CPU-seconds in which `validate` began."""

    def __getitem__(self, name: str) -> ExportFormat:
        return getattr(import_module(f"roomtour.export.formats.{self.data[name]}"), name.replace("-", "_").upper())


FORMATS: Mapping[str, ExportFormat] = _Formats(_MODULES)


def get_format(name: str) -> ExportFormat:
    """The format of this name.

    Raises:
        RoomtourError: Naming the known ones.
    """
    if name not in FORMATS:
        raise RoomtourError(f"no export format {name!r}.{did_you_mean(name, FORMATS)} Known: {', '.join(FORMATS)}")
    return FORMATS[name]


def parse_options(kind: ExportFormat, given: Sequence[str]) -> ExportOptions:
    """The options of a format with the given ones set.

    Args:
        kind: The format.
        given: Each `name=value`.

    Raises:
        RoomtourError: For a word without `=`, an unknown name (naming the known ones), or a value that does not fit.
    """
    known = [field.name for field in fields(kind.options)]
    values = {}
    for word in given:
        name, equals, value = word.partition("=")
        if not equals or name not in known:
            near = did_you_mean(name, known) if name not in known else ""
            raise RoomtourError(f"--options {word}: format {kind.name} takes name=value with {', '.join(known)}.{near}")
        values[name] = value
    try:
        return kind.make_options(values)
    except ValidationError as error:
        name, reason = tell_misfit(error)
        given_text = f"{name}={values[name]}" if name in values else " ".join(given)
        raise RoomtourError(f"--options {given_text}: {reason}") from error
