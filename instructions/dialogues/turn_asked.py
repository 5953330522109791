"""What a question asks for, so that an answer that tells nothing of it is known as one that nobody understood."""

from __future__ import annotations

import re

from instructions.dialogues.turn_marks import FAMILIES, Marked

PLACES = frozenset({"side", "near", "on", "distance", "room", "other"})
PAIRS = frozenset({"side", "near", "tall", "on", "distance", "other"})
_MARK = re.compile(r"#(\w+)")
_SUPPOSES = re.compile(r"\b(?:could|can|would|might|should|if|suppose|imagine|why|what for)\b")
_CHOOSES = re.compile(r"\bor\b|\b(?:compared?|comparing|order|rank|sort|relation|relative|respect|which|who|whose)\b")
_SEES = re.compile(r"\b(?:any|no) @")
_ASKS_SIGHT = re.compile(
    r"^(?:and |so |but |well )?(?:is|are|was|isn't|do|does|have|has|got|can|could|see|any|no|will|would)\b|\bthere\b"
)
_COLOR = re.compile(r"\bcolou?r(?:s|ed)?\b|\b(?:shade|hue|tint|paint)(?:s|ed)?\b|=")
_NUMBER = re.compile(r"\bhow (?:many|much)\b|\b(?:number|quantity|count|total)\b|%", re.I)
_ROOM = re.compile(r"\b(?:which|what)(?: (?:kind|sort|type) of)? (?:a )?room\b|~")
_FAR = re.compile(r"\bhow (?:far|near|close|distant|deep)\b|\bdistan(?:ce|t)\b|\^", re.I)
_IMAGINES = re.compile(
    r"\b(?:would|could|might|should|can)\b.*\b(?:put|place|hang|add|store|keep|sit|read|work|eat|rest)\b", re.I
)
"""What one might do, which is not measured."""
_WHERE = re.compile(r"\bwhere(?:abouts)?\b|\b(?:which|what) (?:side|way|direction|half|part|end|edge)\b", re.I)


def find_asked(plain: str, question: Marked) -> frozenset[str]:
    """Families of statements of which one answers the question; empty where it asks for none.

    Args:
        plain: The question as it stands.
        question: The same, marked. `other` among the families is any relation that is read in the text as it is.
    """
    text = re.sub(r"(@\S+) =\w+", r"\1", question.text)
    related = {FAMILIES[mark] for mark in _MARK.findall(text)}
    supposes = bool(_SUPPOSES.search(plain.lower()))
    if len(question.kinds) >= 2 and (related or not supposes or _CHOOSES.search(plain.lower())):
        return PAIRS | {"visible", "count"} if len(_SEES.findall(text)) >= 2 and not related else PAIRS
    if _ROOM.search(text):
        return frozenset({"room"})
    if not question.kinds:
        return frozenset()
    if _COLOR.search(text):
        return frozenset({"colour"})
    if "*" in text and _NUMBER.search(text):
        return frozenset({"count", "visible"})
    if "^" in text or (_FAR.search(plain) and not supposes):
        return frozenset({"distance", "near"})
    if "side" in related:
        return frozenset({"side"})
    if _WHERE.search(plain) and not _IMAGINES.search(plain):
        return PLACES | {"visible"} if _SEES.search(text) else PLACES
    if "on" in related and not supposes:
        return frozenset({"on", "other"})
    if re.fullmatch(r"(?:any )?@\S+\s*\??", text.strip()):
        return frozenset({"visible", "count", *PLACES})
    if _SEES.search(text) and _ASKS_SIGHT.search(text):
        return frozenset({"visible", "count", *PLACES})
    if "=" in question.text and not supposes:
        return frozenset({"colour"})
    return frozenset()
