"""Exports of dialogues about clouds are read as their loaders read them, and each rule broken once is found."""

from __future__ import annotations

import json
from pathlib import Path

import cv2
import numpy as np
import pytest

from roomtour.export import RunData, export_runs
from roomtour.export.validate import validate_export
from tests.support.export.cloud_readers import (
    LAMM_TEXT_TOKENS,
    WordTokenizer,
    build_lamm_text,
    read_as_lamm,
    read_as_llava3d,
    read_as_pointllm,
)
from tests.support.export.made_datasets import MadeDatasets


@pytest.fixture
def run(made: MadeDatasets) -> RunData:
    return made.clouds[0]


def test_lamm_reads_every_row_and_learns_answers_only(run: RunData, tmp_path: Path):
    report = export_runs([run], "lamm", tmp_path / "data", kinds=("dialogues",))
    for medium, name in (("image", "pictures_train.json"), ("pcl", "clouds_train.json")):
        samples = read_as_lamm(tmp_path / "data" / name, tmp_path / "data", medium)
        assert len(samples) == report.counts[medium] > 0  # none is skipped
        for sample in samples:
            assert (tmp_path / "data/system" / f"{sample.task_type}.txt").is_file()
            if medium == "image":
                assert cv2.imread(str(sample.path)) is not None
            else:
                assert np.load(sample.path).shape[1] == 6
            tokenizer = WordTokenizer()
            tokens, targets = build_lamm_text(sample, medium, tokenizer)
            assert len(tokens) < LAMM_TEXT_TOKENS  # nothing was cut
            learned = tokenizer.decode([token for token in targets if token != -100])
            answers = [turn["value"] for turn in sample.turns if turn["from"] == "gpt"]
            assert learned == " ".join(tokenizer.decode(tokenizer.encode(f"{one}\n###")) for one in answers)


def test_pointllm_reads_every_object(run: RunData, tmp_path: Path):
    report = export_runs([run], "pointllm", tmp_path / "data", kinds=("dialogues",))
    assert validate_export(tmp_path / "data") == []
    assert report.counts["objects"] >= 5
    assert report.dropped["thing with too few points"] > 0
    names = read_as_pointllm(tmp_path / "data/clouds", tmp_path / "data/objects_train.json")
    assert len(names) == report.counts["objects"]
    both = read_as_pointllm(
        tmp_path / "data/clouds", tmp_path / "data/objects_train.json", ("simple_description", "single_round")
    )
    assert len(both) == report.counts["conversations"] > len(names)
    kinds = {one.category for one in run.objects}
    for cloud, turns in names:
        assert cloud.shape == (8192, 6)
        assert np.abs(cloud[:, :3]).max() <= 1.0
        assert cloud[:, 3:].min() >= 0
        assert cloud[:, 3:].max() <= 1.0
        assert any(str(kind) in turns[1]["value"] for kind in kinds)


def test_llava3d_boxes_poses_and_pictures_agree(run: RunData, tmp_path: Path):
    """A target box taken through axis_align_matrix, pose and intrinsic lands where the picture shows the thing."""
    report = export_runs([run], "llava3d", tmp_path / "data", kinds=("dialogues",))
    assert validate_export(tmp_path / "data") == []
    rows = json.loads((tmp_path / "data/scenes_train.json").read_text())
    scenes = json.loads((tmp_path / "data/scenes.json").read_text())
    assert len(rows) == report.counts["dialogues"]
    seen = {(one.frame, one.object): one.box_xyxy for one in run.observations if one.visible_fraction >= 0.9}
    grounded = {
        row.id: row.truth.cloud_objects[0].object for row in run.rows["dialogues"] if row.task == "ground_cloud"
    }
    checked = 0
    for row in rows:
        video = read_as_llava3d(tmp_path / "data", row, scenes)
        assert len(video.images) == 20
        assert all(path.is_file() for path in video.images)
        assert row["conversations"][0]["value"].startswith("<video>\n")
        if row["id"] not in grounded:
            continue
        assert all(depth[depth > 0].min() > 1.9 for depth in video.depths)
        ((*middle, _, _, _),) = row["answer_boxes"]
        world = np.linalg.inv(video.axis_align) @ [*middle, 1.0]
        for path, pose in zip(video.images, video.poses, strict=True):
            box = seen.get((int(path.stem), grounded[row["id"]]))
            if box is None or (box[2] - box[0]) < 20 or not _is_whole(box, run):
                continue
            x, y, z, _ = video.intrinsic @ np.linalg.inv(pose) @ world
            assert z > 0
            width, height = box[2] - box[0], box[3] - box[1]
            assert box[0] - width / 4 <= x / z <= box[2] + width / 4
            assert box[1] - height / 4 <= y / z <= box[3] + height / 4
            checked += 1
    assert checked >= 10


def _is_whole(box: tuple[float, float, float, float], run: RunData) -> bool:
    """Whether a box touches no edge of the picture: else the middle of the thing may lie outside."""
    camera = run.scene.models[0].camera
    return box[0] > 4 and box[1] > 4 and box[2] < camera.width - 4 and box[3] < camera.height - 4
