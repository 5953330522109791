"""A turn as marks: things, sides, comparisons, supports, numbers, lengths, colours and rooms, whatever stands between.

`The lamp's on the left-hand side of the sofa` becomes `@lamp on #left of @sofa`. The marks are the content words that a
reading must account for; no sentence has to have a known form.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from instructions.dialogues.turn_amounts import mark_amounts
from instructions.dialogues.turn_words import mark_turns
from instructions.wording.colors import WORDS
from instructions.wording.english import pluralize, with_article

COLORS = "|".join(sorted(WORDS))
ROOMS = (
    "living room|dining room|bedroom|kitchen|bathroom|hallway|hall|corridor|office|study|garage|garden|balcony|"
    "laundry room|meeting room"
)
FAMILIES = {
    "left": "side", "right": "side", "near": "near", "far": "near", "tall": "tall", "short": "tall", "on": "on",
    "under": "on", "carry": "on", "upper": "on", "lower": "on", "out": "side", "middle": "side", "floor": "on",
    "evenhigh": "tall", "evenfar": "near", "front": "near",
}  # fmt: skip
"""Marks of relations, and what each tells of; `out` (further out, over, along) is a side or a depth, as was asked."""
_NOT = r"(?:not|n't|never)"
_IDIOMS = re.compile(
    r"\bright (?:number|count|figure|amount|word|answer|name|now|here|there|away|beside|next|behind|in front)\b|"
    r"\bright(?= (?:beneath|under|underneath|below|above|by|at|on top)\b)|\bwithout (?:any )?(?:trouble|"
    r"difficulty|effort|problems?)\b|"
    r"\b(?:was|were|been|got|is|are) left(?= (?:here|there|behind|out|lying|standing)\b)|"
    r"\bright (?:to|in) (?:say|think|believ|assum|suppos)(?:e|ing)?\b|"
    r"\b(?:get|got|have|had|do|did|put|count\w*) (?:it|that|this|them) right\b|"
    r"\b(?:you are|you're|that's|that is|am i|is (?:it|that|this|he|she)|see|quite|all|who is|who's) right\b(?! of\b)|"
    r"\b(?:of )?(?:the|these|those) (?:two|%2)\b(?! @)|\bin front of (?:you|us|me|here)\b|\bin (?:the )?first place\b|"
    r"\bin place of\b|\bby far\b|\ba long way\b|\bso far\b|\bas far as\b(?= %)|\bas (?:far|near|close) as\b|"
    r"\b(?:(?:higher|lower|taller|shorter) than|above|below) (?:(?:the|your|my|a) )?(?:eyes?|eye level|head|knees?)\b|"
    r"\bhow (?:far|near|close|tall|high|distant)(?: away| off| back)?\b|\bclose to\b(?= \^)|"
    r"\bon (?:(?:the|a) )?(?:floor|ground|wall|way|list|point|contrary|whole|map|plan|floor plan)\b|"
    r"\bon (?:that|this|the same) (?:side|hand|half|part)\b|\b(?:of )?the pair(?: of)?\b|"
    r"\bfor one thing\b|\b(?:from )?(?:bottom|floor) to top\b|\b(?:hold|go|keep|carry|later|move) on\b|\bcarry things\b"
)
"""Words of relations that here are none."""
_AGREES = re.compile(r"^(?:that's|that is|you are|you're|quite|it is|it's) right(?=\s*(?:[.,;!]|$))")
_BY_NEARNESS = re.compile(r"\bby (?:how (?:close|near)\b(?: (?:they|these|both) (?:are|stand))?|closeness|nearness)")
_OF_VIEW = re.compile(
    r"\bin (?:the|this) (?:picture|image|photo|view|frame|scene)\b|"
    r"\bof (?:the|this) (?:image|photo|view|frame|scene)\b|"
    r"(?:(?<=side|half|edge|part)|(?<=middle|centre|center|corner|border)) of (?:the|this) picture\b"
)
_RATHER = re.compile(r"\b(?:rather than|instead of|as opposed to|and not)(?= (?:an? |the )?[=~])")
_IMAGINES = re.compile(
    r"(?:^|(?<=\bto )|(?<=[.,;:] )|(?<=\bnow ))picture\b(?= (?:this|that|yourself|me|us|it|an?|the|how|what|all)\b|:)"
)
"""The verb, which is no picture."""
_MORE = "more|most|further|farther|furthest|farthest|nearest|closest|nearer|closer"
_SIDE_HEAD = (
    rf"(?:(?:(?:{_MORE}|well|way|out|over|off|close) )*"
    r"(?:(?:to(?:wards?)?|at|on|in|onto|by) )?(?:(?P<whose>the|my|your|our|that|its|his|her|their) )?(?:far |very )?)?"
)
_EXCEEDED = r"\b(?:exceeded|surpassed|outdone|beat(?:en)?|(?:over)?topped|towered (?:over|above))"
_FURTHER_OUT = (
    r"\b(?:further|farther|furthest|farthest) (?:over|along|out|(?:in )?that (?:way|direction)|to that side)\b"
)
_RELATIONS: tuple[tuple[str, str], ...] = (
    (r"\bdistance (?:is|being) (?:the )?(?:shorter|smaller|less(?:er)?)\b", "near"),
    (r"\bdistance (?:is|being) (?:the )?(?:longer|greater|larger|bigger)\b", "far"),
    (r"\btak(?:es?|ing) (?:(?:me|us|you) )?(?:longer|more time)\b", "far"),
    (r"\btak(?:es?|ing) (?:(?:me|us|you) )?less time\b", "near"),
    (r"\bserv(?:es?|ing) as (?:(?:a|the) (?:base|stand|support) (?:for|of)|its (?:base|stand|support))\b", "carry"),
    (r"\b(?:shorter|smaller|less) (?:distance|way|trip|walk|path|route|journey)\b|\bless far\b(?: away| off)?", "near"),
    (rf"\b{_NOT} (?:as|so|quite as|that) (?:far|distant)\b(?: away| off| back)?", "near"),
    (rf"\b{_NOT} (?:as|so|quite as) (?:near|close)\b(?: by)?", "far"),
    (r"\b(?:more|longer|greater) (?:distance|way|trip|walk|path|route|journey)\b|\bmore distant\b", "far"),
    (r"\bfar(?: away| off| back| one)\b", "far"),
    (rf"\b{_NOT} (?:as|so|quite as) (?:tall|high)\b(?: up)?|\bless (?:tall|high|height)\b", "short"),
    (r"\b(?:smaller|lesser|less) in height\b", "short"),
    (rf"{_EXCEEDED}(?: in height)? by\b", "#short than"),
    (r"\b(?:larger|bigger|greater|exceeds?|surpass(?:es)?|beats?) in height\b", "tall"),
    (r"\b(?:more|greater|larger|bigger) height\b|\btower\w* (?:over|above)\b|\bovertop\w*|\bgiant\b", "tall"),
    (r"\b(?:look\w* down|rises?|reach\w*) (?:on|above|up (?:further|higher))\b", "tall"),
    (r"\bwins?(?= in height)|\bmeasures? more\b", "tall"),
    (r"\b(?:tall(?:er|est)|high(?:er|est)(?: up)?)\b", "tall"),
    (r"\b(?:short(?:er|est)|low(?:er|est)(?: down)?)\b", "short"),
    (r"\b(?:nearer|nearest|closer|closest|sooner|earlier|close by|nearby|foreground)\b", "near"),
    (r"\b(?:in front|ahead) of\b", "near"),
    (r"\bin front(?= ?(?:[,;:?.!]|$))", "front"),
    (r"\bbefore(?= (?:any )?@)", "#near than"),
    (rf"{_FURTHER_OUT}(?=\s+(?:(?:on|to|at|towards?)\s+)?#(?:left|right))", ""),
    (_FURTHER_OUT, "out"),
    (r"\b(?:further|farther|furthest|farthest)(?: away| off| back)?\b", "far"),
    (r"\b(?:background|deeper|behind|distant)\b", "far"),
    (r"\b(?:borne|carried|held(?: up)?|supported|holding itself) by\b|\bon top of\b|\batop\b|\bupon\b", "on"),
    (r"\bunder(?:neath)?\b|\bbeneath\b|\bbelow\b", "under"),
    (r"\b(?:carr(?:y|ies|ying)|bear(?:s|ing)?|hold(?:s|ing)?(?: up)?|support(?:s|ing)?)\b", "carry"),
    (r"\bupper (?:one|thing|of)\b", "upper"),
    (r"(?<!#)\bon(?:to| top)?(?= (?:any |no )?@| it\b| that\b)|\bon top\b", "on"),
    (r"\bon(?=\s*\?)", " #on"),
    (r"(?:(?<=ing)|(?<=stand)|(?<=stands)|(?<=rests)|(?<=sits)|(?<=lies)) on(?=\s*(?:[.,;?!]|$))", " #on"),
)  # fmt: skip

RANKS = {
    mark: re.compile(rf"\bfrom (?:the )?#?{first}\w* (?:one )?to (?:the )?#?{last}|#{first} (?:one )?first\b{more}")
    for mark, first, last, more in (
        ("near", "near", "far", ""), ("far", "far", "near", ""), ("short", "short", "tall", ""),
        (
            "tall", "tall", "short",
            r"|^(?:(?:please|now|and|so|then|could|can|would|how|do|you)\b,? )*(?:rank|order|sort|arrange) "
            r"(?:(?:any )?@[^\s,]+,? |and |them |these |things |all |both )*by (?:their )?heights?\W*$",
        ),
    )
}  # fmt: skip
"""Questions for an order, by the relation of what is named first to what follows."""
ASKS_ORDER = re.compile(r"\b(?:rank|order|sort|arrange|list|line)(?:s|ed|ing)?\b|\bby (?:their )?heights?\b")
TURNS_ORDER = re.compile(
    r"\b(?:last|second|third|final\w*|ends?|after|later|next|follow\w*|"
    r"revers\w+|backwards?|ascending|descending|starting|beginning)\b|#out\b"
)
"""What may turn an order round, so that nobody knows what the first name means."""
OF_ITSELF = re.compile(
    r"\b(?:height|width|length|size|depth)\b[^.;,@]*\^[\d.]+|"
    r"\^[\d.]+ (?:in )?(?:tall|high|wide|long|broad|thick|across|height|width|length|deep(?! in\b))\b"
)
"""Lengths of a thing, which are no distances: `It is 3 metres tall.`"""


@dataclass(frozen=True)
class Marked:
    """One text of a turn."""

    text: str
    """Lower case, with marks."""
    kinds: tuple[str, ...]
    """Kinds that are named, in order, each once."""

    def clauses(self) -> list[str]:
        """Parts that say one thing each."""
        return [one.strip() for one in _CLAUSE.split(self.text) if one.strip()]


_NEXT = r"(?= (?:it|they|that|there|(?:no |any )?@))"
_CLAUSE = re.compile(
    rf"[.;:!?,]|\b(?:and|but|because|since|as{_NEXT}|for{_NEXT}|so(?= @)|while|whereas|then|with(?= @\S+ (?:\w+ )?#)|"
    r"being(?= #)|(?=leaving\b)|(?=which\b)|(?=that is\b))(?:\s|$)"
)


@lru_cache(maxsize=32)
def _find_kinds(kinds: tuple[str, ...]) -> tuple[re.Pattern[str], dict[str, str]]:
    forms = {form: kind for kind in kinds for form in (pluralize(kind), kind)}
    names = "|".join(_write_form(form, forms) for form in sorted(forms, key=len, reverse=True))
    articles = "the|an?|any|no|each|every|these|those|your|our|my|this|that"
    return re.compile(rf"\b(?:({articles}) )?(?:({COLORS}) )?({names})(?:'s)?(?![\w'])"), forms


def _write_form(form: str, forms: Mapping[str, str]) -> str:
    """The pattern of a name; `stand` is a verb in `Where does the tv stand?` and `The tv stands on it`."""
    name, head = re.escape(form), form.removesuffix("s").removesuffix(" stand")
    if head not in forms or not form.removesuffix("s").endswith(" stand"):
        return name
    if form.endswith("s"):
        return rf"{name}(?! (?:on|upon|in|at|there|here|next|beside)\b)"
    return rf"(?<!does the ){name}|{name}(?! (?:on|at|next)\b|[?.!,])"


def mark_text(text: str, kinds: Sequence[str]) -> Marked:
    """Write a text with marks in place of its content words.

    Args:
        text: A question or an answer.
        kinds: Names of things, in the singular, that may be meant.
    """
    pattern, forms = _find_kinds(tuple(kinds))
    found: list[str] = []

    def mark_thing(match: re.Match[str]) -> str:
        kind = forms[match.group(3)]
        found.append(kind)
        article, color = match.group(1), match.group(2)
        is_open = article in ("a", "an", "any") or (article is None and with_article(kind) == kind)
        word = "no " if article == "no" else "any " if is_open else ""
        many = "*" if match.group(3) != kind else ""
        return f"{word}@{kind.replace(' ', '_')}{many}" + (f" ={color}" if color else "")

    plain = re.sub(r"[\"“”]|(?<!\w)'|'(?!\w)", " ", text.replace("’", "'").lower())
    plain = re.sub(r"(?<=\w)n't\b", " n't", plain.replace("cannot", "can n't").replace("can't", "can n't"))
    plain = re.sub(r"\s+", " ", plain).strip()
    plain = _OF_VIEW.sub(" ", _IMAGINES.sub("imagine", plain))
    plain = pattern.sub(mark_thing, plain) if kinds else plain
    plain = mark_amounts(plain)
    plain = re.sub(rf"(?<!=)\b({COLORS})\b", r"=\1", plain)
    plain = re.sub(rf"\b({ROOMS})\b", lambda one: "~" + one.group(1).replace(" ", "_"), plain)
    plain = re.sub(
        r"^(?:you|that|this)(?: are| is|'re|'s) (?:not|n't)(?: quite)? right(?=\s*(?:[.,;!]|$))", "no", plain
    )
    plain = mark_turns(_BY_NEARNESS.sub("from near to far", _AGREES.sub("yes", plain)))
    plain = _IDIOMS.sub(" ", plain)
    plain = _RATHER.sub(" , not", plain)
    if re.search(r"\bheights?\b", plain):
        plain = re.sub(r"\b(?:exceed|surpass|outdo|beat)(?:s|es)?\b(?! (?:in|by)\b)", "#tall", plain)
        plain = re.sub(r"\bwins?\b(?! in\b)", "#tall", plain)
    plain = re.sub(
        rf"{_SIDE_HEAD}\b(?P<side>left|right)(?P<most>most)?\b(?:-| )?(?:hand\b ?)?"
        r"(?:(?:side|half|edge|border|part|one)\b)?(?P<than> ?than\b)?",
        _mark_side,
        plain,
    )
    for words, mark in _RELATIONS:
        plain = re.sub(words, mark if "#" in mark or not mark else f"#{mark}", plain)
    plain = re.sub(r"(\^[\d.]+) #(?:far|near)", r"\1", plain)
    return Marked(re.sub(r"\s+", " ", plain).strip(), tuple(dict.fromkeys(found)))


def _mark_side(match: re.Match[str]) -> str:
    of = "of its" if match.group("whose") == "its" else match.group("than") or ""
    compares = re.search(rf"\b(?:{_MORE})\b", match.group())
    return f" #{match.group('side')}{'+' if compares or match.group('most') or match.group('than') else ''} {of} "
