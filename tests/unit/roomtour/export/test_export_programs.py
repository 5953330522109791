"""Questions answered by programs in a dataset of several tours: comparisons that names tell are left out, counted."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from roomtour.export.core.talks.questions import ProgramTalks
from tests.support.export.made_datasets import MadeDatasets
from tests.support.export.program_runs import make_program_run


def test_comparisons_that_names_tell_are_left_out_over_all_tours(made: MadeDatasets, tmp_path: Path):
    runs = [*made.program_tours, make_program_run(2, tmp_path)]
    source = ProgramTalks()
    talks = [talk for run in runs for talk in source.take(run, "train")]
    gone = source.close(balance=True).gone
    rows = {row.id: row for run in runs for row in run.rows["programs"]}
    names = {talk.id: {one.category for one in rows[talk.id].references} for talk in talks}
    unlike = [talk for talk in talks if len(names[talk.id]) > 1]  # two names that are alike tell nothing
    left = Counter(talk.type for talk in unlike if talk.id not in gone)
    whole = Counter(talk.type for talk in unlike)
    assert left["above"] + left["below"] < 0.5 * (whole["above"] + whole["below"])
    types = {"above", "below", "high_and_low", "size_comparison", "camera_distance_relative"}
    leaning = {talk.type for talk in talks if gone.get(talk.id) == "answer guessable from the names"}
    assert leaning
    assert leaning <= types
    answered = {talk.more["group"] for talk in talks if talk.type != "unseen" and talk.id not in gone}
    unseen = {talk.id for talk in talks if talk.type == "unseen" and talk.more["group"] not in answered}
    assert {name for name, why in gone.items() if why == "the same question is answered nowhere"} == unseen
    assert unseen
    assert set(gone.values()) == {"answer guessable from the names", "the same question is answered nowhere"}
    note = source.close(balance=True).notes[0]
    media = Counter(talk.more["medium"] for talk in talks if talk.id not in gone)
    assert all(f"{count} about {medium}" in note for medium, count in media.items())
    assert not source.close(balance=False).gone
