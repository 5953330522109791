from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from recon.conventions import wrap_deg
from roomtour.export import export_runs, validate_export
from roomtour.export.formats.actions.write import ActionsOptions, frames_at
from tests.support.export.breaking import frames_on_disk
from tests.support.export.made_run import make_run
from trajectories.actions import Action, AgentState, replay, start_state

BARE = ActionsOptions(copy_images=False)
WAYS, SAMPLES = "annotations_train.json", "samples_train.jsonl"
NAMES: dict[int, Action] = {0: "stop", 1: "forward", 2: "left", 3: "right"}


def samples(folder: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (folder / SAMPLES).read_text().splitlines()]


@pytest.fixture
def made(tmp_path: Path) -> Path:
    export_runs([make_run(frames_dir=frames_on_disk(tmp_path / "frames"))], "actions", tmp_path / "made")
    return tmp_path / "made"


def test_replay_ends_where_the_way_ends(made: Path) -> None:
    trajectory = make_run().trajectories[0]
    points = {point.frame: point for point in trajectory.points}
    items = json.loads((made / WAYS).read_text())
    for item, (first, last) in zip(items, ((9, 21), (13, 30)), strict=True):
        end = replay([NAMES[code] for code in item["actions"]], start_state(points[first]))[-1]
        assert np.hypot(end.x_m - points[last].position[0], end.y_m - points[last].position[1]) < 0.3
        assert abs(wrap_deg(end.heading_deg - points[last].heading_deg)) <= 15
    assert items[0]["instructions"] == ["Walk ahead, then turn left.", "Go on and turn left at the end."]
    assert items[0]["frames"][0] == 9


def test_every_action_is_shown_a_frame_from_where_the_agent_stands(made: Path) -> None:
    """The walk turns in steps of 15 degrees, so each turn has a frame; the agent cuts a corner by two steps at most."""
    points = {point.frame: point for point in make_run().trajectories[0].points}
    for item in json.loads((made / WAYS).read_text()):
        states = replay([NAMES[code] for code in item["actions"]], start_state(points[item["frames"][0]]))
        for state, frame in zip(states, item["frames"], strict=False):
            place = points[frame].position
            assert np.hypot(state.x_m - place[0], state.y_m - place[1]) < 0.5
            assert abs(wrap_deg(state.heading_deg - points[frame].heading_deg)) <= 15.0 + 1e-6


def test_streamvln_client_gets_the_same_actions(tmp_path: Path, made: Path) -> None:
    """Its loader drops the first action and appends a stop."""
    options = ActionsOptions(style="streamvln", copy_images=False)
    export_runs([make_run()], "actions", tmp_path / "out", options)
    assert validate_export(tmp_path / "out") == []
    plain = json.loads((made / WAYS).read_text())
    for item, want in zip(json.loads((tmp_path / "out" / WAYS).read_text()), plain, strict=True):
        assert item["actions"][0] == -1
        assert [*item["actions"][1:], 0] == want["actions"]
        assert len(item["actions"]) == len(item["frames"])


def test_images_are_one_per_action_in_order(made: Path) -> None:
    for item in json.loads((made / WAYS).read_text()):
        images = sorted((made / item["video"] / "rgb").iterdir())
        assert len(images) == len(item["actions"])
        for image, frame in zip(images, item["frames"], strict=True):
            assert image.read_bytes() == (made.parent / "frames" / f"{frame:06d}.jpg").read_bytes()


def test_samples_are_every_step_of_every_text(made: Path) -> None:
    items = json.loads((made / WAYS).read_text())
    rows = samples(made)
    facts = json.loads((made / "export.json").read_text())
    assert len(rows) == sum(len(item["actions"]) * len(item["instructions"]) for item in items)
    assert facts["counts"]["samples"] == len(rows)
    assert facts["labels"]["stop"] == 2
    assert sum(facts["labels"].values()) == facts["counts"]["actions"]
    last = rows[len(items[0]["actions"]) - 1]
    assert (last["action"], last["answer"]) == (0, "stop")
    assert len(last["images"]) == 8
    assert last["images"][-1] == f"{items[0]['video']}/rgb/{last['step']:06d}.jpg"
    assert "forward" in (made / "README.md").read_text()


def test_frames_are_the_best_of_all_that_never_go_back() -> None:
    """Against every choice there is, on a walk that comes back to where it was."""
    points = make_run().trajectories[0].points[9:15]
    states = [AgentState(point.position[0], point.position[1], point.heading_deg + 4.0) for point in points[::2]]

    def cost(frames: tuple[int, ...]) -> float:
        chosen = {point.frame: point for point in points}
        total = 0.0
        for state, frame in zip(states, frames, strict=True):
            place = chosen[frame].position
            total += (np.hypot(state.x_m - place[0], state.y_m - place[1]) / 0.25) ** 2
            total += (wrap_deg(state.heading_deg - chosen[frame].heading_deg) / 15.0) ** 2
        return total

    all_frames = [point.frame for point in points]
    every = [(a, b, c) for a in all_frames for b in all_frames for c in all_frames if a <= b <= c]
    assert cost(tuple(frames_at(states, points))) == pytest.approx(min(cost(frames) for frames in every))


def balanced(tmp_path: Path) -> Path:
    options = ActionsOptions(max_forward_share=0.2, copy_images=False, seed=3)
    export_runs([make_run()], "actions", tmp_path / "balanced", options)
    return tmp_path / "balanced"


def test_balancing_thins_forward_samples_and_leaves_the_ways_whole(tmp_path: Path) -> None:
    plain = tmp_path / "plain"
    export_runs([make_run()], "actions", plain, ActionsOptions(copy_images=False))
    folder = balanced(tmp_path)
    assert validate_export(folder) == []
    whole = json.loads((plain / "annotations_train.json").read_text())
    thinned = json.loads((folder / "annotations_train.json").read_text())
    for before, after in zip(whole, thinned, strict=True):
        steps = after.pop("sample_steps")
        assert after == before
        taken = [before["actions"][step] for step in steps]
        assert 1 <= taken.count(1) <= len(taken) / 5
        assert [a for a in taken if a != 1] == [a for a in before["actions"] if a != 1]
    samples = [json.loads(line) for line in (folder / "samples_train.jsonl").read_text().splitlines()]
    everything = [json.loads(line) for line in (plain / "samples_train.jsonl").read_text().splitlines()]
    assert len(samples) < len(everything)
    assert all(sample in everything for sample in samples)
    labels = json.loads((folder / "export.json").read_text())["labels"]
    assert labels["forward"] <= sum(labels.values()) / 5
