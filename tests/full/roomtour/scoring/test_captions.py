"""Descriptions beside references: the laws of both figures, and the published way by hand and by its own steps."""

import random
import re
from typing import Any

import pytest

pytest.importorskip("rouge_score", reason="rouge_score is not installed (see the extra `benchmark`)")
pytest.importorskip("rouge", reason="rouge is not installed (see the extra `benchmark`)")
pytest.importorskip("nltk", reason="nltk is not installed (see the extra `benchmark`)")

from roomtour.scoring.dialogues.captions import score_captions, score_captions_compat

SENTENCES = [
    "This is a living room.",
    "On the left stands a red sofa with a low table next to it.",
    "Two chairs stand in the middle of the room.",
    "Of these, the sofa is the nearest.",
]
ROW = {"id": "1", "tour": "t", "sentences": SENTENCES}


def test_the_reference_is_full_and_silence_nothing():
    full = score_captions([{**ROW, "answer": " ".join(SENTENCES)}])
    assert full == pytest.approx({"BLEU4": 1, "BLEU4 best": 1, "ROUGE-L": 1, "unread": 0})
    assert score_captions([{**ROW, "answer": SENTENCES[1]}])["BLEU4"] == pytest.approx(1)
    none = score_captions([{**ROW, "answer": ""}])
    assert none == {"BLEU4": 0, "BLEU4 best": 0, "ROUGE-L": 0, "unread": 1}
    assert score_captions_compat([{**ROW, "answer": ""}]) == {"BLEU4": 0, "Rouge": 0}


def test_longest_common_words_by_hand():
    # Two of three words in order (precision 2/3), and two of four (recall 1/2).
    row = {"sentences": ["the red sofa here"], "answer": "the blue sofa"}
    assert score_captions([row])["ROUGE-L"] == pytest.approx(2 * (2 / 3) * (1 / 2) / (2 / 3 + 1 / 2))


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_three_hundred_random_answers_give_what_the_published_steps_give():
    """The steps one by one, with regular expressions for the quotation."""
    from nltk.translate.bleu_score import sentence_bleu  # pyright: ignore[reportMissingImports]
    from rouge import Rouge  # pyright: ignore[reportMissingImports]

    lot = random.Random(5)
    rouge: Any = Rouge(metrics=["rouge-l"])
    measure: Any = sentence_bleu
    words = "a red sofa stands near the low table and two chairs by window".split()  # noqa: SIM905
    rows = []
    for _ in range(300):
        sentences = [" ".join(lot.choices(words, k=lot.randint(4, 9))) + "." for _ in range(lot.randint(1, 3))]
        said = ". ".join(" ".join(lot.choices(words, k=lot.randint(1, 8))) for _ in range(lot.randint(1, 3))) + "."
        if lot.random() < 0.3:
            said = f'They say "{said}" of it'
        rows.append({"sentences": sentences, "answer": said})
    bleu = longest = 0.0
    for row in rows:
        quoted = ". ".join(re.findall(r"(?<=['\"])(.*?)(?=['\"])", row["answer"])) or row["answer"]
        forms = [row["answer"], quoted] + [part for part in quoted.split(".") if part]
        split = [one.replace(".", "").split() for one in row["sentences"]]
        bleu += max(measure(split, form.split()) for form in forms)
        pairs = [(form, one) for form in forms for one in row["sentences"]]
        longest += max(rouge.get_scores(form, one)[0]["rouge-l"]["f"] for form, one in pairs)
    scores = score_captions_compat(rows)
    assert scores["BLEU4"] == pytest.approx(bleu / 3, abs=1e-9)
    assert scores["Rouge"] == pytest.approx(longest / 3, abs=1e-9)
