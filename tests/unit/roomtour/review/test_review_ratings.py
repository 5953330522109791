import json
from dataclasses import replace

import pytest

from roomtour.errors import RoomtourError
from roomtour.files.reviews import RATINGS, Rating, mean_scores, text_key
from tests.support.export.made_run import make_run

TOLD = make_run().instructions[0]
RATING = Rating(TOLD.id, text_key(TOLD.text), "anna", 3, (1, 4), "the chair is grün", "2026-01-01T10:00:00+00:00", 4.2)


def test_ratings_come_back_as_they_were_and_the_last_word_counts(tmp_path):
    other = replace(RATING, rater="ben", score=1)
    changed = replace(RATING, score=2, note="")
    assert RATINGS.load(tmp_path) == ()
    for rating in (RATING, other, changed):
        RATINGS.append(tmp_path, rating)
    assert RATINGS.load(tmp_path) == (changed, other)
    assert len((tmp_path / RATINGS.file).read_text(encoding="utf-8").splitlines()) == 3  # nothing that was said is lost


@pytest.mark.parametrize("cut", [1, 20, -1])
def test_a_line_that_a_crash_cut_counts_as_not_written_and_the_next_one_is_whole(tmp_path, cut):
    RATINGS.append(tmp_path, RATING)
    RATINGS.append(tmp_path, replace(RATING, rater="ben"))
    path = tmp_path / RATINGS.file
    first, second = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(first + second[:cut])
    assert RATINGS.load(tmp_path) == (RATING,)
    third = replace(RATING, rater="cleo")
    RATINGS.append(tmp_path, third)
    assert RATINGS.load(tmp_path) == (RATING, third)
    assert all(json.loads(line) for line in path.read_text(encoding="utf-8").splitlines())


def test_a_line_that_is_no_rating_is_named(tmp_path, subtests):
    RATINGS.append(tmp_path, RATING)
    path = tmp_path / RATINGS.file
    good = path.read_text(encoding="utf-8")
    for line in ("{", '{"instruction": "x"}', '{"score": 5}', good.strip().replace('"score": 3', '"score": 5')):
        with subtests.test(line):
            path.write_text(f"{good}{line}\n", encoding="utf-8")
            with pytest.raises(RoomtourError, match=r"ratings\.jsonl:2"):
                RATINGS.load(tmp_path)


def test_a_run_that_cannot_be_written_is_one_line(tmp_path):
    (tmp_path / "reviews").write_text("a file where the folder should be")
    with pytest.raises(RoomtourError, match="cannot be written"):
        RATINGS.append(tmp_path, RATING)


def test_means_are_over_raters_and_forget_texts_that_changed():
    ratings = [RATING, replace(RATING, rater="ben", score=4), replace(RATING, rater="cleo", text_key="old", score=1)]
    assert mean_scores(ratings, [TOLD]) == {TOLD.id: 3.5}
    assert mean_scores(ratings, [replace(TOLD, text="Go.")]) == {}
