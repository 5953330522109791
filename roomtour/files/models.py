"""Sub-models of a run folder: COLMAP folders beside one index that says what each is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from recon.records import SubModel
from roomtour.errors import RoomtourError
from roomtour.files.records import from_plain, read_json, to_plain, write_json

if TYPE_CHECKING:
    from recon.audit.pose_uncertainty import Assessment

INDEX = "index.json"
ASSESSMENTS = "assessments.json"
"""Beside merged models: what the matches, which may be gone later, say of each."""
SECOND_DATABASE = "database.db"
"""Beside the sub-models, where some of them rest on learned keypoints: the tour's database with both kinds."""


@dataclass(frozen=True)
class SubModelEntry:
    """One sub-model in the index, with the figures that tables show."""

    name: str
    folder: str
    clips: tuple[str, ...]
    frames: int
    first_frame: int
    last_frame: int
    points: int
    mean_reprojection_error_px: float
    held_by_floor: bool = False


def write_sub_models(folder: Path, sub_models: Sequence[SubModel]) -> None:
    """Write each sub-model `a/b` as COLMAP binary files to folder/a/b, and the index."""
    folder.mkdir(parents=True, exist_ok=True)
    entries = []
    for model in sub_models:
        target = folder / model.name
        target.mkdir(parents=True)
        model.reconstruction.write(target)
        entries.append(
            SubModelEntry(
                name=model.name,
                folder=model.name,
                clips=model.clips,
                frames=len(model.frames),
                first_frame=model.frames[0],
                last_frame=model.frames[-1],
                points=model.reconstruction.num_points3D(),
                mean_reprojection_error_px=model.mean_reprojection_error_px,
                held_by_floor=model.held_by_floor,
            )
        )
    write_json(folder / INDEX, to_plain(tuple(entries), tuple[SubModelEntry, ...]))


def read_index(folder: Path) -> tuple[SubModelEntry, ...]:
    """Read the index only."""
    return from_plain(read_json(folder / INDEX), tuple[SubModelEntry, ...], str(folder / INDEX))


def read_sub_models(folder: Path) -> tuple[SubModel, ...]:
    """Read the sub-models written by `write_sub_models`.

    Raises:
        RoomtourError: If an entry points outside the folder.
        ReconError: If a file of a model is damaged.
    """
    from recon.colmap.read import read_model

    out = []
    for entry in read_index(folder):
        target = folder / entry.folder
        if not target.resolve().is_relative_to(folder.resolve()):
            raise RoomtourError(f"{folder / INDEX}: {entry.folder!r} leaves the run folder")
        out.append(SubModel(entry.name, entry.clips, read_model(target), entry.held_by_floor))
    return tuple(out)


def write_assessments(folder: Path, assessments: Mapping[str, Assessment]) -> None:
    """Write what is known of the quality of each model, by its name, beside the models."""
    from recon.audit.pose_uncertainty import Assessment

    write_json(folder / ASSESSMENTS, to_plain(assessments, Mapping[str, Assessment]))


def read_assessments(folder: Path) -> Mapping[str, Assessment]:
    """Read what `write_assessments` wrote."""
    from recon.audit.pose_uncertainty import Assessment

    path = folder / ASSESSMENTS
    return from_plain(read_json(path), Mapping[str, Assessment], str(path))


def find_database(first: Path, sub_models: Path) -> Path:
    """The database that the sub-models rest on: the one beside them, else the first."""
    second = sub_models / SECOND_DATABASE
    return second if second.is_file() else first
