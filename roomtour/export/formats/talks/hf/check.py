"""Check Hugging Face parquet: the card's configs, the columns, and every row with what it refers to."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import pyarrow as pa
import pyarrow.parquet as pq
import yaml
from pydantic import Field

from recon.pictures import find_picture_size
from roomtour.export.core.checking import (
    SPLITS,
    DatasetCheck,
    Finite,
    Place,
    Quaternion,
    RelativePath,
    Row,
    RowCheck,
    Text,
    Whole,
    is_focal_length,
    must,
)
from roomtour.export.core.columns import PictureCell, PlaceRow, check_places
from roomtour.export.core.folder import CARD
from roomtour.export.core.talks.region_rows import MENTION
from roomtour.export.core.talks.talk import METRIC_UNITS, Unit
from roomtour.export.formats.talks.hf.regions import PAIRS, QARS
from roomtour.export.formats.talks.hf.write import COLUMNS, INSTRUCTIONS, MANY_TURNS, TALKS, VIEWS, schema_of
from roomtour.options.yaml_text import read_yaml

_FromOne = Annotated[int, Field(ge=1)]
_Scale = Literal["metric", "assumed", "relative"]


class _DataFile(Row):
    split: Literal["train", "val"]
    path: RelativePath


class _Config(Row):
    config_name: str
    data_files: Annotated[list[_DataFile], Field(min_length=1)]


class _Header(Row):
    configs: list[_Config]


class _Source(Row):
    tour: Text
    model: Text
    licence: Text
    scale_status: _Scale
    unit: str

    def check(self, row: RowCheck) -> None:
        """A unit that fits the scale."""
        if self.unit != ("unit" if self.scale_status == "relative" else "m"):
            row.bad("unit", f"what fits scale {self.scale_status}", self.unit)


class _View(_Source):
    frame: _FromOne
    time_s: Finite
    elevation_deg: Finite
    heading_deg: Finite | None
    translation: Place
    quat_wxyz: Quaternion
    width: _FromOne
    height: _FromOne
    camera_model: Text
    camera_params: Annotated[list[Finite], Field(min_length=1)]
    image: PictureCell | None

    def check(self, row: RowCheck) -> None:
        """A lens for rooms, a picture of the size that the row says."""
        super().check(row)
        if not is_focal_length(self.camera_params[0], self.width, self.height):
            row.bad("camera_params", "a focal length of a lens for rooms first", self.camera_params)
        size = find_picture_size(self.image.bytes) if self.image is not None else None
        if size not in (None, (self.width, self.height)):
            row.bad("image", f"a picture of {self.width} x {self.height}, as the row says", size)


class _Told(_Source):
    id: Text
    text: Text
    trajectory: Text
    kind: Literal["instruction", "description"]
    views: Annotated[
        list[int],
        Field(min_length=2),
        must(lambda views: views == sorted(set(views)), "different frames in time order"),
    ]
    frame_times_s: list[Finite]
    headings_deg: list[Finite]
    positions: list[Place]

    def check(self, row: RowCheck) -> None:
        """Frames of the config of views, and as many values."""
        super().check(row)
        unknown = set(self.views) - row.data.known[f"{self.tour} {self.model}", "frame"]
        if unknown:
            row.bad("views", f"frames of the config {VIEWS}, of the same tour and model", sorted(unknown))
        for field in ("frame_times_s", "headings_deg", "positions"):
            row.each(field, getattr(self, field), len(self.views), "frame")


class _Talk(Row):
    id: Text
    tour: Text
    scale_status: _Scale
    images: list[PictureCell]
    type: Text
    ground_truth: Text
    unit: Unit
    sigma: Finite | None
    places: list[PlaceRow]

    def check(self, row: RowCheck) -> None:
        """Places in its pictures, nothing in meters where there are none."""
        if self.scale_status == "relative" and self.unit in METRIC_UNITS:
            row.bad("unit", "no metres from a relative scale", self.unit)
        if self.images:
            check_places(row, self.places, [find_picture_size(one.bytes) for one in self.images])


class _Asked(_Talk):
    question: Text
    answer: Text


class _Discussed(_Talk):
    questions: Annotated[list[Text], Field(min_length=1)]
    answers: Annotated[list[Text], Field(min_length=1)]

    def check(self, row: RowCheck) -> None:
        """An answer for each question."""
        super().check(row)
        row.each("answers", self.answers, len(self.questions), "question")


class _OfView(Row):
    """A row about numbered regions: no text names a region that is not there."""

    id: Text
    tour: Text
    view: Text
    width: _FromOne
    height: _FromOne
    numbers: Annotated[list[Whole], Field(min_length=1)]
    boxes: list[Annotated[list[Finite], Field(min_length=4, max_length=4)]]
    labels: list[str | None]
    objects: list[str | None]
    image: PictureCell | None
    question: Text

    def check(self, row: RowCheck) -> None:
        """Boxes in the picture, texts that name regions."""
        for field in ("boxes", "labels", "objects"):
            row.each(field, getattr(self, field), len(self.numbers), "region")
        for box in self.boxes:
            if not (0 <= box[0] < box[2] <= self.width and 0 <= box[1] < box[3] <= self.height):
                row.bad("boxes", f"corners inside {self.width} x {self.height}", box)
        for field in {"question", "answer", "rationale", "chosen", "rejected"} & type(self).model_fields.keys():
            if not {int(one) for one in MENTION.findall(getattr(self, field))} <= set(self.numbers):
                row.bad(field, "only [n] that numbers has", getattr(self, field))


class _ThreeParts(_OfView):
    mode: Literal["id", "description"]
    answer: Text
    rationale: Text
    mentioned: list[int]
    verdicts: Text

    def check(self, row: RowCheck) -> None:
        """Regions that there are."""
        super().check(row)
        if not set(self.mentioned) <= set(self.numbers):
            row.bad("mentioned", "only what numbers has", self.mentioned)


class _Twins(_OfView):
    row: Text
    chosen: Text
    rejected: Text
    because: Text

    def check(self, row: RowCheck) -> None:
        """Two answers to a row that there is."""
        super().check(row)
        if self.chosen == self.rejected:
            row.bad("rejected", "another answer than the chosen one", self.rejected)
        if self.row not in row.data.known[QARS, "id"]:
            row.bad("row", f"the id of a row of {QARS}", self.row)


_KINDS: dict[str, type[Row]] = {
    VIEWS: _View,
    INSTRUCTIONS: _Told,
    **{config: _Discussed if config in MANY_TURNS else _Asked for config in TALKS},
    QARS: _ThreeParts,
    PAIRS: _Twins,
}
"""What a row of a config must be; those that others refer to come first."""


def check(data: DatasetCheck) -> None:
    """The configs of the card, then every row with what it refers to."""
    files = _find_files(data)
    for config, kind in _KINDS.items():
        for split, shards in files.get(config, {}).items():
            for shard in shards:
                name = shard.relative_to(data.folder).as_posix()
                for row in data.table(name, schema_of(config), split):
                    if config == VIEWS:  # that the view is there holds whatever is wrong with it
                        row.new("frame", row.record["frame"], f"{row.record['tour']} {row.record['model']}")
                    data.fit(row, kind, config, depth=1)  # problems are named by their column


def _find_files(data: DatasetCheck) -> dict[str, dict[str, list[Path]]]:
    """Shards by config and split, as the card's header names them."""
    path, header = data.folder, {}
    try:
        text = (path / CARD).read_text(encoding="utf-8")
        parts = text.split("---\n", 2)
        if text.startswith("---\n") and len(parts) == 3:
            header = read_yaml(parts[1])
    except (OSError, ValueError, RecursionError, yaml.YAMLError) as error:
        data.bad(CARD, "configs", "a header in YAML", str(error))
        return {}
    card = RowCheck(data, CARD, None, header)
    told = card.fit(_Header, root="configs")
    files: dict[str, dict[str, list[Path]]] = {}
    for config in told.configs if told else ():
        name = config.config_name
        if name not in COLUMNS or name in files:
            card.bad("configs.config_name", f"each of {', '.join(COLUMNS)} once", name)
            continue
        files[name] = {}
        for entry in config.data_files:
            if entry.split in files[name]:
                card.bad("configs.data_files.split", f"each of {', '.join(SPLITS)} once at most", entry.split)
                continue
            files[name][entry.split] = sorted(path.glob(entry.path))
            if not any(map(_may_have_rows, files[name][entry.split])):
                card.bad("configs.data_files.path", "a pattern with files that hold rows", entry.path)
    for name in COLUMNS if told else ():
        named = {shard for shards in files.get(name, {}).values() for shard in shards}
        for shard in sorted(set((path / name).glob("*.parquet")) - named):
            card.bad("configs.config_name", f"a config {name} with {shard.name}", "no such config")
    return files


def _may_have_rows(shard: Path) -> bool:
    """Whether a file holds rows; a damaged one is told by the check of its rows."""
    try:
        return pq.read_metadata(shard).num_rows > 0
    except (pa.ArrowException, OSError):
        return True
