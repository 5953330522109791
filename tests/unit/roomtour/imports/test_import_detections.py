"""Boxes from a file of their own: COCO with its three kinds of masks, LVIS, JSONL."""

from __future__ import annotations

import json
from pathlib import Path

import cv2
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from instructions.perception.masks import decode_mask, encode_mask, pack_runs
from roomtour.errors import RoomtourError
from roomtour.imports.images.detections import read_mask
from roomtour.imports.records import ImportOptions
from roomtour.imports.write import import_run
from tests.support.imports.made_images import rle

SIZE = (60, 80)


@pytest.fixture
def pictures(tmp_path: Path) -> Path:
    folder = tmp_path / "pictures"
    folder.mkdir()
    for name in ("a.jpg", "b.jpg"):
        cv2.imwrite(str(folder / name), np.zeros((*SIZE, 3), dtype=np.uint8))
    return folder


def blob() -> np.ndarray:
    mask = np.zeros(SIZE, dtype=bool)
    mask[10:30, 20:50] = True
    mask[30:35, 20:25] = True
    return mask


def coco(segmentation: object) -> dict:
    return {
        "images": [{"id": 7, "file_name": "a.jpg", "width": 80, "height": 60}, {"id": 8, "coco_url": "http://x/b.jpg"}],
        "categories": [{"id": 3, "name": "chair", "frequency": "f"}, {"id": 4, "name": "table_lamp"}],
        "annotations": [
            {"id": 1, "image_id": 7, "category_id": 3, "bbox": [20, 10, 30, 25], "segmentation": segmentation},
            {"id": 2, "image_id": 8, "category_id": 4, "bbox": [1, 2, 3, 4], "score": 0.4},
        ],
    }


def test_coco_boxes_are_x_y_width_height_and_lvis_goes_by_url(pictures: Path) -> None:
    file = pictures.parent / "coco.json"
    file.write_text(json.dumps(coco([[20, 10, 49, 10, 49, 29, 20, 29]])), encoding="utf-8")
    run = import_run(pictures, "images", pictures.parent / "run", ImportOptions(detections=file))
    one, two = run.detections
    assert (one.frame, one.label, one.box_xyxy, one.score) == (1, "chair", (20, 10, 50, 35), 1.0)
    assert (two.frame, two.label, two.box_xyxy, two.score) == (2, "table lamp", (1, 2, 4, 6), 0.4)
    assert one.mask is not None
    assert decode_mask(one.mask)[10:30, 20:50].all()
    assert decode_mask(one.mask).sum() == 600


@given(arrays(bool, st.tuples(st.integers(1, 30), st.integers(1, 30))))
def test_masks_are_packed_as_described_and_read_back(mask: np.ndarray) -> None:
    packed = pack_runs(encode_mask(mask))
    assert packed["counts"] == pack(rle(mask)["counts"])
    assert (decode_mask(read_mask(packed, mask.shape[1], mask.shape[0], "here")) == mask).all()


def pack(counts: list[int]) -> str:
    """COCO's packed form, after its description: differences from the third on, five bits a letter."""
    out = ""
    for place, count in enumerate(counts):
        value = count - (counts[place - 2] if place > 2 else 0)
        while True:
            bits, value = value & 31, value >> 5
            more = not (value == -1 if bits & 16 else value == 0)
            out += chr(48 + (bits | 32 if more else bits))
            if not more:
                break
    return out


def test_jsonl_lists_go_together_by_position(pictures: Path) -> None:
    file = pictures.parent / "boxes.jsonl"
    line = {
        "image": "some/where/a.jpg",
        "width": 80,
        "height": 60,
        "boxes_xyxy": [[1, 2, 30, 40], [5, 5, 60, 50]],
        "labels": ["chair", "sofa"],
        "scores": [0.5, 0.7],
        "captions": [None, "a soft gray sofa"],
        "masks": [None, rle(blob())],
    }
    file.write_text(json.dumps({**line, "image": "a.jpg"}) + "\n", encoding="utf-8")
    run = import_run(pictures, "images", pictures.parent / "run", ImportOptions(detections=file))
    assert [(one.label, one.score, one.caption, one.mask is None) for one in run.detections] == [
        ("chair", 0.5, None, True),
        ("sofa", 0.7, "a soft gray sofa", False),
    ]


def test_a_file_that_does_not_fit_is_told(pictures: Path, subtests: pytest.Subtests) -> None:
    for content, says in (
        ('{"images": []}', "no COCO or LVIS file: field annotations"),
        ("[1, 2", "not valid JSON"),
        (json.dumps({**coco(None), "categories": []}), "annotation is of category 3"),
        (json.dumps({**coco(None), "images": []}), "annotation is of image 7"),
    ):
        with subtests.test(str(says)):
            file = pictures.parent / "coco.json"
            file.write_text(content, encoding="utf-8")
            with pytest.raises(RoomtourError, match=says):
                import_run(pictures, "images", pictures.parent / "run", ImportOptions(detections=file))
