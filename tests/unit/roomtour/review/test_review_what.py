"""Not only texts about the walks are judged: parts of them, ways back, and what single views show."""

from dataclasses import replace
from pathlib import Path
from typing import get_args, get_type_hints

import pytest

from instructions.navigation.records import Instruction, ViewDescription
from roomtour.cli import main
from roomtour.cli.looking.view import review
from roomtour.export import export_runs
from roomtour.export.registry import get_format, parse_options
from roomtour.files.reviews import RATINGS, Rating, Score, text_key
from roomtour.review.kinds import REVIEWS
from roomtour.review.texts import ReviewSession, TextItem, draw_sample
from roomtour.run import Run
from roomtour.view.tour import load_tour
from tests.support.export.made_run import make_run, with_further
from tests.support.runs.run_folder import write_run


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("what") / "run"
    place.mkdir()
    return write_run(place, with_further(make_run()))


def page(item: TextItem) -> str:
    return ReviewSession([item], {}, "anna").draw(0, "token")


def test_each_sort_of_text_is_drawn_by_itself(folder: Path) -> None:
    run = Run(folder)
    tours = {"run": load_tour(run, 1000)}
    drawn = {what: {item.row.id for item in draw_sample(tours, 99, 0, what)} for what in SORTS}
    assert drawn["instructions"] == {row.id for row in run.instructions}
    assert drawn["further"] == {row.id for row in run.further_instructions if row.accepted}
    assert drawn["views"] == {row.id for row in run.view_descriptions}
    assert all(drawn.values())
    assert {row.id for row in run.texts} == set().union(*drawn.values())


SORTS = ("instructions", "further", "views")


def test_a_way_back_is_shown_from_its_end_without_pictures_that_look_the_other_way(folder: Path) -> None:
    items = draw_sample({"run": load_tour(Run(folder), 1000)}, 99, 0, "further")
    back = next(item for item in items if item.is_way_back)
    html = page(back)
    assert "no frame looks along it" in html
    assert '<img src="/frame/' not in html
    first, last = min(back.row.views), max(back.row.views)
    assert f"frames {last} to {first}," in html


def test_their_ratings_count(folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run = Run(folder)
    told, view = next(row for row in run.further_instructions if row.accepted), run.view_descriptions[0]
    data = replace(run.data, frames_dir=tmp_path)
    place = write_run(tmp_path, data)
    scores: tuple[tuple[Instruction | ViewDescription, Score], ...] = ((told, 4), (view, 1))
    for row, score in scores:
        RATINGS.append(place, Rating(row.id, text_key(row.text), "anna", score, (), "", "2026-01-01T00:00:00+00:00", 1))
    again = Run(place)
    assert again.data.ratings == {told.id: 4.0, view.id: 1.0}
    assert main(["review", str(place), "--summary"]) == 0
    assert "mean 2.50" in capsys.readouterr().out
    options = parse_options(get_format("llava"), ["min_rating=3", "copy_images=false"])
    report = export_runs([again.data], "llava", tmp_path / "out", options)
    assert report.counts["views"] == len(run.view_descriptions) - 1
    assert report.dropped["view rated below 3"] == 1


def test_what_can_be_named_can_be_judged():
    told = get_type_hints(review)["what"]
    assert set(get_args(told)) == set(REVIEWS)
