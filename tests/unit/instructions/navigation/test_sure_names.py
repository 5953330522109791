"""A text names a thing only where its name is sure: said from everywhere, at several moments, and possible in size."""

from __future__ import annotations

from dataclasses import replace

from instructions.navigation.sure_names import is_name_sure
from instructions.records import Observation, SceneObject
from tests.support.cases import each_case
from tests.support.worlds.boxworld import make_world, true_objects

BASE = true_objects(make_world())[0][0]
TIMES = {frame: 0.3 * frame for frame in range(1, 60)}


def thing(category: str = "sofa", half: tuple[float, float, float] = (0.9, 0.4, 0.4), **how) -> SceneObject:
    return replace(BASE, category=category, obb=replace(BASE.obb, half_extents=half), **how)


def sight(frames, label: str | None = "sofa", score: float = 0.5) -> list[Observation]:
    return [Observation(frame, "0_0", (0, 0, 9, 9), 1.0, score, 2.0, (), (), label) for frame in frames]


def test_what_every_view_of_several_moments_calls_so_is_named():
    assert is_name_sure(thing(), sight(range(1, 10)), TIMES, 1.0)
    assert is_name_sure(thing(), sight(range(1, 10), label=None), TIMES, 1.0)
    assert not is_name_sure(thing(), sight(range(1, 4)), TIMES, 1.0), "a glimpse"
    dense = {frame: 0.03 * frame for frame in range(1, 60)}
    assert not is_name_sure(thing(), sight(range(1, 25)), dense, 1.0), "however many frames it has"
    assert is_name_sure(thing(), sight(range(1, 50)), dense, 1.0)
    assert not is_name_sure(thing(), sight(range(100, 140)), TIMES, 1.0), "not on this walk"


def test_what_has_another_name_when_seen_again_has_none():
    first = sight(range(1, 12))
    assert not is_name_sure(thing(), [*first, *sight((30, 31, 32), "bed")], TIMES, 1.0)
    assert is_name_sure(thing(), [*first, *sight((30, 31, 32), "sofa"), *sight((31,), "bed")], TIMES, 1.0)
    assert is_name_sure(thing(), [*first, *sight((5, 6, 7), "bed")], TIMES, 1.0), "outvoted at once, from there"
    assert is_name_sure(thing(), [*first, *sight((40,), "bed")], TIMES, 1.0), "one frame is no visit"


@each_case(
    ("category", "width", "is_named"),
    [("bed", 0.5, False), ("bed", 0.9, True), ("picture", 0.05, True), ("shelf", 0.05, False)],
)
def test_no_thing_is_named_that_is_narrower_than_any_of_its_kind(category: str, width: float, is_named: bool):
    length = 0.9 if category == "chair" else 1.9
    one = thing(category, (length / 2, width / 2, 0.3))
    seen = sight(range(1, 12), category)
    assert is_name_sure(one, seen, TIMES, 1.0) == is_named
    doubled = replace(one, obb=replace(one.obb, half_extents=(length, width, 0.6)))
    assert is_name_sure(doubled, seen, TIMES, 2.0) == is_named, "twice the unit, the same thing"


def test_disputed_evidence_names_nothing_and_the_arm_of_a_sofa_is_no_bed():
    for share, is_named in ((0.55, False), (0.65, True)):
        one = thing(categories=(("sofa", share), ("bed", 1.0 - share)))
        assert is_name_sure(one, sight(range(1, 12)), TIMES, 1.0) == is_named
    for category, long_m, is_sure in (("bed", 1.2, False), ("bed", 1.9, True), ("sofa", 1.2, True)):
        one = thing(category, half=(long_m / 2, 0.45, 0.3))
        assert is_name_sure(one, sight(range(1, 10), category), TIMES, 1.0) == is_sure


@each_case(("length", "is_named"), [(1.6, True), (0.9, False)])
def test_words_for_what_is_never_so_long_are_no_evidence(length: float, is_named: bool):
    """Chairs around a table are joined with it; a thing as long as a chair may be one."""
    one = thing("table", (length / 2, 0.45, 0.35), categories=(("table", 0.55), ("chair", 0.45)))
    seen = [*sight(range(1, 8), "chair"), *sight(range(30, 40), "table")]
    assert is_name_sure(one, seen, TIMES, 1.0) == is_named


def test_what_is_longer_than_any_of_its_kind_is_several_or_nothing():
    chairs = sight(range(1, 12), "chair")
    assert is_name_sure(thing("chair", (1.05, 0.4, 0.4)), chairs, TIMES, 1.0), "up to twice as long"
    assert not is_name_sure(thing("chair", (1.15, 0.4, 0.4)), chairs, TIMES, 1.0)
    assert not is_name_sure(thing("suitcase", (0.9, 0.4, 0.4)), sight(range(1, 12), "suitcase"), TIMES, 1.0)


def test_a_table_that_some_pictures_call_chairs_has_no_name():
    """Several chairs may be so long; a table in whose box they stand is no evidence of them."""
    seen = [*sight(range(1, 3), "chair"), *sight(range(30, 40), "table")]
    assert is_name_sure(thing("table", (0.8, 0.45, 0.35)), seen, TIMES, 1.0)
    assert not is_name_sure(thing("chair", (0.8, 0.45, 0.35)), seen, TIMES, 1.0)
