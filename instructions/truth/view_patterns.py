"""Patterns of claims over a sentence in which things are marks: `T0 is left of T1`; `U` is an unknown noun, `R` a room,
`L` a length.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from instructions.truth.view_claims import ViewClaimKind
from instructions.wording.colors import WORDS

_S = r"\b(?P<a>T\d+)"
_O = r"(?P<b>T\d+)\b"
_F = r"(?P<f>(?: (?!and\b|but\b|because\b|than\b|while\b|whereas\b)[a-z'-]+){0,7}?)"
_NOT_PUT = r"(?<!putting )(?<!placing )(?<!put )(?<!place )"
"""What one might do is no claim."""
_EYE = r"(?: (?:to|from) (?:the )?(?:camera|viewer|us|you|me|observer|eye|here|standpoint))?"
_AWAY = r"(?: (?:away|off))?"

_PAIRS: tuple[tuple[str, ViewClaimKind], ...] = (
    (rf"{_S}{_F} left(?: side| hand side)? of {_O}", "left of"),
    (rf"{_S}{_F} right(?: side| hand side)? of {_O}", "right of"),
    (rf"{_S}{_F} left than {_O}", "left of"),
    (rf"{_S}{_F} right than {_O}", "right of"),
    (rf"{_S}{_F} (?:nearer|closer){_EYE} than {_O}", "nearer"),
    (rf"{_S}{_F} (?:further|farther){_AWAY}{_EYE} than {_O}", "farther"),
    (rf"{_S}{_F} (?:in front|ahead) of {_O}", "in front of"),
    (rf"{_S}{_F} behind {_O}", "behind"),
    (rf"{_NOT_PUT}{_S}{_F} (?:on top of|on|upon|atop) {_O}", "on"),
    (rf"{_S}{_F} (?:under|underneath|beneath) {_O}", "under"),
    (rf"{_S}{_F} above {_O}", "above"),
    (rf"{_S}{_F} below {_O}", "below"),
    (rf"{_S}{_F} (?:next to|right beside|beside|adjacent to|alongside|right next to) {_O}", "next to"),
    (rf"{_S} and {_O}{_F} (?:next to each other|side by side|beside each other)", "next to"),
    (rf"{_S}{_F} (?:larger|bigger) than {_O}", "larger"),
    (rf"{_S}{_F} smaller than {_O}", "smaller"),
    (rf"{_S}{_F} taller than {_O}", "taller"),
    (rf"{_S}{_F} shorter than {_O}", "shorter"),
    (rf"{_S}{_F} wider than {_O}", "wider"),
    (rf"{_S}{_F} narrower than {_O}", "narrower"),
)
_END = r"(?=$| [,;.]| because\b| since\b| as\b)"
_RELATES = (
    "of|to|than|from|with|by|on|upon|atop|in|into|under|underneath|beneath|behind|above|below|beside|near|over|against"
)
SELF_RELATION = re.compile(
    rf"{_S}(?: and|(?: (?!and\b|but\b|because\b|while\b|since\b|as\b|so\b|for\b|that\b|which\b|where\b|when\b|if\b)"
    rf"(?:[a-z'-]+|U\d+)){{0,6}}? (?:{_RELATES})) {_O}"
)
"""Two things that stand in a relation; a fault if they are one thing."""
_BARE: tuple[tuple[str, ViewClaimKind], ...] = (
    (rf"{_S}{_F} (?:nearer|closer){_EYE}{_END}", "nearer"),
    (rf"{_S}{_F} (?:further|farther){_AWAY}{_EYE}{_END}", "farther"),
    (rf"{_S}{_F} (?:larger|bigger)(?: one)?{_END}", "larger"),
    (rf"{_S}{_F} smaller(?: one)?{_END}", "smaller"),
    (rf"{_S}{_F} taller(?: one)?{_END}", "taller"),
    (rf"{_S}{_F} shorter(?: one)?{_END}", "shorter"),
    (rf"{_S}{_F} wider(?: one)?{_END}", "wider"),
    (rf"{_S}{_F} narrower(?: one)?{_END}", "narrower"),
)
"""Comparisons that leave out with what; it is the other thing of the question."""
PAIRS: tuple[tuple[re.Pattern[str], ViewClaimKind], ...] = tuple(
    (re.compile(pattern), kind) for pattern, kind in _PAIRS
)
_WORDS: Mapping[ViewClaimKind, tuple[str, ...]] = {
    "left of": ("left",),
    "right of": ("right",),
    "nearer": ("nearer", "closer"),
    "farther": ("further", "farther"),
    "in front of": ("front", "ahead"),
    "on": ("on", "upon", "atop"),
    "under": ("under", "underneath", "beneath"),
    "next to": ("next", "beside", "adjacent", "alongside", "side"),
    "larger": ("larger", "bigger"),
}
_KIND_OF: Mapping[str, ViewClaimKind] = {
    word: kind for _, kind in (*_PAIRS, *_BARE) for word in _WORDS.get(kind, (kind,))
}


def find_possible(text: str) -> set[ViewClaimKind]:
    """Kinds of comparisons that a sentence may hold by its words: cheap, and it leaves out none."""
    return {_KIND_OF[word] for word in text.split() if word in _KIND_OF}


BARE: tuple[tuple[re.Pattern[str], ViewClaimKind], ...] = tuple((re.compile(pattern), kind) for pattern, kind in _BARE)
_OF_NOTHING = r"(?! (?:side |hand |hand side )?of [TU]\d| than| hand\b)"
SIDE = re.compile(
    rf"{_S}{_F} (?:on|to|at|in|towards?|toward) (?:the )?(?:far |very |lower |upper )?"
    rf"(?P<side>left|right|middle|center|centre){_OF_NOTHING}"
)
_ABOUT = r"(?P<about>(?: (?:about|around|roughly|approximately|nearly|almost|some|circa))?)"
_NO_DISTANCE = (
    "from|nearer|closer|tall|wide|high|long|less|more|further|farther|to|of|lie|lies|apart|free|above|below|over"
)
"""What makes a length one of something else than the way to a thing."""
_LENGTHS: tuple[tuple[str, ViewClaimKind], ...] = (
    (rf"between (?P<a>T\d+) and {_O}{_F}{_ABOUT} (?P<l>L\d+)", "gap"),
    (rf"{_ABOUT} (?P<l>L\d+)(?: lies?| are free)? between (?P<a>T\d+) and {_O}(?P<f>)", "gap"),
    (rf"{_S}{_F}{_ABOUT} (?P<l>L\d+)(?: away)? from {_O}", "gap"),
    (rf"{_S}{_F}{_ABOUT} (?P<l>L\d+) (?:nearer|closer){_EYE} than {_O}", "step"),
    (rf"{_S}{_F}{_ABOUT} (?P<l>L\d+) (?:before|in front of) {_O}", "step"),
    (rf"{_S}{_F}{_ABOUT} (?P<l>L\d+) (?:tall|high)\b", "height"),
    (rf"{_S}{_F}{_ABOUT} (?P<l>L\d+) (?:wide|across)\b", "width"),
    (rf"{_S}{_F}{_ABOUT} (?P<l>L\d+) long\b", "length"),
    (
        rf"{_S}{_F}{_ABOUT} (?P<l>L\d+)(?: away| off| ahead)?{_EYE}(?! (?:{_NO_DISTANCE})\b)",
        "distance",
    ),
)
LENGTHS: tuple[tuple[re.Pattern[str], ViewClaimKind], ...] = tuple(
    (re.compile(pattern), kind) for pattern, kind in _LENGTHS
)
COLOUR = re.compile(
    rf"{_S}(?: colou?r)?{_F} (?:is|are|looks|appears|of)(?: mostly| mainly| a| plain)?(?: dark| light| bright| pale)? "
    rf"(?P<colour>{'|'.join(sorted(WORDS))})\b"
)
KIND = re.compile(rf"{_S}(?: is| are| looks like| seems to be| ,)(?: not)? (?P<k>[TU]\d+)\b")
TOUCHING = re.compile(r"\b(?P<k>[TU]\d+) (?P<a>T\d+)\b")
NO_CLAIM = re.compile(r"\b(?:whether|if|or|would|could|might|may|should|can)\b(?! be (?:seen|found))")
DENIES = re.compile(r"\b(?:not|never|neither|nor|isn't|aren't|doesn't|don't|cannot|can't)\b")
