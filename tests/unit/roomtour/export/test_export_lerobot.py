from __future__ import annotations

import json
import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from instructions.records import Claim, ClaimCheck
from recon.geometry import Pose
from roomtour.errors import RoomtourError
from roomtour.export import RunData, export_runs, validate_export
from roomtour.export.formats.walks.lerobot import dataset
from roomtour.export.formats.walks.lerobot.dataset import RunningStats
from tests.support.export.breaking import frames_on_disk
from tests.support.export.made_run import make_instruction, make_run

CAMERA, STATE = "observation.images.camera", "observation.state"


@pytest.fixture
def run(tmp_path: Path) -> RunData:
    return make_run(frames_dir=frames_on_disk(tmp_path / "frames"))


@pytest.fixture
def made(tmp_path: Path, run: RunData) -> Path:
    export_runs([run], "lerobot", tmp_path / "made")
    return tmp_path / "made"


def rows(folder: Path, pattern: str) -> list[dict[str, Any]]:
    return [row for file in sorted(folder.glob(pattern)) for row in pq.read_table(file).to_pylist()]


def test_episodes_are_the_ways_at_a_fixed_rate(made: Path) -> None:
    first, second = rows(made, "meta/episodes/*/*.parquet")
    assert (first["length"], second["length"]) == (13, 18)
    assert first["tasks"] == ["Walk ahead, then turn left."]
    data = rows(made, "data/*/*.parquet")
    assert [row["index"] for row in data] == list(range(31))
    assert [row["timestamp"] for row in data[:3]] == pytest.approx([0, 1 / 3, 2 / 3])
    assert [row["task_index"] for row in data] == [0] * 13 + [1] * 18
    dropped = json.loads((made / "export.json").read_text())["dropped"]
    assert dropped["further text of a way (LeRobot has one task per frame)"] == 1


def test_state_is_the_pose_and_image_that_of_the_frame(made: Path, run: RunData) -> None:
    for row, frame in zip(rows(made, "data/*/*.parquet"), [*range(9, 22), *range(13, 31)], strict=True):
        x, y, z, *xyzw = row[STATE]
        pose = Pose.from_quat_wxyz([xyzw[3], *xyzw[:3]], [x, y, z])
        assert np.abs(pose.matrix() - run.scene.models[0].world_from_cam[frame].matrix()).max() < 1e-6
        assert row[CAMERA]["bytes"] == (run.frames_dir / f"{frame:06d}.jpg").read_bytes()


def test_actions_lead_from_each_state_to_the_next(made: Path, run: RunData) -> None:
    points = {point.frame: point for point in run.trajectories[0].points}
    x, y, heading = *points[9].position[:2], math.radians(points[9].heading_deg)
    for row, frame in zip(rows(made, "data/*/*.parquet")[:12], range(10, 22), strict=True):
        forward, left, turn = row["action"]
        x += forward * math.cos(heading) - left * math.sin(heading)
        y += forward * math.sin(heading) + left * math.cos(heading)
        heading += turn
        assert [x, y] == pytest.approx(points[frame].position[:2], abs=1e-5)
        assert math.cos(heading - math.radians(points[frame].heading_deg)) == pytest.approx(1.0)
    assert rows(made, "data/*/*.parquet")[12]["action"] == [0.0, 0.0, 0.0]


def test_way_across_a_gap_is_dropped(tmp_path: Path, run: RunData) -> None:
    (trajectory,) = run.trajectories
    points = tuple(p if p.frame < 14 else replace(p, time_s=p.time_s + 2.0) for p in trajectory.points)
    report = export_runs(
        [replace(run, trajectories=(replace(trajectory, points=points),))], "lerobot", tmp_path / "out"
    )
    assert report.dropped["way with a gap of more than one tick"] == 2
    assert validate_export(tmp_path / "out") == []


def test_episodes_stay_whole_in_bounded_files(tmp_path: Path, run: RunData, monkeypatch: pytest.MonkeyPatch) -> None:
    texts = tuple(make_instruction(run.trajectories[0], k, (1 + k, 9 + k), f"Text {k}.") for k in range(9))
    monkeypatch.setattr(dataset, "MAX_FILE_MB", 0.03)
    export_runs([replace(run, rows={"navigation": texts})], "lerobot", tmp_path / "out")
    assert len(list((tmp_path / "out").glob("data/*/*.parquet"))) > 2
    assert validate_export(tmp_path / "out") == []


@given(
    st.lists(arrays(np.float64, st.tuples(st.integers(1, 5), st.just(2)), elements=st.floats(-1e3, 1e3)), min_size=1)
)
def test_running_statistics_are_those_of_all_values(batches: list[np.ndarray]) -> None:
    stats = RunningStats(2)
    for batch in batches:
        stats.add(batch)
    values = np.concatenate(batches)
    figures = stats.figures()
    assert figures.pop("count") == [len(values)]
    for name, got in figures.items():
        assert got == pytest.approx(getattr(values, name)(axis=0), abs=1e-6)


def test_frame_that_is_gone_or_damaged_is_one_line(tmp_path: Path, run: RunData) -> None:
    (run.frames_dir / "000009.jpg").write_bytes(b"no image")
    with pytest.raises(RoomtourError, match=r"000009\.jpg cannot be decoded"):
        export_runs([run], "lerobot", tmp_path / "out")
    (run.frames_dir / "000009.jpg").unlink()
    with pytest.raises(RoomtourError, match=r"000009\.jpg is missing"):
        export_runs([run], "lerobot", tmp_path / "out")


def test_the_reward_rises_towards_what_the_text_ends_at(tmp_path: Path, run: RunData) -> None:
    (trajectory,) = run.trajectories
    end = np.array(trajectory.points[-1].position)
    thing = run.objects[0]
    x, y, z = (float(value) for value in end)
    thing = replace(thing, obb=replace(thing.obb, center=(x, y, z), half_extents=(0.1, 0.1, 0.1)))
    told = make_instruction(trajectory, 0, (1, 18), "Go on and stop at it.")
    claim = ClaimCheck(Claim("stop_at", "stop at it", thing.id), True, "made")
    for instruction, name in ((told, "end"), (replace(told, claims=(claim,)), "thing")):
        made = replace(run, rows={"navigation": (instruction,)}, objects=(thing, *run.objects[1:]))
        export_runs([made], "lerobot", tmp_path / name)
        assert validate_export(tmp_path / name) == []
        data = rows(tmp_path / name, "data/*/*.parquet")
        places = np.array([row[STATE][:3] for row in data])
        goal = end if name == "thing" else places[-1]
        away = np.linalg.norm(places - goal, axis=1)
        if name == "thing":
            away = np.linalg.norm(np.maximum(np.abs(places - goal) - 0.1, 0.0), axis=1)
        assert [row["next.reward"] for row in data] == pytest.approx(np.exp(-np.append(away[1:], away[-1])), abs=1e-4)
        assert data[0]["next.reward"] < data[-1]["next.reward"]
