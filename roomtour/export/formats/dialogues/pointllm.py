"""Object clouds for PointLLM's reader: `clouds/NAME_8192.npy` and conversations that begin with `<point>`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Any, Literal

import numpy as np

from instructions.asking.draws import Draw
from instructions.dialogues.clouds.object_clouds import POINTS, cut_object, is_sure, rows_by_cloud, talk_of_object
from roomtour.export.core.checking import RowCheck
from roomtour.export.core.columns import Turns, begin_with, turns_of
from roomtour.export.core.fields import RelativePath, Row, must
from roomtour.export.core.format import ExportFormat, each_run
from roomtour.export.core.ledger import ExportOptions, Ledger
from roomtour.export.core.records import RunData
from roomtour.export.core.row_files import rows_of
from roomtour.export.core.scene_files import find_cloud_fault, read_cloud
from roomtour.export.core.talks.talk import plain

FILES, MARK = "objects_{split}.json", "<point>"


CONVENTION = f"""\
* `objects_{{split}}.json`: a list of {{object_id, conversation_type, conversations [{{from: human|gpt, value}}]}}; the
  first value begins with `{MARK}` and a line break. Types are `simple_description` (what it is called) and
  `single_round` (its size or colour, with options); name both to the reader, which by default takes the first only.
* `clouds/OBJECT_ID_{POINTS}.npy`: float32 ({POINTS}, 6), x y z in metres about the middle of the thing (the reader
  scales them to a ball), z up, r g b from 0 to 1. Where the cloud has fewer points of a thing, some are there twice."""


def _rows(run: RunData, ledger: Ledger, options: ExportOptions) -> Iterator[dict[str, Any]]:
    folder = ledger.out / "clouds"
    folder.mkdir(parents=True, exist_ok=True)
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
            for kind, (question, answer) in talk_of_object(thing, rows.get(cloud.name, ()), draw):
                ledger.labels[kind] += 1
                yield {
                    "object_id": name,
                    "conversation_type": kind,
                    "conversations": turns_of([(plain(question), plain(answer))], MARK),
                    "licence": run.scene.source.licence,
                }


class _Item(Row):
    object_id: Annotated[RelativePath, must(lambda name: "/" not in name, "a name without folders")]
    conversation_type: Literal["simple_description", "single_round"]
    conversations: Annotated[Turns, begin_with(MARK)]

    def check(self, row: RowCheck) -> None:
        """A cloud of colored points."""
        fault = find_cloud_fault(row.home / "clouds" / f"{self.object_id}_{POINTS}.npy", POINTS)
        if fault is not None:
            row.bad("object_id", f"a cloud, float32 ({POINTS}, 6), colours from 0 to 1", fault)


POINTLLM = ExportFormat(
    name="pointllm",
    summary="single things cut out of point clouds, with what they are called and their size and colour",
    client="PointLLM (OpenRobotLab/PointLLM at 77bf64c of 2025-05-22, pointllm/data/object_point_dataset.py)",
    needs_scale=True,
    reads=("clouds",),
    convention=CONVENTION,
    rows=rows_of("objects_*.json"),
    write=each_run(FILES, _rows, "objects", "conversations", counted="conversations"),
    tables={FILES: _Item},
)
