"""What the trainers of agents that step make of an export: each reader follows the rules of its loader."""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from recon.conventions import heading_deg, wrap_deg
from recon.geometry import Pose
from roomtour.export.formats.walks.steps import STOP, next_move
from tests.support.export.breaking import read_content
from tests.support.export.made_datasets import MadeDatasets
from tests.support.export.made_run import make_run
from tests.support.export.trainer_readers import read_internnav, read_navila, read_uninavid
from trajectories.actions import replay, start_state
from trajectories.records import Action

NAMES: dict[int, Action] = {0: "stop", 1: "forward", 2: "left", 3: "right"}
TEXTS = ["Walk ahead, then turn left.", "Go on and turn left at the end."]


def ways(folder: Path) -> list[dict[str, Any]]:
    return json.loads((folder / "train" / "annotations.json").read_text())


def test_an_agent_that_follows_the_actions_ends_where_the_way_ends(made: MadeDatasets) -> None:
    points = {point.frame: point for point in make_run().trajectories[0].points}
    items = ways(made["streamvln"])
    for item, (first, last) in zip(items, ((9, 21), (13, 30)), strict=True):
        taken: list[Action] = [NAMES[code] for code in [*item["actions"][1:], 0]]
        states = replay(taken, start_state(points[first]))
        assert np.hypot(states[-1].x_m - points[last].position[0], states[-1].y_m - points[last].position[1]) < 0.3
        assert abs(wrap_deg(states[-1].heading_deg - points[last].heading_deg)) <= 15
        # The walk turns in steps of 15 degrees, so each turn has a frame; the agent cuts a corner by two steps at most.
        for state, frame in zip(states, item["source_frames"], strict=False):
            assert np.hypot(state.x_m - points[frame].position[0], state.y_m - points[frame].position[1]) < 0.5
            assert abs(wrap_deg(state.heading_deg - points[frame].heading_deg)) <= 15.0 + 1e-6
    assert items[0]["instructions"] == TEXTS
    assert items[0]["source_frames"][0] == 9


def test_the_trainers_are_told_the_same_way(made: MadeDatasets) -> None:
    taken = [code for item in ways(made["streamvln"])[:1] for code in [*item["actions"][1:], 0]]
    moves = [item["move"] for item in read_navila(made["navila"] / "train")]
    assert [code for code, _ in moves[: len(taken)]] == taken
    for (code, size), (following, next_size) in pairwise(moves[: len(taken)]):
        assert code != following or next_size >= size - (25 if code == 1 else 15)
    rows = read_uninavid(made["uninavid"] / "train")
    assert {row["text"].split("'")[1] for row in rows} >= set(TEXTS)
    assert all(row["actions"][-1] == "stop" for row in rows if len(row["actions"]) < 4)
    read = read_internnav(made["internnav"] / "train")
    assert {item["text"] for item in read} >= {text.removesuffix(".") for text in TEXTS}


def test_the_sentence_joins_up_to_three_like_actions(subtests: pytest.Subtests) -> None:
    cases: list[tuple[list[Action], str]] = [
        (["forward", "left"], "move forward 25 cm"),
        (["forward"] * 5, "move forward 75 cm"),
        (["left", "left", "right"], "turn left 30 degree"),
        (["right", "stop"], "turn right 15 degree"),
    ]
    for actions, told in cases:
        with subtests.test(told):
            assert next_move(actions) == f"The next action is {told}."
    assert next_move(["stop"]) == STOP


def test_poses_for_internnav_are_level_and_where_the_pictures_were_taken(made: MadeDatasets) -> None:
    model = make_run().scene.models[0]
    for table in (made["internnav"] / "train").rglob("*.parquet"):
        for row in read_content(table):
            level, own = Pose.from_matrix(row["pose.150cm_0deg"]), model.world_from_cam[row["source_frame"]]
            assert level.center == pytest.approx(own.center)
            assert level.forward[2] == pytest.approx(0.0, abs=1e-9)
            assert level.right[2] == pytest.approx(0.0, abs=1e-9)
            assert abs(wrap_deg(heading_deg(level) - heading_deg(own))) < 1e-6
            assert np.allclose(row["world_from_cam"], own.matrix())
