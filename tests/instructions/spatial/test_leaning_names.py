"""Names that lean to an outcome in depth: rows are left out until they do not tell it."""

from __future__ import annotations

import numpy as np

from instructions.spatial.balance import Balanced, find_surplus

NAMES = ("bed", "chair", "lamp", "mug", "picture", "rug", "table", "window")


def make_rows(strength: float, rows: int = 3000, seed: int = 0) -> list[Balanced]:
    """Pairs and their twins; the later a name stands in `NAMES`, the more often it is behind."""
    rng = np.random.default_rng(seed)
    out: list[Balanced] = []
    for number in range(rows):
        a, b = sorted(rng.choice(len(NAMES), 2, replace=False))
        chance = 1 / (1 + np.exp(strength * (b - a)))
        outcome = "first" if rng.random() < chance else "second"
        names = (NAMES[a], NAMES[b])
        tour, one, two = f"t{number % 12}", f"q{number:05d}a", f"q{number:05d}b"
        out.append(Balanced(one, tour, two, "behind_predicate", names, outcome, None))
        out.append(Balanced(two, tour, one, "behind_predicate", names[::-1], outcome, None))
    return out


def told_share(rows: list[Balanced]) -> float:
    """How often the name that stands later is behind."""
    return sum(row.outcome == "second" for row in rows) / len(rows)


def test_what_names_tell_is_taken_out_twins_together():
    rows = make_rows(0.3)
    gone = find_surplus(rows)
    kept = [row for row in rows if row.id not in gone]
    assert told_share(rows) > 0.65
    assert abs(told_share(kept) - 0.5) < 0.03
    assert set(gone.values()) == {"names lean to the outcome"}
    names = {row.id for row in kept}
    assert all(row.twin in names for row in kept)
    assert len(kept) > 0.4 * len(rows)


def test_where_names_tell_nothing_nearly_all_stays():
    rows = make_rows(0.0)
    assert len(find_surplus(rows)) < 0.12 * len(rows)


def test_sides_are_left_alone_and_too_close_too():
    rows = [
        Balanced("a", "t", "b", "left_predicate", ("bed", "chair"), "first", None),
        Balanced("b", "t", "a", "left_predicate", ("chair", "bed"), "first", None),
        Balanced("c", "t", None, "behind_predicate", ("bed", "chair"), "too close", None),
        Balanced("d", "t", "e", "behind_choice", ("chair", "chair"), "first", None),
    ]
    assert find_surplus(rows) == {}
