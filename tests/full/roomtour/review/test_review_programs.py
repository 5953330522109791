"""Questions answered by programs before a person: all their views in a real browser, no answer told, answers graded."""

from __future__ import annotations

import threading
from dataclasses import replace
from pathlib import Path

import pytest
from playwright.sync_api import expect

from instructions.questions.core.records import Question
from instructions.questions.quality.grades import Solution
from roomtour.cli import main
from roomtour.files.question_reviews import load_question_reviews
from roomtour.review.question_frames import find_frames
from roomtour.review.question_summary import summarize_questions
from roomtour.review.questions import QuestionSession, draw_questions
from roomtour.review.server import ReviewServer
from roomtour.run import Run
from roomtour.view.tour import load_tour
from tests.support.export.program_runs import make_program_run
from tests.support.runs.made_tour import make_run
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
    with ReviewServer(session, 18740) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.05,))
        thread.start()
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
        server.shutdown()
        thread.join()
    used, skipped = load_question_reviews(folder)
    assert (used.id, used.verdict, used.answer) == (first.id, "use", "2")
    assert skipped.verdict == "skip"


def test_it_fits_a_phone(folder, browser_page):
    with ReviewServer(session_of(folder), 18760) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.05,))
        thread.start()
        window = browser_page(360, 740, False)
        page = window.open(server.address)
        expect(page.get_by_role("button", name="Save")).to_be_visible()
        assert not window.scrolls_sideways()
        server.shutdown()
        thread.join()


def test_the_page_tells_no_answer(folder):
    session = session_of(folder, size=60)
    assert len({item.row.type for item in session.items}) > 10
    for place, item in enumerate(session.items):
        html = session.draw(place, "token")
        assert item.row.answer not in html or item.row.answer in item.row.question or len(item.row.answer) < 6
        assert "truth" not in html


def test_boxes_do_not_tell_when_things_are_seen(folder):
    rows = Run(folder).rows("programs")
    about_time = [row for row in rows if row.type in ("appearance_order", "temporal_sequence", "in_same", "in_frame")]
    others = [row for row in rows if row.type in ("absolute_distance", "relative_distance")]
    assert about_time
    assert others
    assert not any(one.boxes for row in about_time for one in find_frames(row))
    for row in others:
        assert sum(len(one.boxes) for one in find_frames(row)) == len(row.references)


def test_answers_are_graded_and_two_people_compared(folder, capsys):
    anna, ben = session_of(folder), session_of(folder, "ben")
    for place, item in enumerate(anna.items):
        assert isinstance(item.row, Question)
        truth = Solution.of(item.row).truth
        right = ", ".join(truth) if isinstance(truth, tuple) else f"{truth}"
        anna.take(place, {"verdict": "use", "question": "", "answer": right})
        ben.take(place, {"verdict": "use", "question": "", "answer": "no idea" if place else right})
    rows = Run(folder).rows("programs")
    first, second = summarize_questions([(rows, load_question_reviews(folder))]).raters
    assert first.words + first.numbers == 12
    assert (first.right, first.near) == (first.words, first.numbers)
    assert second.right + second.near == 1
    assert main(["review", str(folder), "--what", "programs", "--summary"]) == 0
    assert "anna and ben: 12 common questions" in capsys.readouterr().out
    assert main(["review", str(folder), "--what", "questions", "--summary"]) == 0
    assert "no question judged yet" in capsys.readouterr().out


def test_a_run_without_such_questions_says_what_to_do(tmp_path, capsys):
    place = write_run(tmp_path, make_run(tmp_path))
    assert main(["review", str(place), "--what", "programs"]) == 1
    assert "roomtour make RUN --data programs" in " ".join(capsys.readouterr().err.split())


def test_options_stand_in_lines_of_their_own(folder):
    session = session_of(folder, size=60)
    place, item = next((place, item) for place, item in enumerate(session.items) if item.row.choices)
    _, *options = item.row.question.split("\n")
    assert len(options) == len(item.row.choices)
    assert "\n".join(options) in session.draw(place, "token")
