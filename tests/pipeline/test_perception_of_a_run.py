"""What a run remembers of the perception that made it, on a machine that has other models."""

import shutil
from dataclasses import replace
from pathlib import Path

import roomtour
from roomtour.cli import main
from roomtour.config import Config
from roomtour.pipeline import run_config
from roomtour.stages.table import STAGES
from roomtour.store import RunStore, result_key
from tests.support.one_line import one_line


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
    assert "of another version or of other options" in one_line(capsys, "make", str(run), "--data", "spatial")


def test_a_run_with_names_is_not_made_anew_without_them_unasked(finished_run: Path, short_walk, tmp_path, capsys):
    run = shutil.copytree(finished_run, tmp_path / "run")
    manifest = run / "manifest.json"
    manifest.write_text(manifest.read_text().replace('"perception": "landmarks"', '"perception": "light"'))
    before = manifest.read_bytes()
    assert roomtour.Run(run).perception == "light"
    command = ["process", str(short_walk), "--out", str(run), "--workers", "1"]
    error = one_line(capsys, *command)
    assert "was made with light models" in error
    assert "ROOMTOUR_MODELS=FOLDER" in error
    assert manifest.read_bytes() == before
    assert main([*command, "--perception", "landmarks"]) == 0
