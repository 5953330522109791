"""A turn in plainer words, before anybody reads it: tags, roundabout comparisons and orders as what they mean."""

from __future__ import annotations

import re
from collections.abc import Sequence

_FLAT = re.I
_OTHER = {"left": "right", "right": "left"}
_TAG = re.compile(r",\s*(?:right|correct|yes|no|true)\s*\?\s*$", _FLAT)
_TRUE_OR_FALSE = re.compile(r"^\s*(?:true or false|right or wrong|yes or no|agree or disagree)\s*[:,?.-]\s*", _FLAT)
_LESS_FAR = re.compile(r"\bless (?:far )?(?:out |over )?(?:to|towards?) (?:the )?(left|right)\b", _FLAT)
_AWAY_FROM = re.compile(
    r"(?<!further )(?<!farther )(?<!far )\baway from the (left|right)\b(?! (?:of|edge|border))", _FLAT
)
_ORIGIN = re.compile(
    r"\b(?:start|begin|set out|set off)(?:ing)? (?:at|from|with) the ([a-z ]+?)(?:,| and)(?: then)? "
    r"(?:look|go|turn|move|walk|let your eyes go|head) (?:further |farther |over )?(?:to the |"
    r"towards? the )?(left|right)\b",
    _FLAT,
)
_TAKEN_AWAY = re.compile(
    r"\b(?:if|were|suppose|when) [^?]*?\b(?:pull|take|took|lift|remove|push|carr)\w* (?:away |off )?the ([a-z ]+?)"
    r"(?: (?:away|off|out))?,? what (?:would|will) (?:fall|come down|drop|tumble)[^?]*\?",
    _FLAT,
)
_SURE_TO_SEE = re.compile(r"\b(?:can(?:'t|not)|could(?:n't| not)) (?:miss|overlook)\b", _FLAT)
_UPWARDS = re.compile(
    r"\bfrom (?:foot|base|bottom|floor|the floor|the ground) to (?:top|tip|the top)\b|\bin height\b", _FLAT
)
_PLAIN = tuple(
    (re.compile(words, _FLAT), plain)
    for words, plain in (
        (r"\b(?:does not|do not|doesn't|don't) (?:come up to|reach|attain) the height of\b", "is shorter than"),
        (r"\bmore remote\b", "farther away"),
        (r"\bless (?:space|room|way)(?= (?:between|to|than))", "less distance"),
        (r"\bmore steps\b", "more distance"),
        (r"\b(?:fewer|less) steps\b", "less distance"),
        (r"\bmore (?:tall|high)\b", "taller"),
        (r"\boutgrow(?:s|n)?\b", "is taller than"),
        (r"\bthe low one\b", "the lower one"),
        (r"\bthe (?:high|tall) one\b", "the taller one"),
        (r"\bnear one\b", "nearer one"),
    )
)
_WAYS = re.compile(r"\b(?:throw|walk|way|trip|path|route|journey|distance|stroll|stretch)\b", _FLAT)
_HEIGHTS = re.compile(r"\b(?:heights?|tall\w*|high\w*|low\w*|rises?)\b", _FLAT)


def plainly(question: str, answer: str) -> tuple[str, str]:
    """Question and answer with what stands in roundabout words said plainly; what is plain stays as it is.

    Args:
        question: As it was asked.
        answer: As it was given.
    """
    question = _TAG.sub("?", _TRUE_OR_FALSE.sub("Is it true that ", question))
    question = _TAKEN_AWAY.sub(r"What is on the \1?", question)
    upwards = bool(_UPWARDS.search(question))
    ways = bool(_WAYS.search(question)) and not _HEIGHTS.search(f"{question} {answer}")
    return _say(question, upwards, ways), _say(answer, upwards, ways)


def _say(text: str, upwards: bool, ways: bool) -> str:
    text = _LESS_FAR.sub(lambda one: f"further to the {_OTHER[one.group(1).lower()]}", text)
    text = _AWAY_FROM.sub(r"not on the \1", text)
    text = _ORIGIN.sub(r"it is \2 of the \1", text)
    text = _SURE_TO_SEE.sub("do see", text)
    for words, plain in _PLAIN:
        text = words.sub(plain, text)
    if upwards:
        text = _swap(text, (("bigger|larger", "taller"), ("smaller", "shorter")))
    if ways:
        text = _swap(text, (("shorter|smaller", "nearer"), ("longer|greater|larger", "farther")))
    return text


def _swap(text: str, pairs: Sequence[tuple[str, str]]) -> str:
    for words, plain in pairs:
        text = re.sub(
            rf"\b(?:{words})\b(?! (?:distance|way|trip|walk|path|route|journey|time))", plain, text, flags=_FLAT
        )
    return text
