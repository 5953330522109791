"""Laws of spatial questions: motion changes nothing, a mirror swaps sides, scale scales, a swap gives the twin."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from instructions.asking.gates import REASONS
from instructions.asking.pairs import PairTable
from instructions.asking.views import know_things, question_views
from instructions.spatial.options import ChoiceOptions, SpatialOptions
from instructions.spatial.records import SpatialQuestion
from instructions.spatial.truths import Truth
from instructions.spatial.view_judge import find_truths
from instructions.spatial.writer import write_questions
from recon.records import Scale
from tests.support.worlds.box_rooms import NAMES, Block, Room, make_room

ALL = SpatialOptions(choice=ChoiceOptions(rows_per_view=0, rows_per_pair=0, again_m=0, halves=False))
SWAP = {"more": "less", "less": "more", "too close": "too close"}
slow = settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.too_slow])


@st.composite
def rooms(draw: st.DrawFn) -> list[Block]:
    count = draw(st.integers(3, 5))
    blocks = []
    for name in NAMES[:count]:
        size = draw(st.tuples(*[st.floats(0.3, 1.8)] * 3))
        z = size[2] / 2 + draw(st.sampled_from([0.0, 0.0, 0.7]))
        center = (draw(st.floats(2.5, 7.0)), draw(st.floats(-3.0, 3.0)), z)
        blocks.append(Block(name, center, size, draw(st.floats(-90.0, 90.0))))
    return blocks


def truths_of(room: Room) -> list[Truth]:
    known, faults = know_things(room.model, room.objects, room.observations, exact=True)
    assert not faults
    pairs = PairTable()
    return [
        truth
        for view in question_views(room.model, known, room.observations, all_seen=True)
        for truth in find_truths(view, pairs).truths
    ]


def key(truth: Truth) -> tuple:
    return (truth.type.name, *(one.id for one in truth.things))


@slow
@given(rooms(), st.floats(-180.0, 180.0), st.tuples(st.floats(-9, 9), st.floats(-9, 9), st.floats(-2, 2)))
def test_moving_and_turning_the_world_changes_no_answer(blocks, turn_deg, shift):
    still = {key(one): one for one in truths_of(make_room(blocks))}
    moved = {key(one): one for one in truths_of(make_room(blocks, turn_deg=turn_deg, shift=shift))}
    both = still.keys() & moved.keys()
    # Boxes that touch, a value on a bar: one truth in fifty, and one of a few, may fall to the other side by rounding.
    assert len(still) - len(both) <= max(1, 0.02 * len(still))
    for name in both:
        assert still[name].verdict == moved[name].verdict
        one, other = still[name].measured, moved[name].measured
        if one is not None and other is not None:
            assert other.value == pytest.approx(one.value, rel=1e-6, abs=1e-6)


@slow
@given(rooms())
def test_a_mirror_swaps_left_and_right_and_nothing_else(blocks):
    plain = {key(one): one for one in truths_of(make_room(blocks))}
    mirror = {key(one): one for one in truths_of(make_room(blocks, mirror=True))}
    for name, one in plain.items():
        kind = one.type
        if kind.family in ("predicate", "choice", "class"):
            sides = str(name[0]).split("_")
            turned = "_".join({"left": "right", "right": "left"}.get(word, word) for word in sides)
            other = mirror.get((turned, *name[1:]) if kind.supposes else name)
            if other is None:
                continue
            lateral = kind.dimension == "lateral"
            assert other.verdict == (SWAP[str(one.verdict)] if lateral else one.verdict)
        elif kind.name in ("left_difference", "right_difference"):
            swapped = {"left_difference": "right_difference", "right_difference": "left_difference"}[kind.name]
            twin = mirror.get((swapped, *name[1:]))
            if twin is not None and twin.measured and one.measured:
                assert twin.measured.value == pytest.approx(one.measured.value, abs=1e-6)


@slow
@given(rooms(), st.floats(0.5, 2.0))
def test_scaling_scales_metres_and_changes_no_answer_that_is_asked_in_both(blocks, scale):
    one = {key(truth): truth for truth in truths_of(make_room(blocks))}
    other = {key(truth): truth for truth in truths_of(make_room(blocks, scale=scale))}
    for name in one.keys() & other.keys():
        if "too close" in (one[name].verdict, other[name].verdict):
            continue  # people's 5 cm do not scale
        if name[0].startswith("step_"):
            continue  # nor does a step of a metre
        assert one[name].verdict == other[name].verdict
        a, b = one[name].measured, other[name].measured
        if a is not None and b is not None and a.unit == "m":
            assert b.value == pytest.approx(scale * a.value, rel=1e-6)


@slow
@given(rooms(), st.integers(0, 5))
def test_twins_have_the_same_words_and_the_other_answer(blocks, seed):
    room = make_room(blocks)
    rows = {row.id: row for row in ask(room, seed=seed)}
    for row in rows.values():
        if row.twin is None:
            assert row.family not in ("predicate", "choice", "class")
            continue
        twin = rows[row.twin]
        assert twin.twin == row.id
        assert [one.object for one in twin.references] == [one.object for one in reversed(row.references)]
        assert row.template.split("/")[:3] == twin.template.split("/")[:3]
        assert row.question != twin.question
        if row.truth == "too close":
            assert twin.truth == "too close"
        elif row.family == "choice":
            assert twin.truth == row.truth
            assert row.correct is not None
            assert twin.correct == 1 - row.correct
        else:
            assert twin.truth != row.truth
    answers = Counter(row.truth for row in rows.values() if row.form == "yes_no")
    assert answers["yes"] == answers["no"]


def ask(room: Room, options: SpatialOptions = ALL, *, seed: int = 0) -> tuple[SpatialQuestion, ...]:
    return write_questions(room.scene, room.objects, room.observations, options=options, seed=seed, exact=True).rows


ROOM = (
    Block("chair", (4.0, 1.2, 0.45), (0.5, 0.5, 0.9)),
    Block("table", (5.0, -0.8, 0.4), (1.6, 0.9, 0.8)),
    Block("lamp", (6.0, 2.2, 0.9), (0.4, 0.4, 1.8)),
    Block("clock", (6.5, -1.0, 1.9), (0.4, 0.1, 0.4)),
)


def test_the_same_seed_gives_the_same_rows_and_another_seed_other_words():
    room = make_room(ROOM)
    first, again, other = ask(room), ask(room), ask(room, seed=1)
    assert first == again
    assert first
    shared = {row.question for row in first} & {row.question for row in other}
    assert len(shared) < 0.4 * len(first)  # with all caps off the same is asked, and only its words differ
    assert not {row.id for row in first} & {row.id for row in other if row.question not in shared}


def test_no_question_stands_twice_in_a_view():
    rows = ask(make_room(ROOM))
    assert len({(row.views, row.question) for row in rows}) == len(rows)
    assert len({row.id for row in rows}) == len(rows)


def test_without_scale_no_row_says_a_unit():
    rows = ask(make_room(ROOM, kind=Scale("relative", 1.0, 1.0, "none")))
    assert {row.type for row in rows} >= {"ratio_distance", "left_predicate"}
    for row in rows:
        words = f"{row.question} {row.answer}".lower().replace("o'clock", "").split()
        assert not {"m", "cm", "meter", "meters", "centimeters", "feet", "foot", "inches", "inch"} & set(words), row
        assert row.measured is None or row.measured.unit in ("ratio", "hour")
        assert row.scale_status == "relative"


def test_assumed_metres_say_so_and_carry_the_error_of_the_scale():
    rows = ask(make_room(ROOM, kind=Scale("assumed", 1.0, 0.15, "camera height")))
    lengths = [row for row in rows if row.measured is not None and row.measured.unit == "m"]
    assert lengths
    for row in lengths:
        assert row.scale_status == "assumed"
        assert row.measured is not None
        assert row.measured.sigma == pytest.approx(0.15 * row.measured.value)


def test_a_scale_that_is_not_known_well_gives_no_numbers():
    rows = ask(make_room(ROOM, kind=Scale("assumed", 1.0, 0.25, "camera height")))
    assert not any(row.measured is not None and row.measured.unit == "m" for row in rows)


def test_caps_hold():
    eyes = [(0.02 * step, 0.0, 1.5) for step in range(8)]
    room = make_room(ROOM, eyes=eyes)
    rows = ask(room, SpatialOptions())
    assert rows
    per_view = Counter(row.views for row in rows)
    assert max(per_view.values()) <= 12
    per_pair = Counter(
        (row.views, frozenset(one.object for one in row.references)) for row in rows if len(row.references) == 2
    )
    assert max(per_pair.values()) <= 4
    asked = Counter((row.type, frozenset(one.object for one in row.references)) for row in rows)
    assert all(
        count <= (2 if name[0].endswith(("predicate", "choice", "class")) else 1) for name, count in asked.items()
    )
    words = sum(row.form != "number" for row in rows)
    assert abs(2 * words - len(rows)) <= 2


def test_what_is_not_asked_is_counted_with_a_reason():
    room = make_room(ROOM, visible=0.2)
    written = write_questions(room.scene, room.objects, room.observations, exact=True)
    assert not written.rows
    assert {reason for _, reason in written.not_asked} == {"hidden"}
    assert [finding.code for finding in written.findings] == ["spatial.none"]


def test_every_reason_has_words():
    reasons = set()
    for scale in (Scale("relative", 1.0, 1.0, "none"), Scale("assumed", 1.0, 0.25, "height")):
        for visible in (0.2, 0.4, 1.0):
            for exact in (True, False):
                room = make_room((*ROOM, *ROOM[:2]), kind=scale, visible=visible, eyes=((0, 0, 1.5), (0.1, 0, 1.5)))
                written = write_questions(room.scene, room.objects, room.observations, exact=exact)
                reasons |= {reason for _, reason in written.not_asked}
    assert len(reasons) > 8
    assert reasons <= set(REASONS)


def test_a_box_that_is_none_is_left_out_and_named():
    room = make_room(ROOM)
    bad = replace(room.objects[0], obb=replace(room.objects[0].obb, half_extents=(0.2, -0.1, 0.3)))
    written = write_questions(room.scene, (bad, *room.objects[1:]), room.observations, exact=True)
    assert [finding.where for finding in written.findings] == ["0_0"]
    assert not any(one.object == "0_0" for row in written.rows for one in row.references)


def test_no_objects_give_no_rows_and_a_finding():
    room = make_room(ROOM)
    written = write_questions(room.scene, (), ())
    assert not written.rows
    assert [finding.code for finding in written.findings] == ["spatial.none"]
