import json
from dataclasses import replace
from pathlib import Path

import pytest
from playwright.sync_api import expect

from instructions.questions.core.options import ChoiceOptions, SpatialOptions
from instructions.questions.core.records import Question
from instructions.questions.quality.grades import Solution
from instructions.questions.writers.views import write_questions
from roomtour.cli import main
from roomtour.errors import RoomtourError
from roomtour.files.reviews import QUESTION_REVIEWS
from roomtour.review.questions import QuestionSession, draw_questions, summarize_questions
from roomtour.run import Run
from roomtour.view.tour import load_tour
from tests.support.runs.made_tour import make_run
from tests.support.runs.review_server import serving
from tests.support.runs.run_folder import STAGES_RUN, write_run
from tests.support.worlds.box_rooms import Block, make_room

expect.set_options(timeout=120_000)


def make_rows(tour: str, frame: int) -> tuple[Question, ...]:
    """Real questions, made about a made room and told of a frame of the run."""
    room = make_room(
        (
            Block("chair", (4.0, 1.0, 0.45), (0.5, 0.5, 0.9)),
            Block("lamp", (5.5, -1.0, 0.9), (0.4, 0.4, 1.8)),
            Block("sofa", (5.0, 0.2, 0.4), (0.9, 0.9, 0.8)),
        )
    )
    many = SpatialOptions(choice=ChoiceOptions(rows_per_view=24))
    rows = write_questions(room.tour, options=many).rows
    names = {row.id: row.id.replace("room_m", f"{tour}_m") for row in rows}
    return tuple(
        replace(
            row,
            id=names[row.id],
            tour=tour,
            views=(frame,),
            references=tuple(replace(one, frame=frame) for one in row.references),
            twin=names.get(row.twin or ""),
        )
        for row in rows
    )


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "frames").mkdir()
    run = make_run(tmp_path / "frames")
    frame = min(run.scene.models[0].world_from_cam)
    return write_run(
        tmp_path, run.with_rows("spatial", make_rows(run.scene.id, frame)), stages=[*STAGES_RUN, "spatial"]
    )


def session_of(folder: Path, rater: str = "anna") -> QuestionSession:
    run = Run(folder)
    return QuestionSession(
        draw_questions({"run": (load_tour(run, 1000), run.rows("spatial"))}, 5), {"run": folder}, rater
    )


@pytest.fixture
def server(folder: Path):
    with serving(session_of(folder), 18700) as started:
        yield started


def test_a_person_uses_rewords_and_skips(server, browser_page, folder):
    window = browser_page()
    page = window.open(server.address)
    expect(page.locator(".boxed rect").first).to_be_attached()
    suggested = page.locator("#question").input_value()
    assert suggested == server.session.items[0].row.question
    page.locator("#answer").fill("about 2 m")
    page.keyboard.press("Enter")
    expect(page).to_have_url(f"{server.address}item/1")
    page.wait_for_load_state()
    page.locator("#question").fill("Which one is nearer to the door?")
    page.locator("#answer").fill("the lamp")
    page.get_by_role("button", name="Save").click()
    expect(page).to_have_url(f"{server.address}item/2")
    page.wait_for_load_state()
    page.get_by_role("button", name="Skip the question").click()
    expect(page).to_have_url(f"{server.address}item/3")
    page.wait_for_load_state()
    used, reworded, skipped = QUESTION_REVIEWS.load(folder)
    assert (used.verdict, used.question, used.answer) == ("use", suggested, "about 2 m")
    assert (reworded.verdict, reworded.question) == ("reword", "Which one is nearer to the door?")
    assert (skipped.verdict, skipped.answer) == ("skip", "")
    page.locator("#back").click()
    expect(page.locator(".verdict[aria-pressed='true']")).to_have_text("Skip the question")
    assert [problem for problem in window.problems if not problem.endswith("net::ERR_ABORTED")] == []
    assert window.requests_beyond_loopback() == []


@pytest.mark.parametrize(
    ("sent", "words"),
    [
        ({"verdict": "use", "question": "", "answer": " "}, "type an answer"),
        ({"verdict": "reword", "question": "", "answer": "x"}, "as it was suggested"),
        ({"verdict": "maybe", "question": "", "answer": "x"}, "verdict"),
        ({"verdict": "use", "question": "", "answer": "x" * 3000}, "at most"),
        ([], "answer"),
    ],
)
def test_what_does_not_fit_is_refused(folder: Path, sent: object, words: str):
    with pytest.raises(RoomtourError, match=words):
        session_of(folder).take(0, sent)
    assert not (folder / QUESTION_REVIEWS.file).exists()


def test_the_page_tells_no_answer(folder: Path):
    session = session_of(folder)
    for place, item in enumerate(session.items):
        html = session.draw(place, "token")
        assert "truth" not in html
        assert item.row.answer not in html or item.row.answer in item.row.question or len(item.row.answer) < 6


def test_two_people_agree_as_far_as_they_do(folder: Path, capsys: pytest.CaptureFixture[str]):
    rows = Run(folder).rows("spatial")
    anna, ben = session_of(folder), session_of(folder, "ben")
    for row, item in enumerate(anna.items):
        assert isinstance(item.row, Question)
        truth = Solution.of(item.row)
        right = f"{truth.truth} m" if truth.unit == "m" else f"{truth.truth}"
        anna.take(row, {"verdict": "use", "question": "", "answer": right})
        ben.take(row, {"verdict": "skip" if row == 0 else "use", "question": "", "answer": right if row < 4 else "?"})
    summary = summarize_questions([(rows, QUESTION_REVIEWS.load(folder))])
    first, second = summary.raters
    assert (first.rater, dict(first.verdicts)) == ("anna", {"use": 5})
    assert (first.right, first.near) == (first.words, first.numbers)
    assert dict(second.verdicts) == {"use": 4, "skip": 1}
    ((pair, answers),) = summary.pairs
    assert (pair.common, pair.same, answers.answered, answers.same_answer) == (5, 4, 4, 3)
    assert main(["review", str(folder), "--what", "questions", "--summary"]) == 0
    assert "anna and ben: 5 common questions" in capsys.readouterr().out


def test_questions_written_anew_do_not_count(folder: Path):
    session_of(folder).take(0, {"verdict": "use", "question": "", "answer": "yes"})
    line = json.loads((folder / QUESTION_REVIEWS.file).read_text(encoding="utf-8"))
    (folder / QUESTION_REVIEWS.file).write_text(json.dumps({**line, "text_key": "0" * 16}) + "\n", encoding="utf-8")
    assert session_of(folder).next_open() == 0
    assert summarize_questions([(Run(folder).rows("spatial"), QUESTION_REVIEWS.load(folder))]).raters == ()
