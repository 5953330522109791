"""`--perception auto | landmarks | light`: what is chosen, what names it, and the real light models end to end."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

import pytest

import roomtour
from roomtour.cli import main
from roomtour.cli.parsing.process_flags import parse_process
from roomtour.cli.parsing.settings import build_config
from roomtour.config import Config
from roomtour.errors import RoomtourError
from roomtour.pipeline import run_config
from roomtour.stages.table import STAGES
from roomtour.stages.vision import choose_perception
from roomtour.store import RunStore, result_key

WANTED = {"chair", "table", "sofa", "bed", "door", "window", "cabinet", "plant", "picture", "shelf", "curtain"}


def config_of(*flags: str) -> Config:
    given = parse_process(["tour.mp4", "--out", "run", *flags])
    assert given is not None
    return build_config(given.config, given.set_options, given.flag_options)


def test_auto_is_the_default_and_landmarks_where_there_are_no_light_models():
    assert Config().perception == "auto"
    assert choose_perception(Config()).perception == "landmarks"
    assert choose_perception(Config(perception="models")).perception == "models"


def test_auto_is_light_where_packages_and_files_are(tmp_path: Path, monkeypatch):
    monkeypatch.setattr("roomtour.stages.vision.why_not_light", lambda folder: None)
    assert choose_perception(Config()).perception == "light"
    assert choose_perception(Config(perception="landmarks")).perception == "landmarks"


def test_another_word_is_refused_with_the_known_ones():
    with pytest.raises(RoomtourError, match="'auto', 'landmarks', 'light' or 'models'"):
        config_of("--perception", "lite")


def test_the_manifest_says_what_was_chosen_and_the_summary_how_to_get_better(finished_run: Path, capsys):
    run = roomtour.Run(finished_run)
    assert run.manifest["options"]["perception"] == "landmarks"
    assert run_config(run).perception == "landmarks"
    assert main(["show", str(finished_run)]) == 0
    shown = " ".join(capsys.readouterr().out.split())
    assert (
        'landmarks, without names; for names: pip install "roomtour[light]", then roomtour models pull light' in shown
    )


def rename_keys(folder: Path, config: Config) -> None:
    """Name the results of a run as a machine with learned keypoints would have named them."""
    store = RunStore(folder)
    for stage in STAGES:
        entry = store.stages.get(stage.name)
        if entry is None or not stage.needs:
            continue
        options = stage.identify(config, elsewhere=True)
        inputs = [store.stages[name].key for name in stage.needs if name in store.stages]
        key = result_key(stage.name, stage.code, inputs, options)
        store.stages[stage.name] = replace(entry, key=key)
    store.write()


def test_data_is_made_of_a_run_whose_weights_are_on_another_machine(finished_run: Path, tmp_path: Path, capsys):
    run = shutil.copytree(finished_run, tmp_path / "run")
    config = run_config(roomtour.Run(run))
    before = RunStore(run).stages["sfm"].key
    rename_keys(run, config)
    assert RunStore(run).stages["sfm"].key != before
    assert main(["make", str(run), "--data", "spatial"]) == 0
    rename_keys(run, replace(config, seed=config.seed + 1))
    capsys.readouterr()
    assert main(["make", str(run), "--data", "spatial"]) == 1
    assert "of another version or of other options" in capsys.readouterr().err


def test_a_run_with_names_is_not_made_anew_without_them_unasked(finished_run: Path, short_walk, tmp_path, capsys):
    run = shutil.copytree(finished_run, tmp_path / "run")
    manifest = run / "manifest.json"
    manifest.write_text(manifest.read_text().replace('"perception": "landmarks"', '"perception": "light"'))
    before = manifest.read_bytes()
    assert roomtour.Run(run).perception == "light"
    command = ["process", str(short_walk), "--out", str(run), "--workers", "1"]
    assert main(command) == 1
    error = capsys.readouterr().err
    assert error.count("\n") == 1
    assert "was made with light models" in error
    assert "ROOMTOUR_MODELS=FOLDER" in error
    assert manifest.read_bytes() == before
    assert main([*command, "--perception", "landmarks"]) == 0


def test_light_models_that_are_missing_are_told_before_anything_is_done(short_walk: Path, tmp_path: Path, capsys):
    run, folder = tmp_path / "run", tmp_path / "models"
    flags = ["--perception", "light", "--vision.folder", str(folder)]
    assert main(["process", str(short_walk), "--out", str(run), *flags]) == 1
    error = capsys.readouterr().err
    assert error.count("\n") == 1
    assert f"4 of 4 light models not in {folder}: roomtour models pull light" in error
    assert not run.exists()


def test_a_damaged_light_model_is_told_before_anything_is_done(light_models, short_walk, tmp_path, capsys):
    folder = tmp_path / "models"
    shutil.copytree(light_models, folder)
    (folder / "detect-yolox-nano" / "yolox_nano.onnx").write_bytes(b"damaged")
    flags = ["--vision.folder", str(folder)]
    assert main(["process", str(short_walk), "--out", str(tmp_path / "run"), *flags]) == 1
    error = capsys.readouterr().err
    assert error.count("\n") == 1
    assert "yolox_nano.onnx: damaged or of another version" in error


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
    assert same[:3] == ["sample", "clips", "features"]  # with learned keypoints at hand, mapping looks again


def test_going_back_to_landmarks_gives_the_same_as_before(light_run, finished_run, short_walk, tmp_path):
    run = tmp_path / "run"
    shutil.copytree(light_run, run)
    assert main(["process", str(short_walk), "--out", str(run), "--perception", "landmarks", "--workers", "1"]) == 0
    for file in ("perception/objects.jsonl", "perception/observations.jsonl", "navigation/rows.jsonl"):
        assert (run / file).read_bytes() == (finished_run / file).read_bytes()
