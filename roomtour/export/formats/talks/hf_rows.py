"""The configs of the Hugging Face export: what a row of each must be, from which its Arrow schema follows."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from typing import Annotated, Any, Literal

import pyarrow as pa
from pydantic import Field, create_model

from recon.pictures import find_picture_size
from roomtour.export.core.checking import Row, RowCheck
from roomtour.export.core.fields import (
    Finite,
    PictureCell,
    Place,
    PlaceRow,
    Quaternion,
    Text,
    Whole,
    check_places,
    columns_of,
    is_focal_length,
    must,
    type_of,
)
from roomtour.export.core.talks.regions import MENTION
from roomtour.export.core.talks.spool import SOURCES
from roomtour.export.core.talks.talk import METRIC_UNITS, TalkSource, Unit

INSTRUCTIONS, VIEWS, QARS, PAIRS = "instructions", "views", "qars", "pairs"
_FromOne = Annotated[int, Field(ge=1)]
_Scale = Literal["metric", "assumed", "relative"]


class _Source(Row):
    tour: Text
    model: Text
    unit: str
    scale_status: _Scale
    licence: Text
    source_sha256: str | None

    def check(self, row: RowCheck) -> None:
        """A unit that fits the scale."""
        if self.unit != ("unit" if self.scale_status == "relative" else "m"):
            row.bad("unit", f"what fits scale {self.scale_status}", self.unit)


class _View(_Source):
    frame: _FromOne
    time_s: Finite
    image: PictureCell | None
    width: _FromOne
    height: _FromOne
    camera_model: Text
    camera_params: Annotated[list[Finite], Field(min_length=1)]
    translation: Place
    quat_wxyz: Quaternion
    heading_deg: Finite | None
    elevation_deg: Finite
    text: str | None

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
    trajectory: Text
    kind: Literal["instruction", "description"]
    text: Text
    views: Annotated[
        list[int],
        Field(min_length=2),
        must(lambda views: views == sorted(set(views)), "different frames in time order"),
    ]
    frame_times_s: list[Finite]
    positions: list[Place]
    headings_deg: list[Finite]
    writer: str | None
    perception: str | None

    def check(self, row: RowCheck) -> None:
        """Frames of the config of views, and as many values."""
        super().check(row)
        unknown = set(self.views) - row.data.known[f"{self.tour} {self.model}", "frame"]
        row.need(not unknown, "views", f"frames of the config {VIEWS}, of the same tour and model", sorted(unknown))
        for field in ("frame_times_s", "headings_deg", "positions"):
            row.each(field, getattr(self, field), len(self.views), "frame")


class _Talk(Row):
    id: Text
    tour: Text
    scale_status: _Scale
    licence: str | None
    images: list[PictureCell]


class _Asked(_Talk):
    question: Text
    answer: Text


class _Discussed(_Talk):
    questions: Annotated[list[Text], Field(min_length=1)]
    answers: Annotated[list[Text], Field(min_length=1)]

    def check(self, row: RowCheck) -> None:
        """An answer for each question."""
        row.each("answers", self.answers, len(self.questions), "question")


class _Truth(Row):
    """The columns behind the turns of a talk."""

    type: Text
    choices: list[str] | None
    ground_truth: Text
    unit: Unit
    sigma: Finite | None
    places: list[PlaceRow]

    def check(self, row: RowCheck) -> None:
        """Places in its pictures, nothing in meters where there are none."""
        super().check(row)
        if row.record["scale_status"] == "relative" and self.unit in METRIC_UNITS:
            row.bad("unit", "no metres from a relative scale", self.unit)
        if row.record["images"]:
            check_places(row, self.places, [find_picture_size(image["bytes"]) for image in row.record["images"]])


def _talk_of(source: type[TalkSource]) -> type[Row]:
    """Rows of a kind of talks, with its own columns of text."""
    own: dict[str, Any] = dict.fromkeys(source.columns, (str | None, ...))
    return create_model("Talk", __base__=(_Truth, _Discussed if source.has_many_turns else _Asked), **own)


class OfView(Row):
    """A row about numbered regions: no text names a region that is not there."""

    id: Text
    tour: Text
    view: Text
    licence: str | None
    image: PictureCell | None
    width: _FromOne
    height: _FromOne
    numbers: Annotated[list[Whole], Field(min_length=1)]
    boxes: list[Annotated[list[Finite], Field(min_length=4, max_length=4)]]
    labels: list[str | None]
    objects: list[str | None]

    def check(self, row: RowCheck) -> None:
        """Boxes in the picture, texts that name regions."""
        for field in ("boxes", "labels", "objects"):
            row.each(field, getattr(self, field), len(self.numbers), "region")
        for box in self.boxes:
            if not (0 <= box[0] < box[2] <= self.width and 0 <= box[1] < box[3] <= self.height):
                row.bad("boxes", f"corners inside {self.width} x {self.height}", box)
        for field in sorted({"question", "answer", "rationale", "chosen", "rejected"} & type(self).model_fields.keys()):
            if not {int(number) for number in MENTION.findall(getattr(self, field))} <= set(self.numbers):
                row.bad(field, "only [n] that numbers has", getattr(self, field))


class _ThreeParts(OfView):
    mode: Literal["id", "description"]
    type: str | None
    question: Text
    answer: Text
    rationale: Text
    mentioned: list[int]
    verdicts: Text
    checked_share: float | None
    difficulty: float | None
    score: float | None
    scale_status: str | None
    writer: str | None

    def check(self, row: RowCheck) -> None:
        """Regions that there are."""
        super().check(row)
        row.need(set(self.mentioned) <= set(self.numbers), "mentioned", "only what numbers has", self.mentioned)


class _Twins(OfView):
    row: Text
    change: str | None
    question: Text
    chosen: Text
    rejected: Text
    because: Text

    def check(self, row: RowCheck) -> None:
        """Two answers to a row that there is."""
        super().check(row)
        row.need(self.chosen != self.rejected, "rejected", "another answer than the chosen one", self.rejected)
        row.need(self.row in row.data.known[QARS, "id"], "row", f"the id of a row of {QARS}", self.row)


CONFIGS: Mapping[str, type[Row]] = {
    INSTRUCTIONS: _Told,
    VIEWS: _View,
    **{source.file: _talk_of(source) for source in SOURCES},
    QARS: _ThreeParts,
    PAIRS: _Twins,
}
"""What a row of each config must be."""
_IMAGE, _PLACE = type_of(PictureCell), type_of(PlaceRow)


@cache
def schema_of_config(config: str) -> pa.Schema:
    """Arrow schema of a config, with what tells `datasets` that `image` is an image."""
    columns = columns_of(CONFIGS[config])
    columns = {name: columns[name] for name in sorted(columns, key=lambda name: name != "id")}
    note = {"info": {"features": {name: _feature(kind) for name, kind in columns.items()}}}
    return pa.schema(columns, metadata={"huggingface": json.dumps(note)})


def _feature(kind: pa.DataType) -> dict[str, Any]:
    if kind == _IMAGE:
        return {"_type": "Image"}
    if isinstance(kind, pa.ListType):
        return {"feature": _feature(kind.value_type), "_type": "List" if kind.value_type == _PLACE else "Sequence"}
    if isinstance(kind, pa.StructType):
        return {field.name: _feature(field.type) for field in kind}
    return {"dtype": {"double": "float64"}.get(str(kind), str(kind)), "_type": "Value"}
