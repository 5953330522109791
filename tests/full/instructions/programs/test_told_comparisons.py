"""Comparisons that names tell: rows are left out until nobody can answer the rest without the picture."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from benchmarks.made_homes import make_home
from instructions.asking.blind import BlindItem, guess_blind
from instructions.questions.core.records import Question, Reference
from instructions.questions.quality.balance import blind_item, find_surplus, weigh
from instructions.questions.writers.sets import write_questions
from tests.support.cases import each_case

NAMES = ("rug", "bed", "chair", "lamp", "mug", "picture", "table", "window")
WORDS = {
    "above": "", "below": "", "high_and_low": "lower", "camera_distance_relative": "nearer",
    "temporal_sequence": "first",
}  # fmt: skip


def make_row(name: str, tour: str, kind: str, things: tuple[str, str], is_higher: bool, twin: str | None) -> Question:
    """The first thing is higher than the second, or nearer, or not."""
    if kind in ("above", "below"):
        truth = "yes" if is_higher == (kind == "above") else "no"
    else:
        truth = f"{things[0]}_1" if is_higher == (kind != "high_and_low") else f"{things[1]}_1"
    references = tuple(Reference(f"{one}_1", f"the {one}", one, 1, (0.0, 0.0, 9.0, 9.0)) for one in things)
    return Question(
        id=name, tour=tour, model="0", views=(1,), scale_status="metric", perception="made", writer="embedded", seed=0,
        accepted=True, type=kind, family="sizes", level="3d", medium="image", question=f"{kind} {things}",
        answer=str(truth),
        form="yes_no" if kind in ("above", "below") else "thing", truth=truth, truth_source="reference",
        given=(("word", WORDS[kind]),) if WORDS[kind] else (), references=references, twin=twin,
        template=f"{kind}/questions/0",
    )  # fmt: skip


def make_rows(kind: str, strength: float, rows: int = 1200) -> list[Question]:
    """Pairs and their twins; the later a name stands in `NAMES`, the more often it is higher (or nearer)."""
    rng = np.random.default_rng(0)
    out: list[Question] = []
    for number in range(rows):
        a, b = (int(one) for one in rng.choice(len(NAMES), 2, replace=False))
        is_higher = bool(rng.random() < 1 / (1 + np.exp(strength * (b - a))))
        one, two, tour = f"q{number:05d}a", f"q{number:05d}b", f"t{number % 12}"
        out.append(make_row(one, tour, kind, (NAMES[a], NAMES[b]), is_higher, two))
        out.append(make_row(two, tour, kind, (NAMES[b], NAMES[a]), not is_higher, one))
    return out


def drop(rows: list[Question]) -> Mapping[str, str]:
    return find_surplus(map(weigh, rows))


@each_case("kind", ["above", "below", "high_and_low", "camera_distance_relative"])
def test_what_is_left_cannot_be_guessed_and_twins_go_together(kind: str):
    rows = make_rows(kind, 0.5)
    gone = drop(rows)
    kept = [row for row in rows if row.id not in gone]
    (before,), (after,) = (guess_blind([blind_item(row) for row in some]) for some in (rows, kept))
    assert before.score > before.chance + 0.15
    assert after.rows >= 200
    assert after.score < after.chance + 0.05
    assert set(gone.values()) == {"answer guessable from the names"}
    names = {row.id for row in kept}
    assert all(row.twin in names for row in kept)


def test_rows_of_two_types_that_compare_the_same_teach_each_other():
    """Every tour but one asks `above`, that one asks `below`: what is known of the names is used there."""
    one_tour = [row for row in make_rows("below", 9.0) if row.tour == "t0"]
    others = [row for row in make_rows("above", 9.0) if row.tour != "t0"]
    assert not drop(one_tour)
    gone = drop(one_tour + [replace(row, id=f"o{row.id}", twin=f"o{row.twin}") for row in others])
    assert sum(row.id in gone for row in one_tour) > 0.9 * len(one_tour)


def test_a_single_tour_pairs_of_one_name_and_other_types_stay():
    assert not drop([replace(row, tour="t0") for row in make_rows("above", 9.0)])
    assert not drop(make_rows("temporal_sequence", 9.0))
    same = [
        replace(row, references=(row.references[0], replace(row.references[1], category=row.references[0].category)))
        for row in make_rows("above", 9.0)
    ]
    assert not drop(same)


def test_further_is_the_contrary_of_nearer():
    """What is known of the names from `nearer` is used for `further`: one tour asks the one, the others the other."""
    rows = make_rows("camera_distance_relative", 9.0)
    one_tour = [
        replace(
            row, given=(("word", "further"),), truth=next(r.object for r in row.references if r.object != row.truth)
        )
        for row in rows
        if row.tour == "t0"
    ]
    gone = drop(one_tour + [row for row in rows if row.tour != "t0"])
    assert sum(row.id in gone for row in one_tour) > 0.9 * len(one_tour)


def test_what_the_blind_reader_gets_holds_nothing_of_the_answer():
    """The template of a row names the words of its answer (`yes/3`), which nobody who only reads the question sees."""
    home = make_home(1)
    rows = write_questions(home.tour).rows
    said = [row for row in rows if row.form == "yes_no"]
    assert {row.template.split("/")[3] for row in said} == {"yes", "no"}
    for row in said:
        assert blind_item(row).features["template"] == "/".join(row.template.split("/")[:3])
    relabelled = [replace(row, template=row.template.replace("/yes/", "/no/"), truth="no") for row in said]
    assert [blind_item(row).features for row in relabelled] == [blind_item(row).features for row in said]


def test_chance_is_that_of_the_labels_which_the_question_offers():
    """Who reads `left or right?` guesses one of two, whatever other questions of the type offer."""
    items = [
        BlindItem(f"t{number % 6}", "camera_direction_simple", {"x": float(number % 7)}, pair[number // 2 % 2], pair[0])
        for number in range(240)
        for pair in [(("left", "right"), ("front", "back"))[number % 2]]
    ]
    (score,) = guess_blind(items)
    assert score.chance == 0.5
    (mixed,) = guess_blind([replace(item, offered="") for item in items])
    assert mixed.chance == 0.25
