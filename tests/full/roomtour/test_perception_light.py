"""The real light models end to end, and learned keypoints where their weights are; skipped without."""

import shutil
from pathlib import Path

import pytest

import roomtour
from roomtour.cli import main
from tests.support.one_line import one_line

WANTED = {"chair", "table", "sofa", "bed", "door", "window", "cabinet", "plant", "picture", "shelf", "curtain"}


def test_a_damaged_light_model_is_told_before_anything_is_done(light_models, short_walk, tmp_path, capsys):
    folder = tmp_path / "models"
    shutil.copytree(light_models, folder)
    (folder / "detect-yolox-nano" / "yolox_nano.onnx").write_bytes(b"damaged")
    command = ["process", str(short_walk), "--out", str(tmp_path / "run"), "--vision.folder", str(folder)]
    assert "yolox_nano.onnx: damaged or of another version" in one_line(capsys, *command)


@pytest.fixture(scope="module")
def light_run(light_models: Path, finished_run: Path, short_walk: Path, tmp_path_factory) -> Path:
    """The finished run, gone on with real light models."""
    run = tmp_path_factory.mktemp("light") / "run"
    shutil.copytree(finished_run, run)
    flags = ["--vision.folder", str(light_models), "--workers", "1"]
    assert main(["process", str(short_walk), "--out", str(run), *flags]) == 0
    return run


def test_real_light_models_name_things_and_landmarks_stay(light_run: Path, finished_run: Path):
    run, before = roomtour.Run(light_run), roomtour.Run(finished_run)
    assert run.perception == "light"
    assert run.manifest["versions"]["onnxruntime"]
    named = [thing for thing in run.objects if thing.category is not None]
    assert len(named) >= 3
    assert {thing.category for thing in named} & WANTED
    assert len(run.objects) >= len(before.objects)
    assert all("object" in thing.alias for thing in run.objects if thing.category is None)
    ids = {thing.id for thing in run.objects}
    assert len(ids) == len(run.objects)
    assert {one.object for one in run.observations} == ids
    assert run.detections
    frames = {one.frame for one in run.detections}
    assert len(frames) >= 0.5 * len(run.scene.frames)
    assert any(thing.alias in row.text for row in run.instructions for thing in named)
    same = [name for name in run.stages if run.stages[name].finished == before.stages[name].finished]
    assert same == ["sample", "clips"]  # with learned keypoints at hand, mapping looks again, at matches made again


def test_going_back_to_landmarks_gives_the_same_as_before(light_run, finished_run, short_walk, tmp_path):
    run = tmp_path / "run"
    shutil.copytree(light_run, run)
    assert main(["process", str(short_walk), "--out", str(run), "--perception", "landmarks", "--workers", "1"]) == 0
    for file in ("perception/objects.jsonl", "perception/observations.jsonl", "navigation/rows.jsonl"):
        assert (run / file).read_bytes() == (finished_run / file).read_bytes()


def test_a_changed_answer_of_a_network_is_found_and_made_anew(light_run, tmp_path, monkeypatch, light_models, capsys):
    monkeypatch.setenv("ROOMTOUR_MODELS", str(light_models))
    run = Path(shutil.copytree(light_run, tmp_path / "run"))
    answer = next(file for file in sorted(run.glob("vision/boxes/*/*.json")) if b'"score":0.' in file.read_bytes())
    told = answer.read_bytes()
    answer.write_bytes(told.replace(b'"score":0.', b'"score":1.', 1))
    assert main(["check", str(run)]) == 1
    assert (
        f"vision: {answer.parent.relative_to(run).as_posix()}: changed since it was written" in capsys.readouterr().out
    )
    before = roomtour.Run(run).stages
    assert main(["check", str(run), "--repair"]) == 0
    assert answer.read_bytes() == told
    assert roomtour.Run(run).stages["perception"] == before["perception"]
