"""The 14 types of questions by the words of the question: the first that fits, in the order of the paper's table."""

from __future__ import annotations

import re


def _words(pattern: str, begins: str = "") -> re.Pattern[str]:
    """Whole words anywhere in the question, or other ones at its beginning."""
    anywhere = rf"(?<![a-z])(?:{pattern})(?![a-z])"
    return re.compile(rf"^(?:{begins})(?![a-z])|{anywhere}" if begins else anywhere)


TYPES: tuple[tuple[str, float, re.Pattern[str] | None], ...] = (
    (
        "Reason",
        5.1,
        _words("(?:intention|reason|motive) (?:of|behind|for)|what is the (?:intention|reason|motive)", "why"),
    ),
    ("Purpose", 20.0, _words("purpose|significance|importance|function|used for|use of")),
    ("Relationship", 10.5, _words("relationship|relation|related|relate|connection|connected")),
    ("Role", 4.7, _words("role|occupation|profession|job")),
    ("Focus", 4.5, _words("focus|focal point|stands? out|main subject|draws attention")),
    ("Ambiance", 4.4, _words("atmosphere|mood|vibe|ambiance|ambience")),
    ("Emotion", 8.4, _words("emotions?|feels?|feelings?")),
    (
        "Attribute",
        7.4,
        _words("what (?:state|condition|colou?r|shape|size|material|texture)|(?:state|condition|colou?r|material) of"),
    ),
    ("Action", 5.9, _words("activity|activities|event|doing|action")),
    ("Type", 10.1, _words("(?:kind|type|sort|style) of")),
    ("Scene", 7.7, _words("what time|situation|setting|occasion|location|take place|taking place", "where")),
    (
        "Inference",
        5.3,
        _words("infer(?:red)?|conclude|deduce|assume|guess|likely|how might|what (?:might|could|would)"),
    ),
    ("Factual", 3.5, re.compile(r"^(?:is|are|was|were|do|does|did|can|could|has|have|will)(?![a-z])")),
    ("Others", 2.6, None),
)
"""Name, the paper's percent, and what the question has."""


def find_type(question: str) -> str:
    """The type of a question; `Others` where nothing fits."""
    plain = " ".join(question.lower().split())
    return next(name for name, _, pattern in TYPES if pattern is None or pattern.search(plain))
