"""Questions about pictures without depth say what the places of their marks in the picture say."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from itertools import combinations, pairwise
from math import dist

from instructions.questions.core.options import MarkOptions
from instructions.questions.marks.picture import LEAST_APART
from instructions.questions.registry import PICTURE_TYPES
from instructions.questions.writers.marks import write_mark_questions
from recon.records import Frame, Scene, SourceInfo

WIDTH, HEIGHT = 640, 400
SENSES = {"left": (0, -1), "right": (0, 1), "up": (1, -1), "down": (1, 1)}
"""Axis of the picture, and the sense along it; y points down."""
Places = Sequence[tuple[float, float]]


def judge(name: str, places: Places) -> str:
    """The answer of a type, from the pixels of its marks."""
    _, word, form = name.split("_")
    if form == "order":
        axis = ("across", "down").index(word)
        return ", ".join(str(at + 1) for at in sorted(range(3), key=lambda at: places[at][axis]))
    if word in SENSES:
        axis, sense = SENSES[word]
        is_first = sense * places[0][axis] > sense * places[1][axis]
        return {"choice": ("mark 2", "mark 1"), "predicate": ("no", "yes")}[form][is_first]
    if form == "pair":
        end: Callable[..., tuple[int, int]] = {"closest": min, "farthest": max}[word]
        one, other = end(combinations(range(3), 2), key=lambda pair: dist(places[pair[0]], places[pair[1]]))
        return f"marks {one + 1} and {other + 1}"
    (x, y), *_ = places
    return f"{'lower' if y > HEIGHT / 2 else 'upper'} {'right' if x > WIDTH / 2 else 'left'}"


def test_every_type_is_asked_of_pictures_without_depth_and_true():
    frames = tuple(Frame(at, float(at), f"{at:06d}.png", WIDTH, HEIGHT, 1.0, 0) for at in range(1, 7))
    source = SourceInfo("photos", "images", WIDTH, HEIGHT, 6.0, len(frames), 1.0, "images", 0, "0" * 64)
    scene = Scene("photos", source, frames, (), ())
    rows = write_mark_questions(scene, options=MarkOptions(rows_per_view=40), not_asked=Counter())
    asked = Counter(row.type for row in rows)
    assert set(asked) == set(PICTURE_TYPES)
    for row in rows:
        places = [one.mark.xy for one in row.references if one.mark and one.mark.xy]
        assert row.truth == judge(row.type, places), row.question
        assert (row.level, row.scale_status) == ("2d", "relative")
        if row.type == "picture_across_order":
            assert min(b - a for a, b in pairwise(sorted(x for x, _ in places))) >= 0.99 * LEAST_APART * WIDTH
