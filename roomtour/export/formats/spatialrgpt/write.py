"""Spatial questions for SpatialRGPT (NeurIPS 2024): regions in place of phrases, and items of its benchmark."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterable
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from instructions.perception.masks import pack_runs
from instructions.questions.registry import ALL_TYPES
from recon.pictures import decode_picture, write_picture_file
from roomtour.artifacts import DEPTH as DEPTH_MAPS
from roomtour.errors import RoomtourError
from roomtour.export.core.images import read_picture
from roomtour.export.core.ledger import ExportOptions, Ledger
from roomtour.export.core.loader import Loader
from roomtour.export.core.records import RunData
from roomtour.export.core.streams import JsonArrayWriter
from roomtour.export.core.talks.questions import SpatialTalks
from roomtour.export.core.talks.region_masks import cover
from roomtour.export.core.talks.talk import Talk, TalkImage
from roomtour.export.formats.spatialrgpt.regions import DEPTH, MASK, category_of, mark_regions
from roomtour.files.depth import depth_path, read_depth

LOADER = Loader("SpatialRGPT", "AnjieCheng/SpatialRGPT", "16715d4", "2024-12-14", "llava/data/dataset.py")
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


LEAST_KNOWN = 0.8
"""Share of a picture whose depth is known: the trainer takes the rest for far away."""


@dataclass(frozen=True, kw_only=True)
class SpatialRgptOptions(ExportOptions):
    """Options of the format."""

    balance: bool = True
    """Leave out rows whose answer the names would tell, as the other formats do, so that splits are alike."""


def file_names(split: str) -> tuple[str, str, str, str]:
    """The files of a split: rows, rows with depth, and the benchmark as a list and by line."""
    return f"{split}.json", f"{split}_depth.json", f"bench_{split}.json", f"bench_{split}.jsonl"


def write(runs: Iterable[RunData], ledger: Ledger, options: SpatialRgptOptions) -> None:
    """Write the rows of all tours; they wait on disk until all tours are seen, for the balance is over all of them."""
    ledger.counts.update({"rows": 0, "rows with depth": 0, "benchmark items": 0})
    splits = options.splits
    source = SpatialTalks()
    with ExitStack() as stack:
        spool = stack.enter_context(tempfile.TemporaryFile("w+", encoding="utf-8"))
        for run in runs:
            for talk in source.take(run, ledger.split):
                item = _item(run, talk, ledger) if talk.type in ALL_TYPES else None
                if item is not None:
                    spool.write(json.dumps({"split": ledger.split, **item}, ensure_ascii=False) + "\n")
        closing = source.close(options.balance)
        ledger.card_notes += closing.notes
        for reason in closing.gone.values():
            ledger.dropped[f"spatial: {reason}"] += 1
        files = {
            split: tuple(stack.enter_context(JsonArrayWriter(ledger.out / name)) for name in file_names(split)[:3])
            for split in splits
        }
        lines = {
            split: stack.enter_context((ledger.out / file_names(split)[3]).open("w", encoding="utf-8"))
            for split in splits
        }
        spool.seek(0)
        for line in spool:
            item = json.loads(line)
            split, has_depth = item.pop("split"), item.pop("has_depth")
            if item["id"] in closing.gone:
                continue
            bench = item.pop("bench")
            plain, deep, items = files[split]
            plain.add(item)
            ledger.counts["rows"] += 1
            if has_depth:
                deep.add({**item, "conversations": _with_depth(item["conversations"])})
                ledger.counts["rows with depth"] += 1
            if bench is not None:
                items.add(bench)
                lines[split].write(json.dumps(bench, ensure_ascii=False, allow_nan=False) + "\n")
                ledger.counts["benchmark items"] += 1


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
    covers = [cover(one, size) for one in regions.mentions]
    conversations = [
        {"from": "human", "value": f"<image>\n{regions.question}"},
        {"from": "gpt", "value": regions.answer},
    ]
    common = {
        "bbox": [box for box, _ in covers],
        "rle": [pack_runs(mask) for _, mask in covers],
    }
    category = category_of(talk)
    bench = None
    if category is not None:
        kind = "qualitative" if category.endswith(("_predicate", "_choice")) else "quantitative"
        bench = {
            "id": talk.id,
            "image_info": {"file_path": f"{name}.jpg", "height": height, "width": width},
            "text_q": regions.text_q,
            "qa_info": {"type": kind, "category": category},
            "conversations": conversations,
            **common,
        }
    return {
        "id": talk.id,
        "filename": name,
        "conversations": conversations,
        **common,
        "bench": bench,
        "has_depth": has_depth,
    }


def _with_depth(conversations: list[dict[str, str]]) -> list[dict[str, str]]:
    return [{**turn, "value": turn["value"].replace(MASK, f"{MASK} {DEPTH}")} for turn in conversations]


def _write_picture(image: TalkImage, tour: str, target: Path) -> None:
    """Put a frame at its place as JPEG.

    Raises:
        RoomtourError: If the run's image is gone or damaged.
    """
    if target.exists():
        return
    source = Path(image.path)
    target.parent.mkdir(parents=True, exist_ok=True)
    data = read_picture(source, tour)
    if source.suffix.lower() not in (".jpg", ".jpeg"):
        picture = decode_picture(data)
        if picture is None:
            raise RoomtourError(f"tour {tour}: {source} is no picture. Run roomtour process again to make it")
        data = cv2.imencode(".jpg", picture, [cv2.IMWRITE_JPEG_QUALITY, 95])[1].tobytes()
    target.write_bytes(data)


def _write_depth(run: RunData, image: TalkImage, target: Path) -> bool:
    """Put the depth of a frame at its place; False where the run has none of it."""
    if target.exists():
        return True
    folder = run.frames_dir.parent / DEPTH_MAPS.path
    frame = next(one.index for one in run.scene.frames if one.image == Path(image.path).name)
    if not depth_path(folder, frame).is_file():
        return False
    depth = read_depth(folder, frame)
    near = np.where(np.isfinite(depth) & (depth > 0), 1.0 / np.where(depth > 0, depth, 1.0), np.nan)
    known = np.isfinite(near)
    if known.mean() < LEAST_KNOWN:
        return False
    low, high = float(near[known].min()), float(near[known].max())
    shade = np.where(known, 255.0 * (near - low) / max(high - low, 1e-9), 0.0).astype(np.uint8)
    target.parent.mkdir(parents=True, exist_ok=True)
    write_picture_file(target, np.dstack([cv2.resize(shade, image.size_px, interpolation=cv2.INTER_LINEAR)] * 3))
    return True
