"""The formats by name: what each needs, which client loads it, how it is written and how it is checked."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from roomtour.errors import RoomtourError
from roomtour.export import (
    actions,
    actions_check,
    colmap,
    colmap_check,
    gnm,
    gnm_check,
    hf,
    hf_check,
    jsonl,
    jsonl_check,
    lerobot,
    lerobot_check,
    llava,
    llava_check,
    nerfstudio,
    nerfstudio_check,
    r2r,
    r2r_check,
    roomtour3d,
    roomtour3d_check,
    tum,
    vlnce,
    vlnce_check,
)
from roomtour.export.ledger import ExportOptions, Ledger
from roomtour.export.records import Problem, RunData


@dataclass(frozen=True)
class ExportFormat:
    """One row of the formats table."""

    name: str
    summary: str
    client: str
    """What loads it."""
    needs_scale: bool
    """Lengths must be metres: a tour whose scale is relative cannot be written."""
    needs_instructions: bool
    """Without instructions the dataset would be empty."""
    shows_rooms: bool
    """Rows name rooms where the run knows them."""
    convention: str
    """Axes, direction of the transform and unit, for the dataset card."""
    options: type[ExportOptions]
    write: Callable[[Iterable[RunData], Ledger, Any], None]
    """Writes all tours into `Ledger.out`, one at a time."""
    check: Callable[[Path], list[Problem]]
    """Finds every broken rule in a folder."""
    recognise: Callable[[Path], bool]
    """Whether a folder without `export.json` looks like this format."""

    @property
    def needs(self) -> str:
        """What a run must have, for people."""
        wants = [
            ("a scale in metres", self.needs_scale),
            ("accepted texts, of the embedded writer or a language model", self.needs_instructions),
        ]
        return "; ".join(name for name, is_needed in wants if is_needed) or "poses only"

    @property
    def shows(self) -> str:
        """What its rows tell besides, where a run knows it, for people."""
        return "room names (--perception models)" if self.shows_rooms else ""


_ALL = (
    ExportFormat(
        name="roomtour3d",
        summary="instructions with paths and candidates, camera geometry, and descriptions for the reference loader",
        client="NaviLLM with RoomTour3D data (the reference loader)",
        needs_scale=True,
        needs_instructions=True,
        shows_rooms=False,
        convention=roomtour3d.CONVENTION,
        options=roomtour3d.Roomtour3dOptions,
        write=roomtour3d.write,
        check=roomtour3d_check.check,
        recognise=roomtour3d_check.recognise,
    ),
    ExportFormat(
        name="tum",
        summary="camera trajectories as text, one file per model, largest first",
        client="evo",
        needs_scale=False,
        needs_instructions=False,
        shows_rooms=False,
        convention=tum.CONVENTION,
        options=ExportOptions,
        write=tum.write,
        check=tum.check,
        recognise=tum.recognise,
    ),
    ExportFormat(
        name="colmap",
        summary="cameras, images and points, binary and text, one folder per model",
        client="pycolmap.Reconstruction, COLMAP, and the splatting tools that read it",
        needs_scale=False,
        needs_instructions=False,
        shows_rooms=False,
        convention=colmap.CONVENTION,
        options=colmap.ColmapOptions,
        write=colmap.write,
        check=colmap_check.check,
        recognise=colmap_check.recognise,
    ),
    ExportFormat(
        name="jsonl",
        summary="scenes, floor plans, trajectories, objects and instructions with the provenance of every row",
        client="any JSON reader",
        needs_scale=False,
        needs_instructions=False,
        shows_rooms=True,
        convention=jsonl.CONVENTION,
        options=jsonl.JsonlOptions,
        write=jsonl.write,
        check=jsonl_check.check,
        recognise=jsonl_check.recognise,
    ),
    ExportFormat(
        name="nerfstudio",
        summary="transforms.json with images and points, one folder per model",
        client="nerfstudio and the tools that read its transforms.json",
        needs_scale=False,
        needs_instructions=False,
        shows_rooms=False,
        convention=nerfstudio.CONVENTION,
        options=nerfstudio.NerfstudioOptions,
        write=nerfstudio.write,
        check=nerfstudio_check.check,
        recognise=nerfstudio_check.recognise,
    ),
    ExportFormat(
        name="llava",
        summary="conversations about single views and about the way through several",
        client="LLaVA-style trainers; datasets.load_dataset",
        needs_scale=False,
        needs_instructions=True,
        shows_rooms=True,
        convention=llava.CONVENTION,
        options=llava.LlavaOptions,
        write=llava.write,
        check=llava_check.check,
        recognise=llava_check.recognise,
    ),
    ExportFormat(
        name="r2r",
        summary="paths with up to three instructions, and a navigation graph per scan",
        client="loaders of R2R and its connectivity files; networkx",
        needs_scale=True,
        needs_instructions=True,
        shows_rooms=False,
        convention=r2r.CONVENTION,
        options=r2r.R2rOptions,
        write=r2r.write,
        check=r2r_check.check,
        recognise=r2r_check.recognise,
    ),
    ExportFormat(
        name="vlnce",
        summary="episodes for instruction following in continuous space, y up",
        client="habitat-lab's VLNDatasetV1",
        needs_scale=True,
        needs_instructions=True,
        shows_rooms=False,
        convention=vlnce.CONVENTION,
        options=vlnce.VlnceOptions,
        write=vlnce.write,
        check=vlnce_check.check,
        recognise=vlnce_check.recognise,
    ),
    ExportFormat(
        name="hf",
        summary="parquet shards of views (image, pose) and texts, with a card the hub understands",
        client="datasets.load_dataset",
        needs_scale=False,
        needs_instructions=False,
        shows_rooms=False,
        convention=hf.CONVENTION,
        options=hf.HfOptions,
        write=hf.write,
        check=hf_check.check,
        recognise=hf_check.recognise,
    ),
    ExportFormat(
        name="actions",
        summary="discrete actions with a frame for each, and one training sample per step",
        client="StreamVLN, Uni-NaVid and NaVILA style trainers",
        needs_scale=True,
        needs_instructions=True,
        shows_rooms=False,
        convention=actions.CONVENTION,
        options=actions.ActionsOptions,
        write=actions.write,
        check=actions_check.check,
        recognise=actions_check.recognise,
    ),
    ExportFormat(
        name="gnm",
        summary="numbered images with positions and yaws, one folder per unbroken walk",
        client="GNM, ViNT and NoMaD trainers",
        needs_scale=True,
        needs_instructions=False,
        shows_rooms=False,
        convention=gnm.CONVENTION,
        options=ExportOptions,
        write=gnm.write,
        check=gnm_check.check,
        recognise=gnm_check.recognise,
    ),
    ExportFormat(
        name="lerobot",
        summary="LeRobot v3: an episode per told way, with images, poses as state and motion as action",
        client="lerobot 0.4",
        needs_scale=True,
        needs_instructions=True,
        shows_rooms=False,
        convention=lerobot.CONVENTION,
        options=lerobot.LerobotOptions,
        write=lerobot.write,
        check=lerobot_check.check,
        recognise=lerobot_check.recognise,
    ),
)
FORMATS: dict[str, ExportFormat] = {format.name: format for format in _ALL}


def get_format(name: str) -> ExportFormat:
    """The format of this name.

    Raises:
        RoomtourError: Naming the known ones.
    """
    if name not in FORMATS:
        raise RoomtourError(f"no export format {name!r}; known: {', '.join(FORMATS)}")
    return FORMATS[name]
