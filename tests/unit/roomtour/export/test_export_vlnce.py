from __future__ import annotations

import gzip
import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from scipy.spatial.transform import Rotation

from recon.conventions import yup_from_zup, zup_from_yup
from roomtour.errors import RoomtourError
from roomtour.export import RunData, export_runs, validate_export
from roomtour.export.formats.vlnce.write import VlnceOptions, words_of
from tests.support.export.breaking import Break, set_to, without
from tests.support.export.client_stubs import client, simulator_stubbed
from tests.support.export.made_run import make_run
from tests.support.export.random_runs import runs


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


def test_tokens_spell_the_text(made: Path) -> None:
    content = read(made)
    words = content["instruction_vocab"]["word_list"]
    assert words[0] == "<pad>"
    for episode in content["episodes"]:
        tokens = episode["instruction"]["instruction_tokens"]
        assert len(tokens) == 200
        spelled = [words[token] for token in tokens if token]
        assert spelled == words_of(episode["instruction"]["instruction_text"])


@given(run=runs(scaled=True))
@settings(max_examples=30, deadline=None)
def test_any_scene_gives_valid_episodes(tmp_path_factory, run: RunData) -> None:
    out = tmp_path_factory.mktemp("vlnce") / "out"
    report = export_runs([run], "vlnce", out)
    assert validate_export(out) == []
    assert len(read(out)["episodes"]) == report.counts["episodes"]


def test_val_tours_go_to_their_own_file(tmp_path: Path) -> None:
    export_runs([make_run(f"home{k}") for k in range(6)], "vlnce", tmp_path / "out", VlnceOptions(val_share=0.5))
    sides = [{e["scene_id"] for e in read(tmp_path / "out", f"{s}.json.gz")["episodes"]} for s in ("train", "val")]
    assert all(sides)
    assert not sides[0] & sides[1]
    assert validate_export(tmp_path / "out") == []


def test_relative_scale_is_refused(tmp_path: Path) -> None:
    with pytest.raises(RoomtourError, match="format vlnce needs metres"):
        export_runs([make_run(status="relative")], "vlnce", tmp_path / "out")


RULES: list[tuple[str, Break]] = [
    ("episodes", without("episodes")),
    ("record", set_to("episodes", 0, value="x")),
    ("episode_id", without("episodes", 0, "episode_id")),
    ("episode_id", set_to("episodes", 0, "episode_id", value=2)),
    ("trajectory_id", without("episodes", 0, "trajectory_id")),
    ("scene_id", without("episodes", 0, "scene_id")),
    ("scene_id", set_to("episodes", 0, "scene_id", value="")),
    ("start_position", without("episodes", 0, "start_position")),
    ("start_position", set_to("episodes", 0, "start_position", value=[1.0, 2.0])),
    ("start_rotation", without("episodes", 0, "start_rotation")),
    ("start_rotation", set_to("episodes", 0, "start_rotation", value=[0, 0, 0, 2])),
    ("start_rotation", set_to("episodes", 0, "start_rotation", value=[0, 0, 0.6, 0.8])),
    ("reference_path", without("episodes", 0, "reference_path")),
    ("reference_path", set_to("episodes", 0, "reference_path", value=[])),
    ("reference_path", set_to("episodes", 0, "reference_path", 1, value=[1.0, None, 2.0])),
    ("reference_path", set_to("episodes", 0, "reference_path", 0, value=[9.0, 0.0, 9.0])),
    ("instruction", without("episodes", 0, "instruction")),
    ("instruction.instruction_text", set_to("episodes", 0, "instruction", "instruction_text", value="")),
    ("instruction.instruction_tokens", set_to("episodes", 0, "instruction", "instruction_tokens", value=[9999])),
    ("instruction.language", set_to("episodes", 0, "instruction", "language", value="en")),
    ("info.geodesic_distance", set_to("episodes", 0, "info", "geodesic_distance", value=18.0)),
    ("info.geodesic_distance", set_to("episodes", 0, "info", "geodesic_distance", value=0.18)),
    ("info.geodesic_distance", set_to("episodes", 0, "info", "geodesic_distance", value="far")),
    ("goals", without("episodes", 0, "goals")),
    ("goals", set_to("episodes", 0, "goals", value=[])),
    ("goals.position", without("episodes", 0, "goals", 0, "position")),
    ("goals.position", set_to("episodes", 0, "goals", 0, "position", value=[0.0, 9.0, 0.0])),
    ("goals.radius", without("episodes", 0, "goals", 0, "radius")),
    ("goals.radius", set_to("episodes", 0, "goals", 0, "radius", value=0)),
    ("goals.room", set_to("episodes", 0, "goals", 0, "room", value="kitchen")),
    ("heading", set_to("episodes", 0, "heading", value=1.0)),
    ("instruction_vocab.word_list", without("instruction_vocab")),
    ("instruction_vocab.word_list", set_to("instruction_vocab", "word_list", 4, value="<pad>")),
    ("instruction_vocab.word_list", set_to("instruction_vocab", "word_list", 0, value="walk ahead")),
    ("json", set_to("episodes", 0, "start_position", 0, value=float("nan"))),
]


@pytest.mark.parametrize(("field", "change"), RULES)
def test_every_rule_is_held(made: Path, field: str, change: Break) -> None:
    assert validate_export(made) == []
    content = read(made)
    change(content)
    (made / "train.json.gz").write_bytes(gzip.compress(json.dumps(content).encode()))
    assert field in {problem.field for problem in validate_export(made)}


def test_missing_and_damaged_files(made: Path) -> None:
    whole = (made / "train.json.gz").read_bytes()
    for content in (whole[:-20], b"not gzip", b"\x1f\x8b\x08\x00"):
        (made / "train.json.gz").write_bytes(content)
        assert "json" in {problem.field for problem in validate_export(made)}
    (made / "train.json.gz").unlink()
    assert "file" in {problem.field for problem in validate_export(made)}


def test_habitat_lab_loads_every_episode(made: Path) -> None:
    with simulator_stubbed():
        dataset = client("habitat.datasets.vln.r2r_vln_dataset")
    config = SimpleNamespace(
        data_path=str(made / "{split}.json.gz"), split="train", scenes_dir="scenes", content_scenes=["*"]
    )
    loaded = dataset.VLNDatasetV1(config)
    wanted = read(made)
    assert len(loaded.episodes) == 3
    for episode, want in zip(loaded.episodes, wanted["episodes"], strict=True):
        assert episode.instruction.instruction_text == want["instruction"]["instruction_text"]
        assert episode.goals[0].position == want["goals"][0]["position"]
        assert episode.reference_path == want["reference_path"]
        assert episode.scene_id == "scenes/flat_m0/flat_m0.glb"
        tokens = [loaded.instruction_vocab.word2idx(word) for word in words_of(episode.instruction.instruction_text)]
        assert tokens == episode.instruction.instruction_tokens[: len(tokens)]
    assert loaded.instruction_vocab.word_list == wanted["instruction_vocab"]["word_list"]
