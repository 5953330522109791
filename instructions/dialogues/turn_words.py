"""Words that turn what follows them into its opposite, or make two things equal, as plain denials and marks."""

from __future__ import annotations

import re

_MARKED = (
    r"(?= (?:(?:the|an?|any|on|in|at|to|towards?|of) )*[@=~#]| (?:(?:the|on|in|at|to|towards?) )*(?:left|right)\b)"
)
_BUT = re.compile(
    r"\b(?:any(?:thing|where|one|body)?|every(?:thing|where|one)?|all)(?: (?!#)[a-z]+)? (?:but|except|save)(?: for)?"
    rf"{_MARKED}|\bthe (?:opposite|reverse|contrary) of{_MARKED}"
)
_ONLY = re.compile(rf"\b(?:nothing|nowhere|no one|none|no [a-z]+)(?: else)? (?:but|except|save)(?: for)?{_MARKED}")
_FLOOR = re.compile(r"\bon(?:to)? (?:the |a )?(?:bare )?(?:floor|ground)\b(?! (?:plan|floor))")
_MIDDLE = re.compile(
    r"(?<!start )(?<!starting )(?<!begin )(?<!beginning )(?<!from )\b(?:(?:right|exactly|just|straight|"
    r"more or less) )?(?:in|at) the (?:very |exact )?(?:middle|centre|center)\b(?! of)|"
    r"\b(?:straight|dead|right) ahead\b(?! of)"
)
_AS = r"(?<!not )(?<!n't )(?<!nearly )(?<!quite )(?<!never )(?<!nowhere near )"
_TO_EACH = r"(?= (?:any )?@| each| one another| the other|$|[.,;!?])"
_HIGH, _FAR = "tall|high", "far|near|close|distant|deep"
_EVEN = (
    (
        re.compile(
            rf"\b(?:(?:of|at|on|have|has|share|reach) )?(?:the |an? )?(?:very )?(?:same|equal|identical) heights?\b|"
            rf"\bequally (?:{_HIGH})\b|\bequal in height\b|{_AS}\bas (?:{_HIGH}) as{_TO_EACH}|\b(?:both|"
            rf"just) as (?:{_HIGH})\b"
        ),
        "#evenhigh",
    ),
    (
        re.compile(
            rf"\b(?:(?:of|at|in|have|has|share) )?(?:the |an? )?(?:very )?(?:same|equal|"
            rf"identical) (?:distances?|depths?)\b|"
            rf"\bequally (?:{_FAR})\b(?: away| off| back)?|\bequal in distance\b|"
            rf"{_AS}\bas (?:{_FAR})(?: away| off| back)? as(?= (?:any )?@| each| one another| the other)"
        ),
        "#evenfar",
    ),
)


def mark_turns(plain: str) -> str:
    """Mark what turns a statement round, floors, middles and equal measures.

    Args:
        plain: In lower case, with the marks of its things, numbers, colours and rooms.
    """
    plain = _FLOOR.sub("#floor", plain)
    plain = _MIDDLE.sub("#middle", plain)
    plain = _ONLY.sub(" ", plain)
    plain = _BUT.sub(" not", plain)
    for words, mark in _EVEN:
        plain = words.sub(mark, plain)
    return plain
