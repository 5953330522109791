"""`roomtour ask` on a small known room: answers worked out by hand, and one clear line where there is none."""

import math
import re
from pathlib import Path

import pytest

from roomtour.cli.app import main
from tests.support.imports.made_sprite import write_sprite


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("ask")
    write_sprite(folder / "sprite")
    assert main(["import", str(folder / "sprite"), "--format", "sprite", "--out", str(folder / "run")]) == 0
    assert main(["make", str(folder / "run"), "--data", "programs"]) == 0
    return folder / "run"


# Chair (2, 3, 0.5), table (3, 5, 0.4), lamp (0.5, 5.5) 1.8 m tall, blue chair (4, 3.5): to our left is the lamp.
ASKED = {
    "How tall is the tall lamp?": "1.8 meters",
    "What is the distance from center to center between the red chair and the long table?": (
        f"{math.dist((2, 3, 0.5), (3, 5, 0.4)):.1f} meters"
    ),
    "Standing at the red chair and facing the long table, is the tall lamp to the left or to the right?": "Left",
    "How many chairs are there?": "2",
    "Which is nearest to the red chair: the blue chair or the lamp?": "The blue chair",
    "How far is the red chair from the long table?": f"{math.dist((2, 3, 0.5), (3, 5, 0.4)):.1f} meters",
    "How far is it from the red chair to the long table, in meters?": (
        f"{math.dist((2, 3, 0.5), (3, 5, 0.4)):.1f} meters"
    ),
    "Is the tall lamp taller than the red chair?": "The lamp",
    "Which is closer to the red chair, the blue chair or the tall lamp?": "The blue chair",
    "Which is closer to the red chair, the box or the tall lamp?": "The box",
    "What is furthest from the tall lamp?": "The blue chair",
    "What is the tallest thing?": "The lamp",
    "Which is bigger, the long table or the red chair?": "The table",
    "Which is nearer to the camera, the red chair or the lamp?": "The red chair",
    "How many chairs are there in this picture?": "1",
}


def test_answers_are_those_of_the_room(run, tmp_path, capsys, subtests):
    for number, (question, answer) in enumerate(ASKED.items()):
        with subtests.test(question):
            out = tmp_path / str(number)
            assert main(["ask", str(run), question, "--out", str(out)]) == 0
            assert f"A: {answer}." in capsys.readouterr().out
            assert len(list(out.glob("*.png"))) == 1


def test_what_cannot_be_answered_is_one_line(run, tmp_path, capsys, subtests):
    for question in (
        "How tall is the unicorn?",
        "How tall is the thing beside the lamp?",
        "How tall is the red chair next to the lamp?",
        "How tall is not the lamp?",
        "How high above the floor is the tall lamp?",  # not how tall it is
        "How high up does the tall lamp hang?",
        "How many chairs does the last view show?",  # not how many there are
        "How big is the room?",  # nobody knows its floor
        "Is there a dragon?",
        "What is the distance between the red chair and the table in feet?",
        "Which is nearest to the red chair: the blue chair or the dragon?",
        "Which is taller, the lamp or the dragon?",  # not how tall the lamp is
        "Is the lamp taller than the dragon?",
        "Is the lamp nice?",
        "../../etc/passwd",
        "a" * 5000,
    ):
        with subtests.test(str(question)):
            assert main(["ask", str(run), question, "--out", str(tmp_path)]) == 1
            told = capsys.readouterr().err
            assert "cannot be answered" in " ".join(told.split())
            assert not list(tmp_path.iterdir())


def test_a_number_too_rough_for_a_row_is_told_with_its_interval_and_the_reason(run, tmp_path, capsys):
    assert main(["ask", str(run), "What is the volume of the table?", "--out", str(tmp_path)]) == 0
    told = capsys.readouterr().out
    assert "95 %: between 0.4 cubic meters and 2.2 cubic meters" in told
    assert "no row is made of this answer, because the relative error is over the bar" in " ".join(told.split())
    assert main(["ask", str(run), "How tall is the tall lamp?", "--out", str(tmp_path)]) == 0
    sharp = capsys.readouterr().out
    assert "95 %: between" in sharp
    assert "rough:" not in sharp


def test_a_refusal_says_why_and_what_can_be_asked_and_that_can_be_asked(run, tmp_path, capsys):
    assert main(["ask", str(run), "How tall is the Unicorn?", "--out", str(tmp_path)]) == 1
    told = " ".join(capsys.readouterr().err.split())
    assert "'How tall is the Unicorn?'" in told
    assert "none of its words is the name of a thing of this run" in told
    assert main(["ask", str(run), "How heavy is the tall lamp?", "--out", str(tmp_path)]) == 1
    told = " ".join(capsys.readouterr().err.split())
    suggested = re.findall(r"[A-Z][^?]*\?", told.partition("What can be asked: ")[2])
    assert suggested
    for question in suggested:
        assert main(["ask", str(run), question, "--out", str(tmp_path)]) == 0, question


def test_a_moved_thing_changes_the_answers_that_hang_on_it(run, tmp_path, capsys, subtests):
    asked = "How far is the red chair from the long table?"
    assert main(["ask", str(run), asked, "--move", "red chair", "--by", "1", "0", "0", "--out", str(tmp_path)]) == 0
    told = capsys.readouterr().out
    assert f"A: {math.dist((2, 3, 0.5), (3, 5, 0.4)):.1f} meters." in told
    assert f"moved by 1, 0, 0 m: {math.dist((3, 3, 0.5), (3, 5, 0.4)):.1f} meters" in told
    asked = "What is furthest from the tall lamp?"
    assert (
        main(["ask", str(run), asked, "--move", "the blue chair", "--by", "-3", "2", "0", "--out", str(tmp_path)]) == 0
    )
    assert "moved by -3, 2, 0 m: the red chair" in capsys.readouterr().out
    for asked, move in (("How tall is the tall lamp?", "the dragon"), ("How many chairs are there?", "the red chair")):
        with subtests.test(str(asked)):
            assert main(["ask", str(run), asked, "--move", move, "--out", str(tmp_path)]) == 1
            assert "ask: " in capsys.readouterr().err
