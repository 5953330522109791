"""What a free question about one or two named things asks: its type, and which thing is A.

Used where others word the question: rewordings, and what a language model asks its friend. What is read for sure is
read; everything else is None. The writer's templates are not looked at.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from instructions.questions.types import COMPARISONS, TYPES, QuestionType

_SAYS = {
    "left": r"\bleft(?:most|-hand)?\b",
    "right": r"\bright(?:most|-hand)?\b",
    "above": r"\b(?:above|higher|highest)\b",
    "below": r"\b(?:below|beneath|lower|lowest|underneath)\b",
    "behind": r"\b(?:behind|(?:further|farther) (?:away|back|from|off)|furthest|farthest|beyond|at the back|deeper)\b",
    "front": r"\b(?:in front|front|nearer|closer|nearest|closest)\b",
    "tall": r"\b(?:taller|tallest|greater height)\b",
    "short": r"\b(?:shorter|shortest|less tall|smaller height|lesser height)\b",
    "wide": r"\b(?:wider|widest|broader|greater width)\b",
    "thin": r"\b(?:narrower|narrowest|thinner|smaller width|less wide|lesser width)\b",
    "big": r"\b(?:bigger|biggest|larger|largest|greater volume)\b",
    "small": r"\b(?:smaller|smallest|littler)\b(?! (?:height|width))",
}
"""Words by which each relation is told."""
_NUMBER = re.compile(
    r"\b(?:how (?:far|much|tall|high|wide|broad|many|big|large|long|close|near)|distance|"
    r"what (?:is|would|height|width)|estimate|measure[sd]?\b.*\bapart|by how)"
)
_CHOICE = re.compile(r"\b(?:which|whose|who|what one|name|pick|choose)\b|<[AB]> or (?:is it )?<[AB]>")
_YES_NO = re.compile(
    r"^(?:[^?]*, )?(?:is|are|does|do|can|could|would|will|was|has|have|am i right|true or false|right or wrong)\b"
)
_REFERENCE_FIRST = re.compile(
    r"(?:\b(?:left|right|side|front) of|behind|above|below|beneath|than|compared (?:with|to)|relative to|"
    r"next to|beside|taking|against|with respect to|in comparison (?:with|to)) <A>"
)
"""The thing named first is what the other is compared with."""
_UNSURE = re.compile(
    r"\b(?:multiple|ratio|divid\w+|as 1|how many of|(?:up|down|back|forward) from|lowest points|level with|"
    r"in line with|bottom of|starting from|sideways distance|not|"
    r"turn(?:ed|ing)?|quarter|step(?:ped|ping)?|suppose|imagine|moved?|what if|"
    r"fac(?:ed|ing)|1 meter|90 degrees)\b|n't\b"
)
"""Words that turn what the others mean."""
_TIMES = re.compile(r"times .*\b(?:is|are|does|do|was) (?:the \w+ of )?<A>.* (?:as|than|of) (?:that of )?<B>")
_MEASURES = (
    ("clock", 1, r"\b(?:clock|hour)\b"),
    ("passage", 2, r"\b(?:pass(?:age)?|walk (?:through|between)|way through|opening|free width|squeeze)\b"),
    ("ratio_height", 2, r"(?:how many times|times)\b.*\b(?:tall|height|high)"),
    ("ratio_width", 2, r"(?:how many times|times)\b.*\b(?:wide|width|broad)"),
    ("ratio_distance", 2, r"(?:how many times|times)\b.*\b(?:far|away|distant|distance)"),
    (
        "horizontal_distance",
        2,
        r"\b(?:horizontal(?:ly)?|(?:along|across|over) the (?:floor|ground)|floor plan|plan of|map of|"
        r"seen from (?:straight )?above|ignoring|leaving out|regardless of)\b",
    ),
    (
        "vertical_distance",
        2,
        r"\b(?:vertical(?:ly)?|in height|height difference|difference in height|up and down|levels?|altitude)\b",
    ),
    (
        "gap",
        2,
        r"\b(?:gap|clearance|(?:closest|nearest) (?:points?|parts?|edges?|surfaces?)|free space|space between|"
        r"surfaces?|edges?|(?:shortest|least|smallest|minimum) distance|room is)\b",
    ),
    (
        "elevation",
        1,
        r"\b(?:above|off|from|over) the (?:floor|ground)\b|\bfloor\b.*\bbottom\b|\bbottom\b.*\b(?:floor|ground)\b|"
        r"\b(?:below|beneath|under) <A>",
    ),
    ("height", 1, r"\b(?:how tall|height|how high)\b"),
    ("width", 1, r"\b(?:how wide|how broad|width|from left to right)\b"),
    ("camera_distance", 1, r"\b(?:how far|how near|how close|distance|far away)\b"),
    ("distance", 2, r"\b(?:how far|distance|far apart|how much .*apart|separates?)\b"),
)
"""Types with a number: things they take, and the words that tell them; the first that fits."""


@dataclass(frozen=True)
class ReadAsk:
    """A question that was understood."""

    type: QuestionType
    things: tuple[int, ...]
    """Places of A and B among the phrases."""


def read_ask(text: str, phrases: Sequence[str]) -> ReadAsk | None:
    """What a question asks; None where it is not sure.

    Args:
        text: A question.
        phrases: What things are called, each of which may be named; longer ones first where one holds another.
    """
    named, marked = mark_things(text, phrases)
    if not 1 <= len(named) <= 2 or _UNSURE.search(marked):
        return None
    kind = (
        _read_number(marked, len(named)) if _NUMBER.search(marked) or "times" in marked or "clock" in marked else None
    )
    if kind is not None:
        return _with_order(kind, named, marked)
    if len(named) != 2:
        return None
    if re.search(
        r"\b(?:on top of|stands? on|standing on|rests? on|resting on|sits? on|sitting on|placed on) <B>", marked
    ):
        is_asked = _YES_NO.search(marked) and not find_words(marked)
        return ReadAsk(TYPES["stands_on"], named) if is_asked else None
    return _read_comparison(marked, named)


def find_words(marked: str) -> tuple[str, ...]:
    """Relations that a text tells, by the words of the types."""
    plain = re.sub(
        r"\b(?:that is|is that|am i|isn't that|that's) right\b|\bright (?:or wrong|in|now|here|there|answer)\b|"
        r"\b(?:from )?left to right\b|\bis left\b(?! of)",
        "",
        marked,
    )
    return tuple(word for word, pattern in _SAYS.items() if re.search(pattern, plain))


def mark_things(text: str, phrases: Sequence[str]) -> tuple[tuple[int, ...], str]:
    """Which phrases are named, in order, and the text in lower case with `<A>` and `<B>` in their places."""
    low = " ".join(text.lower().replace("’", "'").split())
    order: list[int] = []
    spans: list[tuple[int, int, int]] = []
    taken = [False] * len(low)
    for place in sorted(range(len(phrases)), key=lambda k: -len(phrases[k])):
        for found in re.finditer(rf"(?<!\w){re.escape(phrases[place].lower())}(?!\w)", low):
            if not any(taken[found.start() : found.end()]):
                taken[found.start() : found.end()] = [True] * (found.end() - found.start())
                spans.append((found.start(), found.end(), place))
    out, at = "", 0
    for start, end, place in sorted(spans):
        if place not in order:
            order.append(place)
        out += low[at:start] + ("<A>" if order.index(place) == 0 else "<B>")
        at = end
    return tuple(order), out + low[at:]


def _read_number(marked: str, things: int) -> QuestionType | None:
    has_times = "times" in marked
    for name, count, pattern in _MEASURES:
        if has_times and not name.startswith("ratio"):
            continue
        if count == things and re.search(pattern, marked):
            words = set(find_words(marked)) & {"left", "right", "above", "below", "behind", "front"}
            if name == "distance" and len(words) == 1:
                return TYPES[f"{next(iter(words))}_difference"]
            if name in ("vertical_distance", "gap") and words:
                return None
            return TYPES[name] if not words or name != "distance" else None
    words = set(find_words(marked))
    if (
        things == 2
        and len(words) == 1
        and (word := words.pop()) in ("left", "right", "above", "below", "behind", "front")
    ):
        return TYPES[f"{word}_difference"]
    return None


def _with_order(kind: QuestionType, named: tuple[int, ...], marked: str) -> ReadAsk | None:
    """A is the thing named first, unless the words put the other before it (`to the left of B, how far is A`)."""
    if kind.family == "ratio" and not _TIMES.search(marked):
        return None
    is_directed = kind.name.endswith("_difference")
    return ReadAsk(kind, named[::-1] if is_directed and _REFERENCE_FIRST.search(marked) else named)


def _read_comparison(marked: str, named: tuple[int, ...]) -> ReadAsk | None:
    words = list(find_words(marked))
    if not words or len(words) > 2:
        return None
    if re.search(r"\bin (?:width|volume|height|size)\b", marked) and {"above", "below"} & set(words):
        return None
    order = named[::-1] if _REFERENCE_FIRST.search(marked) else named
    if len(words) == 2:
        pair = next((one for one in COMPARISONS if {one.more, one.less} == set(words)), None)
        if pair is None or re.search(r"<[AB]>,? or (?:is it |that of )?<[AB]>", marked):
            return None
        first, second = (pair.less, pair.more) if pair.dimension == "lateral" else (pair.more, pair.less)
        return ReadAsk(TYPES[f"{first}_{second}_class"], order)
    if _CHOICE.search(marked):
        return ReadAsk(TYPES[f"{words[0]}_choice"], named)
    if _YES_NO.search(marked):
        return ReadAsk(TYPES[f"{words[0]}_predicate"], order)
    return None
