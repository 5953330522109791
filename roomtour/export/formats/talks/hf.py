"""Hugging Face parquet: views with their images and poses, and texts, in shards that `datasets.load_dataset` reads."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import yaml

from instructions.regions.records import Pair
from recon.conventions import elevation_deg, heading_deg
from recon.geometry import Pose
from roomtour.export.core.checking import SPLITS, DatasetCheck
from roomtour.export.core.folder import CARD
from roomtour.export.core.format import ExportFormat
from roomtour.export.core.ledger import Ledger
from roomtour.export.core.records import RunData
from roomtour.export.core.run_files import read_picture
from roomtour.export.core.streams import FileRow, ParquetShards, read_row_files
from roomtour.export.core.talks.references import Form, ReferenceOptions
from roomtour.export.core.talks.regions import round_box, rows_with_views
from roomtour.export.core.talks.spool import SOURCES, TALK_KINDS, TalkSpool
from roomtour.export.core.talks.talk import PLACES, Talk
from roomtour.export.core.walks.guided_paths import thin
from roomtour.export.core.walks.ways import AugmentOptions, collect_ways
from roomtour.export.formats.talks.hf_rows import CONFIGS, INSTRUCTIONS, PAIRS, QARS, VIEWS, OfView, schema_of_config
from roomtour.files.records import to_plain

CONVENTION = (
    """\
* Config `instructions`: one accepted text per row; its `views` are the frames it was written from. Config `views`: one
  frame of one model per row. Join them by `tour`, `model` and `frame`. One config per other kind of data,
  each row with its images: `questions` (spatial), `programs`, `regions` (drawn into the picture), `dialogues` (lists of
  `questions` and `answers`). `ground_truth` is a word, the phrase of the right option, or the number in full, in
  `unit`; `sigma` is its error.
* Config `qars`: the rows of `regions` in three parts beside the plain picture; `[n]` is the region `numbers[k] == n`
  with corners `boxes[k]` in pixels, and `objects[k]` is its thing in all views of the tour. `verdicts` is JSON. Config
  `pairs`: such a row (`row`) with a false answer (`rejected`), and why it is false (`because`).
* In `images` of talks marked points and numbered regions are drawn, things are named; `references=marks` draws things
  too, `boxes` and `points` write numbers (`box_text`) into the texts and leave the pictures plain.
"""
    + f"* {PLACES}"
    + """
* World of each model: right-handed, z up; camera axes are OpenCV's (x right, y down, z forward).
* `translation` and `quat_wxyz` are world_from_cam. `camera_params` are those of COLMAP's `camera_model`, pixels of the
  image, pixel centres at (0.5, 0.5).
* Headings in degrees, counter-clockwise from +x seen from above; null where the camera looks straight up or down.
* Lengths in the `unit` of the row: `m`, or `unit` where the scale is relative. Times in seconds of the tour's file."""
)

_ROW_BYTES = 300


@dataclass(frozen=True, kw_only=True)
class HfOptions(AugmentOptions, ReferenceOptions):
    """Options of the format."""

    images: bool = True
    """Put the frames into `views` and into the configs with pictures, about 40 kB each; without them there are none."""
    balance: bool = True
    """Leave out spatial questions whose answer the names would tell."""


_SOURCE_OF = {source.kind: source for source in SOURCES}


def write(runs: Iterable[RunData], ledger: Ledger, options: HfOptions) -> None:
    """Write the shards of all tours, one tour at a time."""
    tables: dict[tuple[str, str], ParquetShards] = {}
    """Those that have rows: `datasets` refuses a split without."""

    def add(config: str, split: str, row: dict[str, Any]) -> None:
        if (config, split) not in tables:
            shards = ParquetShards(partial(_shard, ledger.out / config, split), schema_of_config(config))
            tables[config, split] = ledger.files.enter_context(shards)
        pictures = row.get("images") or [one for one in (row.get("image"),) if one]
        size_bytes = _ROW_BYTES + sum(len(picture["bytes"]) for picture in pictures) + 60 * len(row.get("views", ()))
        tables[config, split].make_room(size_bytes)
        tables[config, split].add(row, size_bytes)

    ledger.counts.update({INSTRUCTIONS: 0, VIEWS: 0, QARS: 0, PAIRS: 0})
    spool = TalkSpool(ledger, options.balance, needs_images=False, form=Form(options.references, options.box_text))
    for run in runs:
        spool.take(run)
        of_tour = chain(
            ((INSTRUCTIONS, row) for row in _instruction_rows(run, ledger)),
            ((VIEWS, row) for row in _view_rows(run, options.images)),
            _region_rows(run, ledger, options.images),
        )
        for config, row in of_tour:
            add(config, ledger.split, row)
            ledger.counts[config] += 1
    for talk in spool.give():
        add(_SOURCE_OF[talk.kind].file, talk.split, _talk_row(talk, options.images))
    ledger.card_header = tell_header(
        [(config, split) for config in CONFIGS for split in options.splits if (config, split) in tables]
    )


def _talk_row(talk: Talk, images: bool) -> dict[str, Any]:
    questions, answers = (list(texts) for texts in zip(*talk.turns, strict=True))
    return {
        **talk.tell("id", "tour", "scale_status", "licence", "type", "unit", "sigma", "choices", "places"),
        "images": [_image(talk.tour, Path(image.path)) for image in talk.images] if images else [],
        **{"question": questions[0], "answer": answers[0], "questions": questions, "answers": answers},
        "ground_truth": talk.solution,
        **{column: talk.more.get(column, "") for column in _SOURCE_OF[talk.kind].columns},
    }


def _shard(folder: Path, split: str, number: int) -> Path:
    return folder / f"{split}-{number:05d}.parquet"


def tell_header(tables: Sequence[tuple[str, str]]) -> str:
    """The YAML block by which the hub and `datasets` find the files: configs with the splits that have rows; the first
    is the one that is loaded where none is named.
    """
    files: dict[str, list[dict[str, str]]] = {}
    for config, split in tables:
        files.setdefault(config, []).append({"split": split, "path": f"{config}/{split}-*.parquet"})
    configs: list[dict[str, Any]] = [{"config_name": config, "data_files": paths} for config, paths in files.items()]
    if configs:
        configs[0]["default"] = True
    return f"---\n{yaml.safe_dump({'configs': configs}, sort_keys=False)}---\n\n"


def _instruction_rows(run: RunData, ledger: Ledger) -> Iterator[dict[str, Any]]:
    for way in collect_ways(run, ledger, kinds=("instruction", "description"), scaled=False):
        point_of = {point.frame: point for point in way.walk.points}
        for instruction, text in way.told:
            points = [point_of[frame] for frame in sorted(set(instruction.views)) if frame in point_of]
            yield {
                "id": instruction.id,
                **_source(run, way.model.name),
                "trajectory": way.walk.id,
                "kind": instruction.kind,
                "text": text,
                "views": [point.frame for point in points],
                "frame_times_s": [run.scene.frame_by_index[point.frame].time_s for point in points],
                "positions": [list(point.position) for point in points],
                "headings_deg": [point.heading_deg for point in points],
                "writer": instruction.writer,
                "perception": instruction.perception,
            }


def _view_rows(run: RunData, images: bool) -> Iterator[dict[str, Any]]:
    words = {line.frame: line.text for line in run.spatial_lines}
    for model in run.scene.models:
        source = _source(run, model.name)
        for number, pose in model.world_from_cam.items():
            frame = run.scene.frame_by_index[number]
            yield {
                **source,
                "frame": number,
                "time_s": frame.time_s,
                "image": _image(run.scene.id, run.frames_dir / frame.image) if images else None,
                "width": model.camera.width,
                "height": model.camera.height,
                "camera_model": model.camera.model,
                "camera_params": list(model.camera.params),
                "translation": pose.center.tolist(),
                "quat_wxyz": pose.quat_wxyz.tolist(),
                "heading_deg": _heading(pose),
                "elevation_deg": elevation_deg(pose),
                "text": words.get(number),
            }


def _region_rows(run: RunData, ledger: Ledger, images: bool) -> Iterator[tuple[str, dict[str, Any]]]:
    """Each accepted row about regions and the pairs of it behind, with their config."""
    pairs: dict[str, list[Pair]] = defaultdict(list)
    for pair in run.region_pairs:
        pairs[pair.row].append(pair)
    for row, view in rows_with_views(run, ledger.dropped):
        path = run.frames_dir / run.scene.frame_by_index[row.views[0]].image
        about = {
            "tour": run.scene.id,
            "view": view.id,
            "licence": run.scene.source.licence,
            "image": _image(run.scene.id, path) if images else None,
            "width": view.width,
            "height": view.height,
            "numbers": [region.number for region in view.regions],
            "boxes": [round_box(region) for region in view.regions],
            "labels": [region.label for region in view.regions],
            "objects": [region.object for region in view.regions],
        }
        for config, record in ((QARS, row), *((PAIRS, pair) for pair in pairs.pop(row.id, ()))):
            own = CONFIGS[config].model_fields.keys() - OfView.model_fields.keys()
            yield config, {"id": record.id, **about, **{name: _tell(name, getattr(record, name)) for name in own}}
    ledger.dropped["pairs without their row"] += sum(map(len, pairs.values()))


def _tell(column: str, value: Any) -> Any:
    if column == "verdicts":
        return json.dumps([to_plain(item, type(item)) for item in value], ensure_ascii=False)
    return list(value) if isinstance(value, tuple) else value


def _heading(pose: Pose) -> float | None:
    try:
        return heading_deg(pose)
    except ValueError:
        return None


def _image(tour: str, path: Path) -> dict[str, Any]:
    return {"bytes": read_picture(path, tour), "path": f"{tour}/{path.name}"}


def _source(run: RunData, model: str) -> dict[str, Any]:
    scale = next(m.scale for m in run.scene.models if m.name == model)
    return {
        "tour": run.scene.id,
        "model": model,
        "unit": scale.unit,
        "scale_status": scale.status,
        "licence": run.scene.source.licence,
        "source_sha256": run.scene.source.sha256,
    }


def _check(data: DatasetCheck) -> None:
    """The configs of the card, then every row with what it refers to."""
    shards: dict[tuple[str, str], list[Path]] = {}
    for file in sorted(data.folder.glob("*/*.parquet")):
        key = (file.parent.name, file.name.split("-")[0])
        if key[0] in CONFIGS and key[1] in SPLITS:
            shards.setdefault(key, []).append(file)
        else:
            data.bad(CARD, "configs", "a config and a split of the format", f"{key[0]}/{file.name}")
    tables = [(config, split) for config in CONFIGS for split in SPLITS if (config, split) in shards]
    header = tell_header([key for key in tables if any(map(_may_have_rows, shards[key]))])
    try:
        card = (data.folder / CARD).read_text(encoding="utf-8", errors="replace")
    except OSError as error:
        card = str(error)
    if not card.startswith(header):
        data.bad(CARD, "configs", f"to begin with {header!r}: every config and split that has rows", card)
    for config, split in sorted(tables, key=lambda key: key[0] != VIEWS):  # what others refer to comes first
        for shard in shards[config, split]:
            for row in data.table(shard.relative_to(data.folder).as_posix(), schema_of_config(config), split):
                if config == VIEWS:  # that the view is there holds whatever is wrong with it
                    row.new("frame", row.record["frame"], f"{row.record['tour']} {row.record['model']}")
                data.fit(row, CONFIGS[config], config)


def _may_have_rows(shard: Path) -> bool:
    """Whether a file holds rows; a damaged one is told by the check of its rows."""
    try:
        return pq.read_metadata(shard).num_rows > 0
    except (pa.ArrowException, OSError):
        return True


_MOST_IMAGES = 8


def _read_rows(folder: Path) -> Iterator[FileRow]:
    """Views, texts with the pictures of their frames, then the rows of all other configs."""
    images: dict[Any, Any] = {}
    for file, row in read_row_files(folder, f"{VIEWS}/*.parquet", f"{INSTRUCTIONS}/*.parquet", "*/*.parquet"):
        if file.startswith(VIEWS):
            images[row.get("tour"), row.get("frame")] = {"path": (row.get("image") or {}).get("path")}
        elif file.startswith(INSTRUCTIONS):
            shown = thin(row.get("views") or (), _MOST_IMAGES)
            row["images"] = [images[row.get("tour"), frame] for frame in shown if (row.get("tour"), frame) in images]
        yield file, row


HF = ExportFormat(
    name="hf",
    summary="parquet shards of views (image, pose), texts, questions and talks, with a card the hub understands",
    client="datasets.load_dataset",
    shows=("spatial_lines",),
    kinds=("navigation", *TALK_KINDS),
    convention=CONVENTION,
    options=HfOptions,
    write=write,
    check=_check,
    rows=_read_rows,
)
