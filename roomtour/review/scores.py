"""What the scores of a review are, and what they mean."""

from __future__ import annotations

from typing import get_args

from roomtour.files.ratings import Score

SCORES: tuple[Score, ...] = get_args(Score)
SCORE_WORDS = {1: "misleads", 2: "partly wrong", 3: "right, with a flaw", 4: "right"}
GOOD_SCORES = (3, 4)
MAX_NOTE = 2000
OUTDATED = "of texts that are not in the run any more (written anew, or named anew by another version)"
"""What is said of ratings that fit no text. They stay in the file."""
