"""Names of results: of a run, of its copy, and of one made under an earlier key."""

from __future__ import annotations

import os
import shutil
from dataclasses import replace

from roomtour.config import Config
from roomtour.files.records import read_json, write_json
from roomtour.keys import list_identities, result_keys
from roomtour.pipeline import process_tour
from roomtour.sources import Tour, list_source_keys
from roomtour.stages.table import STAGES
from roomtour.store import result_key
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


def test_a_run_under_an_earlier_key_of_its_folder_is_kept_and_a_copy_of_the_folder_too(short_walk, tmp_path):
    """Pictures that are copied elsewhere have the same key; runs from before that keep theirs."""
    import av

    pictures = tmp_path / "pictures"
    pictures.mkdir()
    with av.open(str(short_walk)) as video:
        for number, frame in enumerate(video.decode(video=0)):
            if number % 10 == 0:
                frame.to_image().save(pictures / f"{number:04d}.jpg")
    base = Config(workers=1)
    config = replace(base, input=replace(base.input, fps=3.0))
    tour = Tour("pictures", pictures, tmp_path / "run")
    process_tour(tour, config, until="clips")
    manifest = read_json(tour.run / "manifest.json")
    _, old = list_source_keys(pictures)
    sample, clips = STAGES[0], STAGES[1]
    old_key = result_key("sample", sample.version, ["pictures", old], sample.options(config))
    manifest["stages"]["sample"]["key"] = old_key
    manifest["stages"]["clips"]["key"] = result_key("clips", clips.version, [old_key], clips.options(config))
    write_json(tour.run / "manifest.json", manifest)
    before = (tour.run / "frames.parquet").stat().st_mtime_ns
    assert process_tour(tour, config, until="clips").stages["sample"].key == old_key
    assert (tour.run / "frames.parquet").stat().st_mtime_ns == before

    fresh = Tour("pictures", pictures, tmp_path / "fresh")
    done = process_tour(fresh, config, until="clips").stages
    shutil.copytree(pictures, tmp_path / "elsewhere" / "pictures", copy_function=shutil.copy)
    moved = process_tour(replace(fresh, source=tmp_path / "elsewhere" / "pictures"), config, until="clips").stages
    assert {name: entry.finished for name, entry in moved.items()} == {
        name: entry.finished for name, entry in done.items()
    }
