"""Is a text about one view true? Each of its claims is measured: true, false, or unknown.

Purpose, reason and mood are no claims here; whoever uses a text counts how much of it could be checked.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache

from instructions.truth.view_claims import Verdict, ViewBars
from instructions.truth.view_measures import judge
from instructions.truth.view_reader import ViewReader
from instructions.view import View

_YES = re.compile(r"\s*(yes|no)\b[,.!]?", re.I)
_ASKS = re.compile(r"\s*(is|are|was|were|do|does|did|can|could|has|have|will|would)\b", re.I)
_IS_KIND = re.compile(r"\s*(?P<verb>is|are)\s+(?P<thing>\[\d+\]|the(?: (?!an?\b)[a-z-]+){1,3})\s+(?P<kind>an? )", re.I)
_CALLED = re.compile(r"\bcall (\[\d+\]) (?=an? )", re.I)


@lru_cache(maxsize=4)
def read_view(view: View) -> ViewReader:
    """The reader of a view; a few are kept, since a view is asked about many times in a row."""
    return ViewReader(view)


def check_view_text(
    text: str, view: View, bars: ViewBars = ViewBars(), *, about: Sequence[str] = ()
) -> tuple[Verdict, ...]:
    """What is known of each claim of a text.

    Args:
        text: Any English; `[n]` is the thing that the view numbers n.
        view: What is known of the picture.
        bars: When a claim is true and when false.
        about: Ids of the things that a question before it asked about, for `it` and for comparisons without `than`.

    Returns:
        Verdicts in the order of the text, kind by kind; none where it says nothing that can be measured.
    """
    return tuple(judge(claim, view, bars) for claim in read_view(view).read(text, about))


def check_view_answer(question: str, answer: str, view: View, bars: ViewBars = ViewBars()) -> tuple[Verdict, ...]:
    """What is known of an answer, read with its question: `yes` and `no` say or deny what was asked.

    A question that is not of that form presupposes what it names (`What is left of the red chair?`), which is checked
    too; a question with `or` claims nothing.
    """
    reader = read_view(view)
    about = tuple(dict.fromkeys(name for names in reader.find_things(question) for name in names))
    word = _YES.match(answer)
    told = list(reader.read(answer[word.end() :] if word else answer, about))
    if _ASKS.match(question):
        asked = reader.read(_as_statement(question))
        named = [claim for claim in asked if claim.is_named or claim.kind == "region"]
        said = [claim for claim in asked if claim not in named]
        told += named
        if word:
            told += [replace(one, denied=one.denied != (word.group(1).lower() == "no")) for one in said]
    else:
        told += reader.read(question)
    return tuple(judge(claim, view, bars) for claim in dict.fromkeys(told))


def _as_statement(question: str) -> str:
    """`Is the chair left of [1]?` as `the chair left of [1]`: the patterns need no verb; `Is [0] a sofa?` keeps it."""
    kind = _IS_KIND.match(question)
    if kind is not None:
        return f"{kind['thing']} {kind['verb'].lower()} {question[kind.start('kind') :]}".rstrip("? ")
    return _CALLED.sub(r"\1 is ", re.sub(r"^\s*\w+\s+", "", question, count=1)).rstrip("? ")


def find_unread(texts: Sequence[str], view: View) -> str | None:
    """Find the first word or sign of texts about a view that is not understood: nobody can say whether they hold.

    Args:
        texts: Question, answer, reason; `[n]` is the thing that the view numbers n.
        view: What is known of the picture.
    """
    return next(filter(None, map(read_view(view).find_unread, texts)), None)


def has_false(verdicts: Sequence[Verdict]) -> Verdict | None:
    """The first false claim, if there is one."""
    return next((one for one in verdicts if one.state == "false"), None)


def measure_checked_share(verdicts: Sequence[Verdict]) -> float | None:
    """Share of the claims that could be decided; None where there are none."""
    return sum(one.state != "unknown" for one in verdicts) / len(verdicts) if verdicts else None
