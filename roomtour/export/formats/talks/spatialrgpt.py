"""Spatial questions for SpatialRGPT (NeurIPS 2024): regions in place of phrases, and items of its benchmark."""

from __future__ import annotations

import json
import re
import tempfile
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal

import cv2
import numpy as np
from pydantic import Field

from instructions.perception.masks import pack_runs
from instructions.questions.core.records import TOO_CLOSE
from instructions.questions.registry import ALL_TYPES
from instructions.questions.things.registry import THING_TYPES
from recon.pictures import write_picture_file
from roomtour.artifacts import DEPTH as DEPTH_MAPS
from roomtour.export.core.checking import Row, RowCheck
from roomtour.export.core.fields import (
    Id,
    Mask,
    RelativePath,
    Size,
    Text,
    Turns,
    begin_with,
    check_masks,
    check_spot,
    find_sizes,
    must,
    there,
    turns_of,
)
from roomtour.export.core.format import ExportFormat
from roomtour.export.core.ledger import BalanceOptions, Ledger
from roomtour.export.core.records import RunData
from roomtour.export.core.run_files import read_image, read_picture
from roomtour.export.core.streams import rows_of
from roomtour.export.core.talks.questions import SpatialTalks
from roomtour.export.core.talks.references import say_places
from roomtour.export.core.talks.regions import cover
from roomtour.export.core.talks.talk import Place, Talk, TalkImage
from roomtour.files.arrays import depth_path, read_depth

MASK, DEPTH, TURNS = "<mask>", "<depth>", "conversations"
_NAMES = {
    "direction": "clock",
    **{f"{name}_data": name for name in ("vertical_distance", "horizontal_distance", "distance", "width", "height")},
}
"""Categories of questions for a number, with our type."""
_WORDS = ("left", "right", "above", "below", "behind", "front", "tall", "short", "wide", "thin", "big", "small")
CATEGORIES = {
    **dict.fromkeys(_NAMES, "quantitative"),
    **{f"{word}_{kind}": "qualitative" for word in _WORDS for kind in ("predicate", "choice")},
}
"""Categories that the client's evaluation sorts by, with their type."""
_CATEGORY_OF = {_NAMES.get(name, name): name for name in CATEGORIES}
_REGION = re.compile(r"Region \[(\d+)\]")


@dataclass(frozen=True)
class Regions:
    """A question and its answer with regions in place of phrases."""

    question: str
    """With one `<mask>` per mention."""
    text_q: str
    """The same with `Region [0]`, `Region [1]` in the order of their first mention."""
    answer: str
    mentions: tuple[Place, ...]
    """What each `<mask>` stands for, in order."""


def category_of(talk: Talk) -> str | None:
    """The benchmark's name for the type of a question; None for what it does not ask."""
    kind = THING_TYPES.get(talk.type)
    if kind is None or kind.supposes or talk.solution == TOO_CLOSE:
        return None
    return _CATEGORY_OF.get(talk.type)


def mark_regions(talk: Talk) -> Regions | str:
    """Put regions for what a question points at, or say why that cannot be."""
    pointed = say_places(talk, lambda place, _: f"Region [{talk.places.index(place)}]")
    if isinstance(pointed, str):
        return pointed
    (question, answer), *_ = pointed.turns
    mentions = [int(place) for place in _REGION.findall(question)]
    order = list(dict.fromkeys(mentions))

    def name(match: re.Match[str]) -> str:
        return f"Region [{order.index(int(match[1]))}]"

    return Regions(
        _REGION.sub(MASK, question),
        _REGION.sub(name, question),
        _REGION.sub(name, answer),
        tuple(talk.places[place] for place in mentions),
    )


CONVENTION = """\
* `{split}.json`: `filename` (a picture of `images/`, without `.jpg`, which the trainer appends), `conversations` with
  one `<mask>` for each time a thing is meant, `rle` (COCO's compressed form) and `bbox` (x1, y1, x2, y2 in whole
  pixels), one entry per `<mask>` in order; the trainer takes one of the two by chance. A thing without a mask has its
  box as one, a marked point a small disk. Where a question speaks of its marks by numbers too, it begins with what each
  is (`Mark 1 is <mask>.`).
* `{split}_depth.json`: the rows whose picture has depth nearly everywhere (sparse reconstructions have not), with
  `<mask> <depth>`. The trainer reads `depths/{filename}.png` only where the path of the JSON holds the word `depth`,
  so keep that word out of the path of the other file. A depth picture is the inverse of depth, stretched over 0 to 255
  in each picture, in three equal channels; 0 where it is unknown.
* `bench_{split}.json` (a list, as eval_spatial.py reads it) and `bench_{split}.jsonl` (the same by line): the rows that
  its benchmark has a category for. `direction` is the hour of the bearing from the viewer, ahead being 12; what is too
  close to call is left out."""


FILES = ("{split}.json", "{split}_depth.json", "bench_{split}.json", "bench_{split}.jsonl")
"""Rows, rows with depth, and the benchmark as a list and by line."""
LEAST_KNOWN = 0.8
"""Share of a picture whose depth is known: the trainer takes the rest for far away."""


def write(runs: Iterable[RunData], ledger: Ledger, options: BalanceOptions) -> None:
    """Write the rows of all tours; they wait on disk until all tours are seen, for the balance is over all of them."""
    ledger.counts.update({"rows": 0, "rows with depth": 0, "benchmark items": 0})
    source = SpatialTalks()
    with tempfile.TemporaryFile("w+", encoding="utf-8") as spool:
        for run in runs:
            for talk in source.take(run, ledger.split):
                item = _item(run, talk, ledger) if talk.type in ALL_TYPES else None
                if item is not None:
                    spool.write(json.dumps({"split": ledger.split, **item}, ensure_ascii=False) + "\n")
        closing = source.close(options.balance)
        ledger.card_notes += closing.notes
        for reason in closing.gone.values():
            ledger.dropped[f"spatial: {reason}"] += 1
        counted = ("rows", "rows with depth", "benchmark items", "")
        add, add_deep, add_item, add_line = (
            ledger.open_rows(name, options, what) for name, what in zip(FILES, counted, strict=True)
        )
        spool.seek(0)
        for line in spool:
            item = json.loads(line)
            split, has_depth = item.pop("split"), item.pop("has_depth")
            if item["id"] in closing.gone:
                continue
            bench = item.pop("bench")
            add(item, split)
            if has_depth:
                said = [{**turn, "value": turn["value"].replace(MASK, f"{MASK} {DEPTH}")} for turn in item[TURNS]]
                add_deep({**item, TURNS: said}, split)
            if bench is not None:
                add_item(bench, split)
                add_line(bench, split)


def _item(run: RunData, talk: Talk, ledger: Ledger) -> dict[str, Any] | None:
    regions = mark_regions(talk) if len(talk.images) == 1 else "about more than one picture"
    if isinstance(regions, str):
        ledger.dropped[regions] += 1
        return None
    image = talk.images[0]
    name = str(Path(image.name).with_suffix(""))
    width, height = size = image.size_px
    _write_picture(image, talk.tour, ledger.out / "images" / f"{name}.jpg")
    has_depth = _write_depth(run, image, ledger.out / "depths" / f"{name}.png")
    covers = [cover(mention, size) for mention in regions.mentions]
    conversations = turns_of([(regions.question, regions.answer)], "<image>")
    common = {"bbox": [box for box, _ in covers], "rle": [pack_runs(mask) for _, mask in covers]}
    item = {"id": talk.id, "filename": name, "conversations": conversations, **common, "has_depth": has_depth}
    category = category_of(talk)
    if category is None:
        return {**item, "bench": None}
    about = {"file_path": f"{name}.jpg", "height": height, "width": width}
    asked = {"type": CATEGORIES[category], "category": category}
    head = {"id": talk.id, "image_info": about, "text_q": regions.text_q, "qa_info": asked}
    return {**item, "bench": {**head, "conversations": conversations, **common}}


def _write_picture(image: TalkImage, tour: str, target: Path) -> None:
    """Put a frame at its place as JPEG.

    Raises:
        RoomtourError: If the run's image is gone or damaged.
    """
    if target.exists():
        return
    source = Path(image.path)
    target.parent.mkdir(parents=True, exist_ok=True)
    if source.suffix.lower() in (".jpg", ".jpeg"):
        target.write_bytes(read_picture(source, tour))
    else:
        write_picture_file(target, read_image(source, tour), cv2.IMWRITE_JPEG_QUALITY, 95)


def _write_depth(run: RunData, image: TalkImage, target: Path) -> bool:
    """Put the depth of a frame at its place; False where the run has none of it."""
    if target.exists():
        return True
    folder = run.home / DEPTH_MAPS.path
    index = next(frame.index for frame in run.scene.frames if frame.image == Path(image.path).name)
    if not depth_path(folder, index).is_file():
        return False
    depth = read_depth(folder, index)
    near = np.where(np.isfinite(depth) & (depth > 0), 1.0 / np.where(depth > 0, depth, 1.0), np.nan)
    known = np.isfinite(near)
    if known.mean() < LEAST_KNOWN:
        return False
    low, high = float(near[known].min()), float(near[known].max())
    shade = np.where(known, 255.0 * (near - low) / max(high - low, 1e-9), 0.0).astype(np.uint8)
    target.parent.mkdir(parents=True, exist_ok=True)
    write_picture_file(target, np.dstack([cv2.resize(shade, image.size_px, interpolation=cv2.INTER_LINEAR)] * 3))
    return True


class _Asked(Row):
    type: Literal["qualitative", "quantitative"]
    category: str


_Box = Annotated[
    list[int],
    Field(min_length=4, max_length=4),
    must(lambda box: 0 <= box[0] < box[2] and 0 <= box[1] < box[3], "x1 < x2 and y1 < y2, none negative"),
]


class _Regions(Row):
    id: Id
    conversations: Annotated[Turns, begin_with("<image>")]
    bbox: Annotated[list[_Box], Field(min_length=1)]
    rle: Annotated[list[Mask], Field(min_length=1)]
    depths: ClassVar[int] = 0
    """Marks of depth for each region."""

    def check_regions(self, row: RowCheck, size: Size) -> None:
        """One mask and box per mark, inside a picture of this size."""
        check_masks(row, "rle", self.rle, size)
        for box in self.bbox:
            check_spot(row, "bbox", box, size)
        text = " ".join(turn.value for turn in self.conversations)
        marks, wanted = text.count(MASK), text.count(MASK) * self.depths
        if not marks == len(self.bbox) == len(self.rle):
            expected = f"{len(self.bbox)} times {MASK}, one for each bbox and rle"
            row.bad("conversations.value", expected, f"{marks} times")
        if text.count(DEPTH) != wanted:
            row.bad("conversations.value", f"{wanted} times {DEPTH}", f"{text.count(DEPTH)} times")


class _Item(_Regions):
    filename: Annotated[
        RelativePath,
        must(lambda name: not name.endswith((".jpg", ".png")), "a name without its ending, which the trainer appends"),
        there("images", ".jpg"),
    ]

    def check(self, row: RowCheck) -> None:
        """Regions of the picture."""
        (size,) = find_sizes(row, [f"{self.filename}.jpg"], "images")
        if size is not None:
            self.check_regions(row, size)


class _Deep(_Item):
    depths = 1
    filename: Annotated[RelativePath, there("depths", ".png"), there("images", ".jpg")]


class _Image(Row):
    file_path: Annotated[RelativePath, there("images")]
    height: Annotated[int, Field(gt=0)]
    width: Annotated[int, Field(gt=0)]


class _Bench(_Regions):
    image_info: _Image
    text_q: Annotated[Text, must(lambda text: MASK not in text, "Region [0] and no mark")]
    qa_info: _Asked

    def check(self, row: RowCheck) -> None:
        """Regions of the picture, a category that the client knows."""
        self.check_regions(row, (self.image_info.width, self.image_info.height))
        if CATEGORIES.get(self.qa_info.category) != self.qa_info.type:
            row.bad("qa_info.category", "a category of the benchmark, of its type", self.qa_info.category)


SPATIALRGPT = ExportFormat(
    name="spatialrgpt",
    summary="spatial questions in which regions stand for things, and the same as items of its benchmark",
    client="SpatialRGPT (AnjieCheng/SpatialRGPT at 16715d4 of 2024-12-14, llava/data/dataset.py), and its "
    "llava/eval/eval_spatial.py",
    reads=("spatial",),
    convention=CONVENTION,
    options=BalanceOptions,
    write=write,
    tables=dict(zip(FILES, (_Item, _Deep, _Bench, _Bench), strict=True)),
    rows=rows_of("train.json", "val.json"),
)
