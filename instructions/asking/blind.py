"""The blind test: what of the answers a reader guesses who sees the texts and no picture.

Five folds grouped by tour, a forest of scikit-learn on type, template, names, categories, options and lengths.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from instructions.asking.reward import grade_number

LEAST_ROWS = 200
LEAST_TOURS = 5
FOLDS = 5
TREES = 30
LEAST_SHOWN = 40
"""Rows of a type below which nothing is scored: a forest on fewer says nothing."""


@dataclass(frozen=True, slots=True)
class BlindItem:
    """A row without its picture."""

    group: str
    """Tour."""
    kind: str
    """Type of question: each is tested by itself."""
    features: Mapping[str, str | float]
    answer: str | float
    offered: str = ""
    """Answers that the question itself names, where rows of a kind name different ones: chance is counted for each."""


@dataclass(frozen=True)
class BlindScore:
    """What guessing comes to on one type."""

    kind: str
    rows: int
    tours: int
    score: float
    """Share of right answers; mean relative accuracy for numbers."""
    chance: float
    """Share of the most frequent answer, among rows that offer the same; of numbers what the median comes to."""
    is_number: bool

    @property
    def is_tested(self) -> bool:
        """Whether there are rows and tours enough for the score to mean something."""
        return self.rows >= LEAST_ROWS and self.tours >= LEAST_TOURS


def guess_blind(items: Sequence[BlindItem], seed: int = 0) -> list[BlindScore]:
    """Score every type of which there are rows enough from two tours or more, by name."""
    by_kind: dict[str, list[BlindItem]] = defaultdict(list)
    for item in items:
        by_kind[item.kind].append(item)
    return [score for kind in sorted(by_kind) if (score := _score(kind, by_kind[kind], seed)) is not None]


def _grade(told: Sequence[float], true: Sequence[float]) -> float:
    """Mean relative accuracy over all values."""
    return sum(map(grade_number, told, true)) / max(len(true), 1)


def _count_usual(items: Sequence[BlindItem]) -> int:
    """Rows that have the most frequent answer among those that offer the same."""
    answers: dict[str, Counter[str | float]] = defaultdict(Counter)
    for item in items:
        answers[item.offered][item.answer] += 1
    return sum(answer.most_common(1)[0][1] for answer in answers.values())


def _score(kind: str, items: Sequence[BlindItem], seed: int) -> BlindScore | None:
    from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor
    from sklearn.feature_extraction import DictVectorizer
    from sklearn.model_selection import GroupKFold

    groups = [item.group for item in items]
    tours = len(set(groups))
    if tours < 2 or len(items) < LEAST_SHOWN:
        return None
    matrix = DictVectorizer().fit_transform([dict(item.features) for item in items]).tocsr()
    is_number = not isinstance(items[0].answer, str)
    answers = [item.answer for item in items]
    guesses: list[str | float] = [""] * len(items)
    usual: list[str | float] = [""] * len(items)
    for train, test in GroupKFold(min(FOLDS, tours)).split(matrix, groups=groups):
        known = [answers[i] for i in train]
        forest = (RandomForestRegressor if is_number else RandomForestClassifier)(TREES, random_state=seed, n_jobs=1)
        forest.fit(matrix[train], known)
        for place, guess in zip(test, forest.predict(matrix[test]), strict=True):
            guesses[place] = float(guess) if is_number else str(guess)
            usual[place] = sorted(known)[len(known) // 2] if is_number else Counter(known).most_common(1)[0][0]
    if is_number:
        true = [float(answer) for answer in answers]
        score, chance = (_grade([float(g) for g in told], true) for told in (guesses, usual))
    else:
        score = sum(g == a for g, a in zip(guesses, answers, strict=True)) / len(items)
        chance = _count_usual(items) / len(items)
    return BlindScore(kind, len(items), tours, float(score), float(chance), is_number)
