"""Datasets with poses read as the trainers' loaders read them, written from the loaders at the commits that the formats
name; no line of them is here. A reader raises AssertionError, KeyError or OSError where its loader would stop, leave a
row out, or put something else in place."""

from __future__ import annotations

import json
import pickle
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import av
import cv2
import numpy as np
from numpy.typing import NDArray

Item = dict[str, Any]


def read_cambrian_p(folder: Path, frames_upbound: int = 128) -> list[Item]:
    """A sample per row: question, answer, and poses from the first camera for each frame of its video."""
    lookup = {Path(one["video"]).stem: one for one in json.loads((folder / "poses.json").read_text())}
    items: list[Item] = []
    for line in (folder / "train.jsonl").read_text().splitlines():
        row = json.loads(line)
        known = lookup[Path(row["video"]).stem]  # others are rows without poses
        assert known["rgb_relative_to"] == "data"
        with av.open(str(folder / row["video"])) as container:
            sizes = [(frame.width, frame.height) for frame in container.decode(video=0)]
        assert len(sizes) <= frames_upbound, "a stretch by chance"
        with np.load(folder / known["pose_path"]) as archive:
            poses = archive["data"].astype(np.float32)
        assert poses.shape == (len(sizes), 4, 4)
        with np.load(folder / known["intrinsics_path"]) as archive:
            pinhole = archive["intrinsics"][0]
        asked, told = row["conversations"]
        assert (asked["from"], told["from"]) == ("human", "gpt")
        assert asked["value"].count("<video>") == 1
        items.append(
            {"id": row["id"], "answer": told["value"], "poses": np.linalg.inv(poses[0]) @ poses, "pinhole": pinhole}
        )
    return items


def read_embodiedscan(folder: Path, split: str, classes: Sequence[str]) -> list[Item]:
    """A sample per scene: corners and labels of boxes (-1: not trained on), and of each view what it shows."""
    # as the loader opens it; the test that calls this wrote the file
    told = pickle.loads((folder / f"embodiedscan_infos_{split}.pkl").read_bytes())
    names = {number: name for name, number in told["metainfo"]["categories"].items()}
    items: list[Item] = []
    for scene in told["data_list"]:
        assert scene["sample_idx"].split("/")[0] == "arkitscenes", "occupancy maps are read"
        align = np.array(scene["axis_align_matrix"])
        cam2img, depth_cam2img = scene["cam2img"].astype(np.float32), scene["depth_cam2img"]
        boxes = np.zeros((len(scene["instances"]), 9), np.float32)
        labels = []
        for place, one in enumerate(scene["instances"]):
            boxes[place] = one["bbox_3d"]
            name = names[one["bbox_label_3d"]]
            labels.append(classes.index(name) if name in classes else -1)
        views = []
        for image in scene["images"]:
            picture = cv2.imread(str(folder / image["img_path"]))
            depth = cv2.imread(str(folder / image["depth_path"]), cv2.IMREAD_UNCHANGED)
            assert picture is not None
            assert depth is not None
            shown = np.zeros(len(boxes), dtype=bool)
            shown[image["visible_instance_ids"]] = True
            views.append(
                {
                    "cam_from_world": np.linalg.inv(align @ image["cam2global"]),
                    "shown": shown,
                    "points": _to_points(depth.astype(np.float32) / 1000.0, depth_cam2img),
                    "size": picture.shape[:2],
                }
            )
        corners = [box_corners(box) for box in boxes]
        items.append({"corners": corners, "labels": labels, "views": views, "cam2img": cam2img})
    return items


def box_corners(box: NDArray[np.float32]) -> NDArray[np.float64]:
    """The eight corners (8, 3) of nine numbers, turned by Rz Rx Ry."""
    (a, b, c), half = (float(angle) for angle in box[6:]), box[3:6] / 2
    about_z = np.array([[np.cos(a), -np.sin(a), 0], [np.sin(a), np.cos(a), 0], [0, 0, 1]])
    about_x = np.array([[1, 0, 0], [0, np.cos(b), -np.sin(b)], [0, np.sin(b), np.cos(b)]])
    about_y = np.array([[np.cos(c), 0, np.sin(c)], [0, 1, 0], [-np.sin(c), 0, np.cos(c)]])
    signs = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)])
    return (signs * half) @ (about_z @ about_x @ about_y).T + box[:3]


def _to_points(depth: NDArray[np.float32], cam2img: NDArray[np.float64]) -> NDArray[np.float64]:
    rows, columns = np.nonzero(depth)
    z = depth[rows, columns].astype(np.float64)
    return np.stack([columns * z, rows * z, z], axis=1) @ np.linalg.inv(cam2img[:3, :3]).T
