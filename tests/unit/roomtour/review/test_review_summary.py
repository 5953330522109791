from dataclasses import replace

import pytest
from rich.console import Console
from sklearn.metrics import cohen_kappa_score

from instructions.records import Claim, ClaimCheck
from roomtour.files.reviews import Rating, text_key
from roomtour.review.sampled import words_of
from roomtour.review.texts import OTHER_WORDS, causes_of, render_ratings, summarize_ratings
from tests.support.export.made_run import make_instruction, make_run

WALK = make_run().trajectories[0]


def make_text(number, kind="instruction"):
    return make_instruction(WALK, number, (1, 2, 3), f"Turn left at the {number}. chair.", kind=kind)


def rate(instruction, rater, score, wrong=()):
    return Rating(instruction.id, text_key(instruction.text), rater, score, wrong, "", "2026-01-01T00:00:00+00:00", 1.0)


def claims(*kinds_and_texts):
    return tuple(ClaimCheck(Claim(kind, text), True, "") for kind, text in kinds_and_texts)


def test_the_figures_of_two_raters():
    texts = [make_text(n, "description" if n % 2 else "instruction") for n in range(6)]
    anna, ben = (4, 3, 1, 2, 4, 4), (4, 3, 2, 2, 3, 1)
    ratings = [rate(text, "anna", score) for text, score in zip(texts, anna, strict=True)]
    ratings += [rate(text, "ben", score) for text, score in zip(texts, ben, strict=True)]
    summary = summarize_ratings([(texts, ratings)])
    assert summary.overall.ratings == 12
    assert summary.texts == 6
    assert summary.overall.mean == pytest.approx(33 / 12)
    assert summary.overall.good_share == pytest.approx(7 / 12)
    assert summary.by_score == {1: 2, 2: 3, 3: 3, 4: 4}
    assert [(group.name, group.ratings) for group in summary.by_kind] == [("description", 6), ("instruction", 6)]
    assert summary.by_kind[0].mean == pytest.approx((3 + 2 + 4 + 3 + 2 + 1) / 6)
    assert [group.name for group in summary.by_rater] == ["anna", "ben"]
    (pair,) = summary.agreements
    assert (pair.first, pair.second, pair.common, pair.same) == ("anna", "ben", 6, 3)
    assert pair.kappa == pytest.approx(cohen_kappa_score(anna, ben))
    assert pair.weighted_kappa == pytest.approx(cohen_kappa_score(anna, ben, weights="quadratic"))


def test_the_share_that_is_all_true_is_of_those_who_were_asked():
    texts = [make_text(n) for n in range(4)]
    said = (True, False, True, None)  # the last rating is from before this was asked
    ratings = [replace(rate(text, "anna", 4), accurate=one) for text, one in zip(texts, said, strict=True)]
    summary = summarize_ratings([(texts, ratings)])
    assert summary.overall.accurate_share == pytest.approx(2 / 3)
    assert summarize_ratings([(texts[3:], ratings[3:])]).overall.accurate_share is None
    console = Console(width=120)
    with console.capture() as shown:
        console.print(render_ratings(summary))
    assert "67 % are all true" in shown.get()


def test_ratings_of_other_or_no_texts_count_nowhere():
    text = make_text(0)
    summary = summarize_ratings([([text], [rate(text, "anna", 1)]), ([text], [rate(text, "ben", 4)])])
    assert summary.texts == 2
    assert summary.agreements[0].common == 0
    text = make_text(0)
    ratings = [rate(text, "anna", 4), replace(rate(text, "ben", 1), text_key="old"), rate(make_text(9), "anna", 1)]
    summary = summarize_ratings([([text], ratings)])
    assert (summary.overall.ratings, summary.outdated, summary.overall.mean) == (1, 2, 4.0)
    summary = summarize_ratings([([make_text(0)], [])])
    assert (summary.overall.ratings, summary.overall.mean, summary.by_cause, summary.agreements) == (0, 0.0, (), ())


def test_marked_words_lead_to_the_claim_they_are_part_of():
    text = "Walk past the red chair, then turn left and pass the red chair again."
    one = replace(
        make_text(0), text=text,
        claims=claims(("pass", "past the red chair"), ("turn", "turn left"), ("see", "the red chair")),
    )  # fmt: skip
    at = {word: place for place, word in enumerate(words_of(text))}
    assert causes_of(one, (3,)) == {"pass"}
    assert causes_of(one, (at["turn"], at["left"])) == {"turn"}
    assert causes_of(one, (len(words_of(text)) - 2,)) == {"see"}  # the second red chair
    assert causes_of(one, (at["again."],)) == {OTHER_WORDS}
    assert causes_of(one, (3, at["left"])) == {"pass", "turn"}
    assert causes_of(one, ()) == set()
