"""Object clouds for PointLLM's reader: `clouds/NAME_8192.npy` and conversations that begin with `<point>`."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import ExitStack

import numpy as np

from instructions.asking.draws import Draw
from instructions.dialogues.object_clouds import POINTS, cut_object, is_sure, rows_by_cloud, talk_of_object
from roomtour.export.core.clouds import read_cloud
from roomtour.export.core.conversations import plain
from roomtour.export.core.ledger import ExportOptions, Ledger
from roomtour.export.core.loader import Loader
from roomtour.export.core.records import RunData
from roomtour.export.core.streams import JsonArrayWriter

LOADER = Loader("PointLLM", "OpenRobotLab/PointLLM", "77bf64c", "2025-05-22", "pointllm/data/object_point_dataset.py")
MARK = "<point>"
TYPES = ("simple_description", "single_round")
CONVENTION = f"""\
* `objects_{{split}}.json`: a list of {{object_id, conversation_type, conversations [{{from: human|gpt, value}}]}}; the
  first value begins with `{MARK}` and a line break. Types are `simple_description` (what it is called) and
  `single_round` (its size or colour, with options); name both to the reader, which by default takes the first only.
* `clouds/OBJECT_ID_{POINTS}.npy`: float32 ({POINTS}, 6), x y z in metres about the middle of the thing (the reader
  scales them to a ball), z up, r g b from 0 to 1. Where the cloud has fewer points of a thing, some are there twice."""


def file_name(split: str) -> str:
    """The file of a split."""
    return f"objects_{split}.json"


def write(runs: Iterable[RunData], ledger: Ledger, options: ExportOptions) -> None:
    """Write the surely named things of all tours, one tour at a time."""
    folder = ledger.out / "clouds"
    folder.mkdir(parents=True, exist_ok=True)
    ledger.counts.update(objects=0, conversations=0)
    with ExitStack() as stack:
        files = {split: stack.enter_context(JsonArrayWriter(ledger.out / file_name(split))) for split in options.splits}
        for run in runs:
            rows = rows_by_cloud(run.rows.get("dialogues", ()))
            things = {thing.id: thing for thing in run.objects}
            for cloud in run.clouds:
                points = read_cloud(run, cloud.name)
                for box in cloud.boxes:
                    thing = things.get(box.object)
                    if thing is None or not is_sure(thing):
                        ledger.dropped["thing whose name is not sure"] += 1
                        continue
                    draw = Draw(0, run.scene.id, "pointllm", box.object)
                    cut = cut_object(points, box, draw)
                    if cut is None:
                        ledger.dropped["thing with too few points"] += 1
                        continue
                    name = f"{run.scene.id}_{box.object}"
                    np.save(folder / f"{name}_{POINTS}.npy", cut, allow_pickle=False)
                    ledger.counts["objects"] += 1
                    for kind, turn in talk_of_object(thing, rows.get(cloud.name, ()), draw):
                        files[ledger.split].add(_row(name, kind, turn, run.scene.source.licence))
                        ledger.counts["conversations"] += 1
                        ledger.labels[kind] += 1


def _row(name: str, kind: str, turn: tuple[str, str], licence: str) -> dict[str, object]:
    question, answer = turn
    return {
        "object_id": name,
        "conversation_type": kind,
        "conversations": [
            {"from": "human", "value": f"{MARK}\n{plain(question)}"},
            {"from": "gpt", "value": plain(answer)},
        ],
        "licence": licence,
    }
