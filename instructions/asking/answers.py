"""What a person or a model answered, read: a number with its unit, yes or no, or one of several things.

Nothing here knows the truth. A refusal (`I cannot measure a picture`) is no answer, whatever digits it holds.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from instructions.asking.quantities import FAMILY, find_quantities, to_base, write_digits

_OUT_OF_VIEW = re.compile(
    r"\bout of (?:view|sight|frame|shot|the (?:picture|image|photo|frame))\b|\b(?:hidden|absent|missing|invisible)\b"
    r"|(?:\b(?:not|cannot|never|nowhere)|n't) (?:\w+ ){0,2}(?:visible|seen|see|shown|show|found|find|present|contain)\b"
    r"|(?:\bnot|n't) (?:\w+ ){0,2}(?:in|within|part of) (?:it\b|(?:the |this )?(?:picture|image|photo|view|frame))"
    r"|\b(?:there (?:is|are)|there's|i see|shows?) no (?!doubt|telling)\w+|\bshows? .*, but not the\b"
)
_MARKED = re.compile(r"(?:answer(?: is)?:?|therefore,?|thus,?|hence,?|in total,?|####|\\boxed\{) *(?=[^.]*\d)", re.I)
_REFUSAL = re.compile(
    r"\b(?:i|we|you|one) (?:really |simply |just )?(?:cannot|can ?not|can't|could not|couldn't|am unable|are unable|"
    r"am not able|do not know|don't know|have no way|do not have|don't have)\b"
    r"|\bi'm (?:unable|not able|sorry)\b|\bunable to\b|\bas an ai\b|\bsorry\b"
    r"|\b(?:not |im)possible to (?:\w+ )?(?:tell|say|determine|measure|know|answer|give|estimate|judge)"
    r"|\bcan(?:not|'t| not) be (?:\w+ )?(?:determined|measured|answered|estimated|told|known|judged)"
    r"|\b(?:not enough|insufficient|no) (?:information|context|data|detail)\b|\bno idea\b"
)
_HEDGE = re.compile(
    r"\b(?:i'm|i am|it's|it is)? ?(?:not (?:entirely |quite |very )?(?:sure|certain)|hard to (?:say|tell))\b[,;]?"
)
_YES = re.compile(
    r"\W*(?:(?:that|this|it)(?:'s| is) )?(?:yes|yeah|yep|yup|indeed|correct|true|right(?! (?:of|side|hand))|exactly|"
    r"certainly|sure|affirmative|absolutely|definitely|of course|no doubt|without doubt|so it (?:is|does))\b"
)
_NO = re.compile(
    r"\W*(?:(?:that|this|it)(?:'s| is) )?(?:no(?! doubt)|nope|nah|false|incorrect|wrong|untrue|negative|"
    r"never|by no means|not (?:so|true|right|correct|really|at all)|not)\b"
)
_SHORT_YES = re.compile(
    r"\W*(?:it|they|this|that|there) (?:really |certainly )?"
    r"(?:is|are|does|do|has|have|can|would)(?: so| indeed)?\W*"
)
_DENIAL = re.compile(r"\b(?:not|cannot|never)\b|n't\b")
_ASIDE = (
    r"(?:compared (?:with|to)|than|not|unlike|relative to|instead of|rather than|in front of|behind|above|below|"
    r"beneath|over|under|next to|from|on|left of|right of|that of|exceeds?)"
)
_BOTH = re.compile(r"\b(?:both|either|neither|none)\b")
_MARK = re.compile(r"\bmarks? (\d+)")
"""The number of a mark measures nothing."""
_ARTICLE = re.compile(r"^(?:the|a|an) ")


@dataclass(frozen=True)
class ReadNumber:
    """A number that was read."""

    value: float
    """In the unit it was asked in."""
    is_range: bool = False
    """The middle of a range that was given."""
    unit: str = ""
    """As it was said: `ft`; empty where no unit was said."""
    is_one_of_several: bool = False
    """The answer holds other numbers that differ by more than 5 %."""


def is_refusal(text: str) -> bool:
    """Whether somebody says that he cannot answer."""
    return _REFUSAL.search(_clean(text)) is not None


def says_out_of_view(text: str) -> bool:
    """Whether somebody says that something is not in the picture."""
    return _OUT_OF_VIEW.search(_clean(text)) is not None


def read_number(text: str, unit: str = "m", bare: str = "") -> ReadNumber | None:
    """The number of an answer; None for a refusal, for none, and for one of another dimension (degrees for metres).

    Args:
        text: In words or digits: `1.56m`, `12.`, `1,5 m`, `5'6"`, `half a meter`, `between 2 and 3 feet`.
        unit: To give it in: `m`, `cm`, `ft`, `in`, `m2`, `m3`, `deg`, `ratio`, `hour`, `s`, or `unit` and `count` for
            numbers that have none.
        bare: What a number without a unit is meant in, where the question named another unit than `unit`.
    """
    if is_refusal(text):
        return None
    low = write_digits(_MARK.sub("mark", _final(text)))
    family = FAMILY.get(unit, "")
    found = find_quantities(low)
    fitting = [one for one in found if one.unit and FAMILY[one.unit] == family]
    if not fitting:
        fitting = [one for one in found if not one.unit]
    told = [one for one in fitting if not re.search(r"\bnot (?:about |around )?$", low[: one.start])] or fitting
    if not told:
        return None
    first = told[0]
    value = first.value * to_base(first.unit or bare or unit) / to_base(unit) if family else first.value
    strange = any(abs(one.in_base - first.in_base) > 0.05 * abs(first.in_base) for one in told)
    return ReadNumber(value, first.is_range, first.unit, strange)


def read_yes_no(text: str) -> bool | None:
    """Whether somebody affirms; None for a refusal and for what says neither."""
    if is_refusal(text):
        return None
    low = _HEDGE.sub("", _final(text)).strip()
    if _NO.match(low):
        return re.match(r"\W*(?:that|this|it)?(?:'s| is)? ?not (?:wrong|false|untrue|incorrect)\b", low) is not None
    if _YES.match(low):
        return True
    words = set(re.findall(r"\b(?:yes|no|true|false)\b", low))
    affirms, denies = bool(words & {"yes", "true"}), bool(words & {"no", "false"})
    if affirms != denies:
        return affirms != bool(re.search(r"\bnot (?:yes|no|true|false)\b", low))
    if affirms:
        return None
    if _SHORT_YES.fullmatch(low):
        return True
    return False if _DENIAL.search(low) else None


def read_choice(text: str, options: Sequence[str]) -> int | None:
    """Which of the options an answer names: by its letter, its phrase, or words that only it has. What a thing is
    compared with (`than the chair`, `not the chair`) is no answer, nor is a list of all of them.
    """
    if is_refusal(text):
        return None
    letter = re.match(r"\s*(?:(?:[Oo]ption|[Aa]nswer)(?: is)?:? )?\(?([A-Z])(?:[.):]|\s*$)", text)
    if letter is not None:
        place = ord(letter.group(1)) - ord("A")
        return place if place < len(options) else None
    low = _final(text)
    if _BOTH.search(low):
        return None
    low = re.sub(r"\b(?:between|of) (?:the |an? )?[^,;.:]* (?:and|or) [^,;.:]*[,;:] ", "", low)
    for names in _name_options(options):
        found = _find_mentions(low, names)
        if found:
            places = {place for _, _, place in found}
            if len(places) == 1:
                return places.pop()
            (_, end, first), (start, _, _) = found[0], found[1]
            return None if re.fullmatch(r"\W*(?:and|or|,)?\W*(?:the |an? )?", low[end:start]) else first
    return None


def find_named(text: str, names: Sequence[str]) -> tuple[int, ...]:
    """Places of the names that a text says, in its order, each once; the longer ones are looked for first."""
    left, found = text.casefold(), list[tuple[int, int]]()
    for place in sorted(range(len(names)), key=lambda at: -len(names[at])):
        match = re.search(rf"(?<!\w){re.escape(names[place].casefold())}(?!\w)", left)
        if match is not None:
            found.append((match.start(), place))
            left = left[: match.start()] + "\0" * len(match[0]) + left[match.end() :]
    return tuple(place for _, place in sorted(found))


def _clean(text: str) -> str:
    return " ".join(text.replace("’", "'").replace("*", "").lower().split())


def _final(text: str) -> str:
    """The part that answers: behind a thought, inside an answer's mark, behind `the answer is`."""
    inside = re.findall(r"<answer>(.*?)(?:</answer>|$)", text, re.I | re.S)
    low = _clean(inside[-1] if inside else re.sub(r"<think>.*?(?:</think>|$)", "", text, flags=re.S))
    marks = list(_MARKED.finditer(low))
    return low[marks[-1].end() :] if marks else re.sub(r"^(?:the )?(?:final )?answer(?: is)?:? ", "", low)


def _name_options(options: Sequence[str]) -> list[list[tuple[str, int]]]:
    """Names of the options, the surest first: as they are, without a clause, and words that only one of them has."""
    plain = [_ARTICLE.sub("", _clean(option)) for option in options]
    words = [set(re.findall(r"[\w-]+", name)) for name in plain]
    own = [
        (word, place)
        for place, mine in enumerate(words)
        for word in sorted(mine)
        if len(word) > 2 and not any(word in other for k, other in enumerate(words) if k != place)
    ]
    short = [re.split(r" (?:that|which|on|in|at|to|further|closer|nearer|with|of|next) ", name)[0] for name in plain]
    out = [[(name, place) for place, name in enumerate(plain)]]
    if len(set(short)) == len(short):
        out.append([(name, place) for place, name in enumerate(short)])
    marks = [_MARK.search(name) for name in plain]
    out += [[(one[part], place) for place, one in enumerate(marks) if one] for part in (0, 1) if all(marks)]
    return [*out, own]


def _find_mentions(low: str, names: Sequence[tuple[str, int]]) -> list[tuple[int, int, int]]:
    """Where options are named as the answer: start, end and place in the list, in order."""
    out: list[tuple[int, int, int]] = []
    taken = [False] * len(low)
    for name, place in sorted(names, key=lambda one: -len(one[0])):
        for match in re.finditer(rf"(?<!\w){re.escape(name)}(?!\w)", low) if name else ():
            if any(taken[match.start() : match.end()]):
                continue
            taken[match.start() : match.end()] = [True] * (match.end() - match.start())
            if not re.search(rf"\b{_ASIDE} (?:the |an? )?$", low[: match.start()]):
                out.append((match.start(), match.end(), place))
    return sorted(out)
