"""What the scores of a review are, and what they mean."""

from __future__ import annotations

from typing import get_args

from roomtour.files.ratings import Score

SCORES: tuple[Score, ...] = get_args(Score)
SCORE_WORDS = {1: "totally irrelevant", 2: "partially relevant", 3: "mostly relevant", 4: "perfect match"}
"""How well a text fits its way; the words of RoomTour3D (CVPR 2025), so that means can be compared with the paper's."""
ACCURACY_WORDS = {True: "all true", False: "something is false"}
"""Asked beside the score: a text may fit its way and still say one thing that is not so."""
GOOD_SCORES = (3, 4)
MAX_NOTE = 2000
OUTDATED = "of texts that are not in the run any more (written anew, or named anew by another version)"
"""What is said of ratings that fit no text. They stay in the file."""
