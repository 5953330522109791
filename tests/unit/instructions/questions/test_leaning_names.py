"""Names that lean to an outcome in depth: rows are left out until they do not tell it."""

from __future__ import annotations

import numpy as np

from instructions.questions.quality.balance import Balanced, find_surplus

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
        out.append(Balanced(one, tour, two, "behind_predicate", names, outcome, None, leaning="ahead"))
        out.append(Balanced(two, tour, one, "behind_predicate", names[::-1], outcome, None, leaning="ahead"))
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
    assert set(gone.values()) == {"answer guessable from the names"}
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
        Balanced("c", "t", None, "behind_predicate", ("bed", "chair"), "too close", None, leaning="ahead"),
        Balanced("d", "t", "e", "behind_choice", ("chair", "chair"), "first", None, leaning="ahead"),
    ]
    assert find_surplus(rows) == {}


def test_numbers_that_a_name_tells_are_no_more_than_others():
    """Tables are as high everywhere, plants are not."""
    rng = np.random.default_rng(0)
    rows = []
    for number in range(600):
        name, value = ("table", 0.74 * rng.uniform(0.97, 1.03)) if number % 3 else ("plant", rng.uniform(0.2, 2.0))
        rows.append(Balanced(f"q{number:05d}", f"t{number % 12}", None, "height", (name,), "", float(value)))
    rows.append(Balanced("q99999", "t0", None, "height", ("table",), "", 1.1))  # else one number would be all tables'
    gone = find_surplus(rows)
    assert set(gone.values()) == {"number guessable from the name"}
    tables = [sum(row.names == ("table",) for row in some) for some in (rows, [r for r in rows if r.id not in gone])]
    plants = [sum(row.names == ("plant",) for row in some) for some in (rows, [r for r in rows if r.id not in gone])]
    assert tables[0] > 1.9 * plants[0]
    assert tables[1] <= plants[1]
    assert plants[1] >= 0.8 * plants[0]
    assert not find_surplus([row for row in rows if row.tour == "t0" and row.names == ("plant",)])
