from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from recon.conventions import yup_from_zup, zup_from_yup
from roomtour.export import export_runs
from tests.support.export.made_run import make_run


def read(folder: Path, name: str = "train.json.gz") -> dict[str, Any]:
    return json.loads(gzip.decompress((folder / name).read_bytes()))


@pytest.fixture
def made(tmp_path: Path) -> Path:
    export_runs([make_run()], "vlnce", tmp_path / "made")
    return tmp_path / "made"


def test_episode_is_the_walk_in_a_y_up_world(made: Path) -> None:
    content = read(made)
    assert [episode["episode_id"] for episode in content["episodes"]] == [1, 2, 3]
    assert [episode["trajectory_id"] for episode in content["episodes"]] == [1, 1, 2]
    first = content["episodes"][0]
    assert first["scene_id"] == "flat_m0/flat_m0.glb"
    assert first["start_position"] == pytest.approx([2.4, 0.0, 0.0])
    assert first["goals"] == [{"position": pytest.approx([3.3, 0.0, -0.9]), "radius": 3.0}]
    assert first["info"]["geodesic_distance"] == pytest.approx(1.8)
    assert first["instruction"]["instruction_text"] == "Walk ahead, then turn left."


def test_agent_looks_where_the_camera_looked(made: Path) -> None:
    run = make_run()
    for episode, frame in zip(read(made)["episodes"], (9, 9, 13), strict=True):
        forward = Rotation.from_quat(episode["start_rotation"]).apply([0, 0, -1])
        camera = run.scene.models[0].world_from_cam[frame].forward
        assert forward == pytest.approx(yup_from_zup(camera), abs=1e-9)


def test_path_lies_on_the_floor_below_the_camera_in_steps(made: Path) -> None:
    run = make_run()
    path = zup_from_yup(read(made)["episodes"][2]["reference_path"])
    assert path[:, 2] == pytest.approx(np.zeros(len(path)))
    steps = np.linalg.norm(np.diff(path, axis=0), axis=1)
    assert (steps[:-1] >= 0.25).all()
    centers = run.scene.models[0].centers[12:, :2]
    for place in path:
        assert np.linalg.norm(centers - place[:2], axis=1).min() < 1e-9
