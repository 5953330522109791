"""A text cut where the walk has come so far, and the sentence that a film shows with it."""

from dataclasses import replace
from pathlib import Path

from instructions.records import Claim, ClaimCheck
from roomtour.drawing.clauses import cut_clauses, trim_words
from roomtour.view.film import Subtitle, find_subtitle
from tests.support.runs.made_tour import make_run

TEXT = "Walk past the sofa, turn left, and go on. Then enter the kitchen and stop."
CLAIMS = (("walk past the sofa", 1), ("turn left", 9), ("go on", 14), ("then a claim that no text has", 15),
          ("enter the kitchen", 20), ("stop", 20))  # fmt: skip


def told():
    row = make_run(Path(), pictures=False).instructions[0]
    claims = tuple(
        ClaimCheck(Claim("walk", text, first_frame=frame, last_frame=frame), True, "") for text, frame in CLAIMS
    )
    return replace(row, text=TEXT, views=(1, 10, 20, 30), claims=claims)


def test_words_begin_to_hold_at_the_frame_of_their_claim():
    clauses = cut_clauses(told())
    assert "".join(clause.text for clause in clauses) == TEXT
    assert [(clause.first_frame, trim_words(clause.text)) for clause in clauses] == [
        (1, "Walk past the sofa"),
        (9, "turn left"),
        (14, "go on."),
        (20, "Then enter the kitchen and stop."),
    ]
    text = told()
    texts = [(text, cut_clauses(text))]
    assert find_subtitle(texts, 12) == Subtitle("Walk past the sofa, ", "turn left, and ", "go on.")
    assert find_subtitle(texts, 30) == Subtitle("", "Then enter the kitchen and stop.", "")
    assert find_subtitle(texts, 31) is None
    text = replace(told(), claims=())
    assert [clause.text for clause in cut_clauses(text)] == [TEXT]
    assert cut_clauses(replace(text, views=())) == ()
