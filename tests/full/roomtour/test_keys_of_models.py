"""Names of results that one machine with weights works out and another, which has none, believes."""

import os
from dataclasses import dataclass, replace

import pytest

from instructions.errors import InstructionError
from roomtour.config import Config
from roomtour.keys import list_identities, result_keys
from roomtour.pipeline import process_tour
from roomtour.sources import Tour
from roomtour.stages.table import STAGES
from roomtour.store import RunStore, StageEntry
from roomtour.tour_facts import TourFacts

UNTIL_VISION = [stage for stage in STAGES if stage.name in ("sample", "clips", "features", "sfm", "merge", "vision")]


@dataclass
class MadeModel:
    name: str
    revision: str


@pytest.fixture
def config():
    return replace(Config(workers=1), perception="models")


@pytest.fixture
def keys_of_driver(config, short_walk, tmp_path, monkeypatch):
    """As a machine gives them that has the weights."""
    with monkeypatch.context() as patch:
        found = MadeModel("made", "r1")
        patch.setattr("instructions.perception.models.weights.find_model", lambda ability, choice: found)
        return result_keys(Tour("walk", short_walk, tmp_path / "run"), config, list_identities(config))


def lay_down(run, keys):
    """A run whose stages up to the models' are done under these keys."""
    with RunStore(run).opened() as store:
        for stage in UNTIL_VISION:
            part = store.begin()
            for output in stage.outputs:
                (part / output).parent.mkdir(parents=True, exist_ok=True)
                (part / output).write_text(stage.name)
            store.commit(stage.name, StageEntry(keys[stage.name], 0.0, 0.0, "2026"), stage.outputs, ())


def test_a_machine_without_weights_goes_on_with_a_run_whose_models_have_looked(
    config, keys_of_driver, short_walk, tmp_path
):
    tour = Tour("walk", short_walk, tmp_path / "run")
    lay_down(tour.run, keys_of_driver)
    before = {name: entry.finished for name, entry in RunStore(tour.run).stages.items()}
    with pytest.raises(InstructionError):  # it cannot even name the result
        process_tour(tour, config, until="vision")
    run = process_tour(tour, config, until="vision", keys=keys_of_driver, attempt=3)
    assert {name: entry.finished for name, entry in run.stages.items()} == before


def test_keys_are_those_that_a_run_is_made_under(short_walk, tmp_path):
    config = replace(Config(workers=1), perception="landmarks", tour=TourFacts(licence="CC0-1.0"))
    tour = Tour("walk", short_walk, tmp_path / "run")
    keys = result_keys(tour, config, list_identities(config))
    run = process_tour(tour, config, until="clips", attempt=2)
    assert {name: entry.key for name, entry in run.stages.items()} == {name: keys[name] for name in ("sample", "clips")}
    entry = run.stages["clips"]
    assert (entry.attempt, entry.host, entry.peak_mb > 50) == (2, os.uname().nodename, True)
    other = replace(config, tour=TourFacts(licence="none"))
    told = result_keys(tour, other, list_identities(other))
    assert {name for name in keys if keys[name] != told[name]} == {"report"}
