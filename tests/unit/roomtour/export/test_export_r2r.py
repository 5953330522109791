from __future__ import annotations

import json
import math
from dataclasses import replace
from pathlib import Path

import networkx as nx
import numpy as np
import pytest

from recon.conventions import compass_yaw_deg
from recon.geometry import Pose
from roomtour.export import RunData, export_runs, validate_export
from roomtour.export.formats.walks import r2r
from tests.support.export.made_run import level_camera, make_instruction, make_model, make_run, make_trajectory
from tests.support.export.scan_graph import load_graph

EPISODES = "R2R_train.json"
GRAPH = "connectivity/flat_m0_t0_connectivity.json"


@pytest.fixture
def made(tmp_path: Path) -> Path:
    export_runs([make_run()], "r2r", tmp_path / "made")
    return tmp_path / "made"


def test_paths_can_be_walked_in_the_graph(made: Path) -> None:
    first, second = json.loads((made / EPISODES).read_text())
    graph = load_graph(made, "flat_m0_t0")
    assert first["instructions"] == ["Walk ahead, then turn left.", "Go on and turn left at the end."]
    assert (first["path"][0], first["path"][-1]) == ("flat_m0_t0_000009", "flat_m0_t0_000021")
    assert second["path"][-1] == "flat_m0_t0_000030"
    for episode in (first, second):
        assert nx.is_path(graph, episode["path"])
        shortest = nx.dijkstra_path_length(graph, episode["path"][0], episode["path"][-1])
        assert shortest <= episode["distance"] + 1e-9
        assert episode["distance"] == pytest.approx(nx.path_weight(graph, episode["path"], "weight"))
    assert nx.is_connected(graph)


def test_heading_is_the_compass_angle_in_radians(made: Path) -> None:
    run = make_run()
    for episode in json.loads((made / EPISODES).read_text()):
        pose = run.scene.models[0].world_from_cam[int(episode["path"][0][-6:])]
        assert math.degrees(episode["heading"]) % 360 == pytest.approx(compass_yaw_deg(pose) % 360)


def test_viewpoints_hold_pose_and_height_above_the_floor(made: Path) -> None:
    rows = json.loads((made / GRAPH).read_text())
    run = make_run()
    for row in rows:
        frame = int(row["image_id"][-6:])
        want = run.scene.models[0].world_from_cam[frame].matrix()
        assert np.array(row["pose"]).reshape(4, 4) == pytest.approx(want)
        assert row["height"] == pytest.approx(1.5)
        assert row["image"] == f"{frame:06d}.jpg"


def test_two_passages_through_one_place_are_joined(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """There along x and back 0.3 m beside it: the graph has short cuts, so its shortest way is not the whole walk."""
    there = [level_camera(0.5 * k, 0.0, 0.0) for k in range(12)]
    back = [level_camera(5.5 - 0.5 * k, 0.3, 180.0) for k in range(12)]
    run = run_of([*there, *back])
    monkeypatch.setattr(r2r, "SPACING_M", 0.5)
    export_runs([run], "r2r", tmp_path / "out")
    graph = load_graph(tmp_path / "out", "flat_m0_t0")
    length = nx.dijkstra_path_length(graph, "flat_m0_t0_000001", "flat_m0_t0_000024")
    assert length == pytest.approx(0.3)
    assert validate_export(tmp_path / "out") == []


def run_of(walk: list[Pose]) -> RunData:
    run = make_run()
    model = make_model(walk)
    trajectory = make_trajectory("flat", model, ())
    text = make_instruction(trajectory, 0, (1, len(walk)), "Walk there and back.")
    scene = replace(run.scene, models=(model,))
    return replace(run, scene=scene, trajectories=(trajectory,), rows={"navigation": (text,)})


def test_missing_floor_is_guessed_and_reported(tmp_path: Path) -> None:
    run = make_run()
    model = replace(run.scene.models[0], floor_z=None)
    report = export_runs([replace(run, scene=replace(run.scene, models=(model,)))], "r2r", tmp_path / "out")
    assert [finding.code for finding in report.findings] == ["export.no_floor"]
    assert "no floor was found" in (tmp_path / "out" / "README.md").read_text()
