"""Questions answered by programs before a person: all their views in a real browser, no answer told, answers graded."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from playwright.sync_api import expect

from instructions.questions.core.records import Question
from roomtour.files.question_reviews import load_question_reviews
from roomtour.review.questions import QuestionSession, draw_questions
from roomtour.run import Run
from roomtour.view.tour import load_tour
from tests.support.export.program_runs import make_program_run
from tests.support.runs.made_tour import make_run
from tests.support.runs.review_server import serving
from tests.support.runs.run_folder import STAGES_RUN, write_run

expect.set_options(timeout=120_000)


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> tuple[Question, ...]:
    """Real rows about a made home."""
    return make_program_run(0, tmp_path_factory.mktemp("home")).rows["programs"]


def rows_for(made: tuple[Question, ...], tour: str, frames: list[int]) -> tuple[Question, ...]:
    """The rows with frames and names of another tour, so that its pictures can be shown."""
    out = []
    for row in made:
        place = {frame: frames[at % len(frames)] for at, frame in enumerate(row.views)}
        views = tuple(dict.fromkeys(place[frame] for frame in row.views))
        references = tuple(
            replace(one, frame=None if one.frame is None else place[one.frame]) for one in row.references
        )
        name = row.id.replace(row.tour, tour)
        out.append(replace(row, id=name, tour=tour, views=views, references=references, twin=None))
    return tuple(out)


@pytest.fixture
def folder(tmp_path: Path, made: tuple[Question, ...]) -> Path:
    (tmp_path / "frames").mkdir()
    run = make_run(tmp_path / "frames")
    rows = rows_for(made, run.scene.id, sorted(run.scene.models[0].world_from_cam)[:6])
    return write_run(tmp_path, run.with_rows("programs", rows), stages=[*STAGES_RUN, "programs"])


def session_of(folder: Path, rater: str = "anna", size: int = 12) -> QuestionSession:
    run = Run(folder)
    rows = [row for row in run.rows("programs") if row.form != "text"]
    return QuestionSession(draw_questions({"run": (load_tour(run, 1000), rows)}, size), {"run": folder}, rater)


def test_a_person_sees_all_views_and_answers(folder, browser_page):
    session = session_of(folder)
    with serving(session, 18740) as server:
        window = browser_page()
        page = window.open(server.address)
        first = session.items[0].row
        expect(page.locator("figure.boxed")).to_have_count(len(first.views))
        expect(page.locator("#question")).to_have_value(first.question)
        page.locator("#answer").fill("2")
        page.keyboard.press("Enter")
        expect(page).to_have_url(f"{server.address}item/1")
        page.wait_for_load_state()
        page.get_by_role("button", name="Skip the question").click()
        expect(page).to_have_url(f"{server.address}item/2")
        assert window.requests_beyond_loopback() == []
    used, skipped = load_question_reviews(folder)
    assert (used.id, used.verdict, used.answer) == (first.id, "use", "2")
    assert skipped.verdict == "skip"


def test_the_page_tells_no_answer_and_options_in_lines_of_their_own(folder):
    session = session_of(folder, size=60)
    assert len({item.row.type for item in session.items}) > 10
    for place, item in enumerate(session.items):
        html = session.draw(place, "token")
        assert item.row.answer not in html or item.row.answer in item.row.question or len(item.row.answer) < 6
        assert "truth" not in html
    session = session_of(folder, size=60)
    place, item = next((place, item) for place, item in enumerate(session.items) if item.row.choices)
    _, *options = item.row.question.split("\n")
    assert len(options) == len(item.row.choices)
    assert "\n".join(options) in session.draw(place, "token")
