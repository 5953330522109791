"""Plain pictures with boxes to region knowledge: nothing is said of a room that nobody measured."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

from instructions.claims.view_claims import ViewClaim, ViewClaimKind
from instructions.claims.view_judge import judge
from instructions.tour import Tour
from roomtour.cli import main
from roomtour.errors import RoomtourError
from roomtour.export import export_runs, validate_export
from roomtour.imports.records import ImportOptions
from roomtour.imports.write import import_run
from roomtour.run import Run

WIDTH, HEIGHT = 640, 400
SOLID = {
    "distance",
    "height",
    "width",
    "length",
    "gap",
    "step",
    "left of",
    "right of",
    "nearer",
    "farther",
    "on",
    "under",
}
"""Kinds of claims that need the room."""


def coco() -> dict[str, Any]:
    return {
        "images": [{"id": k, "file_name": f"{k}.jpg", "width": WIDTH, "height": HEIGHT} for k in (1, 2)],
        "categories": [
            {"id": 1, "name": "sofa", "frequency": "f"},
            {"id": 2, "name": "vase", "frequency": "r"},
            {"id": 3, "name": "person", "frequency": "f"},
        ],
        "annotations": [
            {"image_id": 1, "category_id": 1, "bbox": [10, 150, 300, 200]},
            {
                "image_id": 1,
                "category_id": 2,
                "bbox": [500, 160, 60, 90],
                "segmentation": [[500, 160, 560, 160, 560, 250]],
            },
            {"image_id": 1, "category_id": 3, "bbox": [380, 100, 80, 250]},
            {"image_id": 2, "category_id": 1, "bbox": [200, 100, 320, 220]},
            {"image_id": 2, "category_id": 2, "bbox": [20, 100, 70, 120]},
        ],
    }


@pytest.fixture
def pictures(tmp_path: Path) -> Path:
    folder = tmp_path / "pictures"
    folder.mkdir()
    random = np.random.default_rng(0)
    for k in (1, 2):
        cv2.imwrite(str(folder / f"{k}.jpg"), random.integers(0, 255, (HEIGHT, WIDTH, 3), dtype=np.uint8))
    return folder


def read(pictures: Path, content: object, name: str = "boxes.json") -> Run:
    file = pictures.parent / name
    file.write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")
    options = ImportOptions(detections=file, keep_all=True)
    return import_run(pictures, "images", pictures.parent / "run", options)


def test_pictures_with_coco_boxes_become_rows(pictures: Path, tmp_path: Path):
    read(pictures, coco())
    assert main(["make", str(tmp_path / "run"), "--data", "regions"]) == 0
    run = Run(tmp_path / "run")
    assert [(view.frame, view.model, len(view.regions)) for view in run.region_views] == [(1, None, 3), (2, None, 2)]
    assert {one.object for view in run.region_views for one in view.regions} == {None}
    rows = run.rows("regions")
    assert {"Scene", "Focus", "Type"} <= {row.type for row in rows}
    assert {view for row in rows for view in row.views} == {1, 2}
    assert not {one.claim.kind for row in rows for one in row.verdicts} & SOLID
    people = [one.number for one in run.region_views[0].regions if one.is_person]
    assert not any(number in row.mentioned for row in rows if row.views == (1,) for number in people)
    rarity = {one.label: one.rarity for one in run.region_views[0].regions}
    # LVIS: 5, 500 and 500 stand in the file, their median is 500
    assert rarity == {"person": 1.0, "sofa": 1.0, "vase": 3.0}
    export_runs([run.data], "lskd", tmp_path / "out", kinds=("regions",))
    assert validate_export(tmp_path / "out") == []


def test_without_poses_the_room_is_unknown_and_the_picture_is_not(pictures: Path, subtests: pytest.Subtests):
    run = read(pictures, coco())
    view = next(Tour(run.scene, detections=run.detections).pictures())
    cases: tuple[tuple[ViewClaimKind, str, str, str | float | None, str], ...] = (
        ("nearer", "d1", "d0", None, "unknown"),
        ("distance", "d1", "", 2.0, "unknown"),
        ("on", "d1", "d0", None, "unknown"),
        ("kind", "d0", "", "sofa", "true"),
        ("kind", "d0", "", "vase", "false"),
        ("side", "d0", "", "left", "true"),
        ("side", "d0", "", "right", "false"),
    )
    for kind, a, b, value, state in cases:
        with subtests.test(kind):
            claim = ViewClaim(kind, "", (a,), (b,) if b else (), value)
            assert judge(claim, view.number_things(["d0", "d1"])).state == state


def test_boxes_of_another_size_of_picture_are_refused(pictures: Path):
    told = coco()
    told["images"][0] |= {"width": 1280, "height": 800}
    with pytest.raises(RoomtourError, match=r"boxes of 1.jpg are told for 1280 x 800 pixels, the image has 640 x 400"):
        read(pictures, told)
    line = {"image": "2.jpg", "width": 10, "height": 20, "boxes_xyxy": [[0, 0, 9, 9]], "labels": ["sofa"]}
    with pytest.raises(RoomtourError, match=r"boxes of 2.jpg are told for 10 x 20"):
        read(pictures, json.dumps(line), "boxes.jsonl")


def test_pictures_that_are_not_there_and_boxes_that_are_none_are_counted(pictures: Path):
    told = coco()
    told["images"].append({"id": 9, "file_name": "far/away.jpg"})
    told["annotations"] += [
        {"image_id": 9, "category_id": 1, "bbox": [0, 0, 50, 50]},
        {"image_id": 1, "category_id": 1, "bbox": [900, 100, 50, 50]},
        {"image_id": 1, "category_id": 1, "bbox": [300, 100, -50, 50]},
    ]
    run = read(pictures, told)
    found = {one.code: one.message for one in run.findings}
    assert "1 images that are not there (far/away.jpg)" in found["import.unknown_images"]
    assert found["import.left_out"].startswith("2 things left out: no box inside the image")
    assert len(run.detections) == 5
