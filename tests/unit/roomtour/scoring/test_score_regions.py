"""`roomtour score` on comparison tasks: every figure against sums done by hand."""

import json
from pathlib import Path
from typing import Any

import pytest

from roomtour.errors import RoomtourError
from roomtour.scoring import score_answers

FIFTY = [0.0] * 50


def write(folder: Path, task: str, rows: list[dict[str, Any]]) -> None:
    folder.mkdir(exist_ok=True)
    (folder / f"{task}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")


def answers(folder: Path, told: dict[str, Any]) -> Path:
    file = folder / "answers.jsonl"
    file.write_text("".join(json.dumps({"id": name, "answer": one}) + "\n" for name, one in told.items()))
    return file


def vcr(name: str, tour: str, right: int, why: int) -> dict[str, Any]:
    return {"id": name, "tour": tour, "image": "a.jpg", "right_answer": right, "right_rationale": why}


def test_vcr(tmp_path: Path):
    data = tmp_path / "data"
    write(data, "vcr", [vcr("a", "t", 0, 1), vcr("b", "t", 2, 0), vcr("c", "u", 3, 3), vcr("d", "u", 1, 2)])
    told = {
        "a": {"answers": [0.9, 0.2, 0.1, 0.0], "rationales": [0, 1, 0, 0]},  # both right
        "b": {"answers": [0, 0, 1, 0], "rationales": [0, 1, 0, 0]},  # the answer only
        "c": {"answers": [1, 0, 0, 1], "rationales": [0, 0, 0, 1]},  # a tie is no choice; the rationale only
        "d": {"answers": [0, -1, 0, 0], "rationales": [0, 0, 0, 0]},  # none
    }
    (report,) = score_answers(answers(tmp_path, told), data)
    found = report.figures["vcr"]
    assert [found[name]["value"] for name in ("Q->A", "QA->R", "Q->AR")] == [0.5, 0.5, 0.25]
    # Tours t (1, 1) and u (0, 0) drawn again: the mean of Q->A is 0, 0.5 or 1, and the extremes come each time in four.
    assert (found["Q->A"]["low"], found["Q->A"]["high"]) == (0.0, 1.0)
    assert (found["Q->A"]["rows"], found["Q->A"]["tours"]) == (4, 2)


def test_comparison_counts_pairs_that_people_tell_apart(tmp_path: Path):
    data = tmp_path / "data"
    human = [1.0, 1.0, *[0.0] * 8]  # 16 pairs of different human scores
    rows = [{"id": n, "tour": "t", "image": "a.jpg", "human": human} for n in "ab"]
    write(data, "comparison", [*rows, {**rows[0], "id": "c", "human": [1.0] * 10}])
    scores = {
        "c": [5.0] * 10,
        "a": [5, 4, *range(8)],  # 5 is above 0..4, ties with 5, is under 6, 7; 4 is above 0..3, ties with 4, under 5..7
        "b": [9, 9, *[0] * 8],  # all 16
    }
    (report,) = score_answers(answers(tmp_path, scores), data)
    by_hand = 100 * ((5 - 2) + (4 - 3)) / 16  # 25 %
    assert report.figures["comparison"]["comparison"]["value"] == pytest.approx((by_hand + 100) / 2)
    assert report.figures["comparison"]["comparison"]["low"] is None  # one tour says nothing of others
    assert report.figures["comparison"]["comparison"]["rows"] == 2
    assert report.notes == ("comparison: 1 rows left out, people tell no two apart",)


def test_one_of_fifty(tmp_path: Path):
    data = tmp_path / "data"
    rows = [
        {"id": n, "tour": t, "image": "a.jpg", "candidates": ["s"] * 50, "right": r}
        for n, t, r in (("a", "t", 7), ("b", "t", 0), ("c", "u", 49), ("d", "u", 1))
    ]
    write(data, "acc50", rows)
    told = {
        "a": [1.0 if place == 7 else 0.0 for place in range(50)],  # rank 1
        "b": [3.0 if place == 0 else float(place in (1, 2, 3)) * 4 for place in range(50)],  # rank 4
        "c": [float(-place) for place in range(50)],  # rank 50
        "d": list(FIFTY),  # ties stand before it: rank 50
    }
    (report,) = score_answers(answers(tmp_path, told), data)
    found = report.figures["acc50"]
    assert found["Acc@50"]["value"] == 0.25
    assert found["recall@5"]["value"] == 0.5
    assert found["mean reciprocal rank"]["value"] == pytest.approx((1 + 1 / 4 + 1 / 50 + 1 / 50) / 4)


def test_votes_count_for_the_system_and_not_for_its_side(tmp_path: Path):
    data = tmp_path / "data"
    ours, theirs = ["ours", "theirs"], ["theirs", "ours"]
    rows = [
        {"id": n, "tour": t, "image": "a.jpg", "systems": s}
        for n, t, s in (("a", "t", ours), ("b", "t", theirs), ("c", "u", ours), ("d", "u", ours), ("e", "u", theirs))
    ]
    write(data, "pairwise", rows)
    told = {
        "a": {"correct": ["A", "A", "B"]},  # ours
        "b": {"correct": ["B", "B", "tie"]},  # ours
        "c": {"correct": ["B", "B", "B"]},  # theirs
        "d": {"correct": ["A", "B", "tie"]},  # no majority
        "e": {"correct": ["tie", "tie", "A"], "overall": ["A", "A", "A"]},  # a tie; overall theirs
    }
    (report,) = score_answers(answers(tmp_path, told), data)
    one = report.figures["pairwise"]["correct"]
    assert report.figures["pairwise"]["systems"] == ["ours", "theirs"]
    assert (one["wins"], one["ties"], one["no majority"], one["pairs"]) == ([2, 1], 1, 1, 5)
    assert one["share"] == pytest.approx(2 / 3)
    assert report.figures["pairwise"]["overall"]["wins"] == [0, 1]


def test_answers_that_do_not_fit_are_one_line(tmp_path: Path, subtests: pytest.Subtests):
    for number, (told, words) in enumerate(
        (
            (
                {"a": {"answers": [1, 0, 0], "rationales": [1, 0, 0, 0]}},
                "a: answers: need a list of 4 finite scores, found 3",
            ),
            (
                {"a": {"answers": [1, 0, 0, "x"], "rationales": [1, 0, 0, 0]}},
                "a: answers: need a list of 4 finite scores",
            ),
            ({"a": "yes"}, "a: answers: need a list of 4 finite scores, found NoneType"),
            ({"a": {"answers": [1, 0, 0, 0], "rationales": [1, 0, 0, 0]}, "z": 1}, "answer 'z' belongs to no row"),
        )
    ):
        folder = tmp_path / str(number)
        folder.mkdir()
        with subtests.test(str(words)):
            data = folder / "data"
            write(data, "vcr", [vcr("a", "t", 0, 1)])
            with pytest.raises(RoomtourError, match=words.replace("(", r"\(")):
                score_answers(answers(folder, told), data)


def test_a_right_option_that_is_none_of_them_is_one_line(tmp_path: Path):
    data = tmp_path / "data"
    write(data, "vcr", [vcr("a", "t", 0, 4)])
    with pytest.raises(RoomtourError, match="a: the right option is number 4 of 4"):
        score_answers(answers(tmp_path, {"a": {"answers": [1, 0, 0, 0], "rationales": [1, 0, 0, 0]}}), data)
    fifty = tmp_path / "fifty"
    write(fifty, "acc50", [{"id": "c", "tour": "t", "image": "a.jpg", "candidates": ["s"] * 50, "right": 50}])
    with pytest.raises(RoomtourError, match="c: the right option is number 50 of 50"):
        score_answers(answers(tmp_path, {"c": list(FIFTY)}), fifty)


def test_a_task_is_answered_whole_or_not_at_all(tmp_path: Path):
    data = tmp_path / "data"
    write(data, "vcr", [vcr("a", "t", 0, 1), vcr("b", "t", 0, 1)])
    write(data, "acc50", [{"id": "c", "tour": "t", "image": "a.jpg", "candidates": ["s"] * 50, "right": 0}])
    with pytest.raises(RoomtourError, match="vcr: 1 of 2 rows have no answer, first b"):
        score_answers(answers(tmp_path, {"a": {"answers": [1, 0, 0, 0], "rationales": [1, 0, 0, 0]}}), data)
    (report,) = score_answers(answers(tmp_path, {"c": [1.0, *FIFTY[1:]]}), data)
    assert list(report.figures) == ["acc50"]
    assert report.notes == ("vcr: none of its 2 rows has an answer, so it is not scored",)
