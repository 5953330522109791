from dataclasses import replace

import pytest

from roomtour.cli import main
from roomtour.export import export_runs
from roomtour.export.registry import get_format, parse_options
from roomtour.files.reviews import RATINGS, Rating, Score, text_key
from roomtour.run import Run
from tests.support.export.made_run import make_run
from tests.support.runs.run_folder import write_run


def export(run, out, *options):
    return export_runs([run], "jsonl", out, parse_options(get_format("jsonl"), options))


def test_only_texts_rated_high_enough_are_exported_and_the_rest_is_counted(tmp_path):
    run = make_run()
    accepted = [told.id for told in run.instructions if told.accepted]
    rated = replace(run, ratings={accepted[0]: 3.5, accepted[1]: 2.5, accepted[2]: 3.0})
    report = export(rated, tmp_path / "out", "min_rating=3")
    assert report.dropped == {"text without a rating": len(accepted) - 3, "text rated below 3": 1}
    everything = export(rated, tmp_path / "all")
    assert everything.counts["instructions"] - report.counts["instructions"] == len(accepted) - 2
    assert "min_rating" in (tmp_path / "out" / "export.json").read_text()


def test_ratings_of_a_run_reach_its_exports_and_the_summary(tmp_path, capsys):
    (tmp_path / "run").mkdir()
    folder = write_run(tmp_path / "run", make_run())
    told = Run(folder).instructions[0]
    scores: tuple[tuple[str, Score], ...] = (("anna", 4), ("ben", 3))
    for rater, score in scores:
        RATINGS.append(
            folder, Rating(told.id, text_key(told.text), rater, score, (0,), "", "2026-01-01T00:00:00+00:00", 1)
        )
    assert Run(folder).data.ratings == {told.id: 3.5}
    assert main(["review", str(folder), "--summary"]) == 0
    said = capsys.readouterr().out
    assert "mean 3.50" in said
    assert "anna and ben" in said


@pytest.mark.parametrize(
    ("arguments", "said"),
    [(["--sample", "0"], "--sample 0"), (["--rater", "\x1b[31m"], "--rater"), ([], "no run given")],
)
def test_what_cannot_be_reviewed_is_one_line(tmp_path, capsys, arguments, said):
    (tmp_path / "run").mkdir()
    runs = [str(write_run(tmp_path / "run", make_run()))] if arguments else []
    assert main(["review", *runs, *arguments]) == (1 if runs else 2)
    error = capsys.readouterr().err
    assert said in error
    assert error.count("\n") == 1
