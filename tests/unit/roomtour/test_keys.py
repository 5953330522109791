"""Names of results: those that are worked out before are those that a run is made under."""

from __future__ import annotations

import os
from dataclasses import replace

from roomtour.config import Config
from roomtour.keys import list_identities, result_keys
from roomtour.pipeline import process_tour
from roomtour.sources import Tour
from roomtour.tour_facts import TourFacts


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
