"""Datasets of regions read as the trainers' loaders read them, written from the loaders at the commits that the formats
name; no line of them is here. A reader raises AssertionError, KeyError, IndexError or OSError where its loader would
stop, or put something else in place."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import av
import numpy as np
from numpy.typing import NDArray

from instructions.perception.masks import decode_mask, unpack_runs
from instructions.records import MaskRle
from recon.pictures import find_picture_size

Item = dict[str, Any]
Mask = NDArray[np.bool_]


def read_osprey(file: Path, pictures: Path) -> list[Item]:
    """A sample per row, as `OspreyConversations` makes it: question, answers and masks."""
    items: list[Item] = []
    for row in json.loads(file.read_text()):
        assert len(row["conversations"]) // 2 > 0, "skipped"
        size = find_picture_size((pictures / row["file_name"].split("_")[-1]).read_bytes())
        masks = [_decode_plain(one["segmentation"], row["height"], row["width"]) for one in row["annotation"]]
        assert size == (row["width"], row["height"])
        texts = [turn["value"].replace("<", "").replace(">", "") for turn in row["conversations"]]
        items.append({"id": row["id"], "texts": texts, "masks": masks})
    return items


def read_spatialrgpt(file: Path, pictures: Path) -> list[Item]:
    """A sample per row, with the masks by each of the two ways between which the loader chooses by chance."""
    items: list[Item] = []
    for row in json.loads(file.read_text()):
        size = find_picture_size((pictures / f"{row['filename']}.jpg").read_bytes())
        assert size is not None
        masks = [_decode_packed(one) for one in row["rle"]]
        boxes = []
        for x1, y1, x2, y2 in row["bbox"]:
            filled = np.zeros((size[1], size[0]), dtype=bool)
            filled[y1:y2, x1:x2] = True
            boxes.append(filled)
        asked = sum(turn["value"].count("<mask>") for turn in row["conversations"])
        assert asked == len(masks) == len(boxes)
        items.append({"id": row["id"], "masks": masks, "boxes": boxes})
    return items


def read_gar(file: Path, trainer: Path) -> list[Item]:
    """A sample per item: its turns and its masks by the number of the prompt. `trainer` is the folder it runs in."""
    items: list[Item] = []
    for row in json.loads(file.read_text()):
        size = find_picture_size((trainer / row["image"]).read_bytes())
        assert size is not None
        assert min(size) >= 10
        masks = [_decode_packed(one) for one in row["mask_rle"]]
        assert all(mask.shape == size[::-1] and mask.any() for mask in masks)
        turns = row["conversations"]
        assert turns[0]["from"] == "human"
        assert all("<image>" not in turn["value"] for turn in turns[1:])
        named = {int(found) for turn in turns for found in re.findall(r"<Prompt(\d+)>", turn["value"])}
        if named:
            assert max(named) < 5, "taken for no prompt"
            items.append({"id": row["id"], "turns": turns, "masks": {number: masks[number] for number in named}})
        else:
            captions = [turn["value"] for turn in turns if turn["from"] == "gpt"]
            told = {number: captions[number] for number in range(min(len(masks), 4))}
            items.append({"id": row["id"], "captions": told, "masks": dict(enumerate(masks))})
    return items


def read_videorefer(file: Path, folder: Path) -> list[Item]:
    """A sample per item: the frames that are cut out, a mask for each, and the turns with a token for each."""
    items: list[Item] = []
    for row in json.loads(file.read_text()):
        assert isinstance(row["video"], list)
        (video,) = row["video"]
        with av.open(str(folder / video)) as container:
            frames = [frame.to_ndarray(format="rgb24") for frame in container.decode(video=0)]
        numbers = [int(number) for masks in row["masks"] for number in masks]
        masks = [_decode_packed(one) for told in row["masks"] for one in told.values()]
        for number, mask in zip(numbers, masks, strict=True):
            assert frames[number].shape[:2] == mask.shape
            assert mask.any(), "taken for the whole frame"
        turns = [dict(turn) for turn in row["conversations"]]
        place = 0
        for number in range(len(masks)):
            while "<region>" not in turns[place]["value"]:
                place += 1
            turns[place]["value"] = turns[place]["value"].replace("<region>", f"[{number}]", 1)
        assert not any("<region>" in turn["value"] for turn in turns)
        assert any("<video>" in turn["value"] for turn in turns)
        items.append({"id": row["id"], "frames": numbers, "masks": masks, "turns": turns})
    return items


def _decode_plain(told: Item, height: int, width: int) -> Mask:
    assert told["size"] == [height, width]
    return decode_mask(MaskRle(height, width, tuple(told["counts"])))


def _decode_packed(told: Item) -> Mask:
    height, width = told["size"]
    return decode_mask(MaskRle(height, width, unpack_runs(told["counts"])))
