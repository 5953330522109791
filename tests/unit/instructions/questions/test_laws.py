"""Laws of spatial questions: motion changes nothing, a mirror swaps sides, scale scales, a swap gives the twin."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from instructions.asking.bars import GateOptions
from instructions.asking.gates import REASONS
from instructions.facts.pairs import PairTable
from instructions.questions.core.asker import Asker
from instructions.questions.core.options import SpatialOptions
from instructions.questions.core.records import Question
from instructions.questions.core.view_sets import Truth, ViewSet
from instructions.questions.writers.views import tell_silence
from recon.records import Scale
from tests.support.worlds.box_rooms import NAMES, Block, Room, ask_about, find_all_truths, make_room

SWAP = {"yes": "no", "no": "yes", "left": "right", "right": "left"}
slow = settings(max_examples=10, deadline=None, suppress_health_check=[HealthCheck.too_slow])


@st.composite
def rooms(draw: st.DrawFn) -> list[Block]:
    """By a seed, so that boxes neither touch nor lie on a bar, where rounding decides."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    blocks = []
    for name in NAMES[: rng.integers(3, 6)]:
        x, y, z = rng.uniform(0.3, 1.8, 3).tolist()
        bottom = float(rng.choice([0.0, 0.0, 0.7]) + rng.uniform(0.0, 0.01))
        place = (float(rng.uniform(2.5, 7.0)), float(rng.uniform(-3.0, 3.0)), bottom + z / 2)
        blocks.append(Block(name, place, (x, y, z), float(rng.uniform(-90.0, 90.0))))
    return blocks


def truths_of(room: Room) -> list[Truth]:
    assert not room.tour.find_faults(room.model)
    pairs = PairTable(room.model)
    askers = [Asker(ViewSet.of_view(view), pairs, GateOptions()) for view in room.views]
    return [truth for asker in askers for truth in find_all_truths(asker, Counter())]


def key(truth: Truth) -> tuple:
    return (truth.kind.name, *truth.things)


@slow
@given(rooms(), st.floats(-180.0, 180.0), st.tuples(st.floats(-9, 9), st.floats(-9, 9), st.floats(-2, 2)))
def test_moving_and_turning_the_world_changes_no_answer(blocks, turn_deg, shift):
    still = {key(one): one for one in truths_of(make_room(blocks))}
    moved = {key(one): one for one in truths_of(make_room(blocks, turn_deg=turn_deg, shift=shift))}
    assert still.keys() == moved.keys()
    for name in still:
        assert still[name].kind.form == "number" or still[name].value == moved[name].value
        one, other = still[name].measured, moved[name].measured
        if one is not None and other is not None:
            assert other.value == pytest.approx(one.value, rel=1e-6, abs=1e-6)


def swap(truth: Truth) -> str:
    """The answer with left and right exchanged."""
    said = str(truth.value)
    others = [one for one in truth.things if one != said]
    return others[0] if len(others) == 1 else SWAP.get(said, said)


@slow
@given(rooms())
def test_a_mirror_swaps_left_and_right_and_nothing_else(blocks):
    plain = {key(one): one for one in truths_of(make_room(blocks))}
    mirror = {key(one): one for one in truths_of(make_room(blocks, mirror=True))}
    for name, one in plain.items():
        kind = one.kind
        if kind.family in ("predicate", "choice", "class"):
            sides = str(name[0]).split("_")
            turned = "_".join({"left": "right", "right": "left"}.get(word, word) for word in sides)
            other = mirror.get((turned, *name[1:]) if kind.supposes else name)
            if other is None:
                continue
            lateral = kind.dimension == "lateral"
            assert other.value == (swap(one) if lateral and not kind.supposes else one.value)
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
        if "too close" in (one[name].value, other[name].value):
            continue  # people's 5 cm do not scale
        if name[0].startswith("step_"):
            continue  # nor does a step of a metre
        assert one[name].kind.form == "number" or one[name].value == other[name].value
        a, b = one[name].measured, other[name].measured
        if a is not None and b is not None and a.unit == "m":
            assert b.value == pytest.approx(scale * a.value, rel=1e-6)


@slow
@given(rooms(), st.integers(0, 5))
def test_twins_have_the_same_words_and_the_other_answer(blocks, seed):
    room = make_room(blocks)
    rows = {row.id: row for row in ask_about(room, seed=seed).rows}
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


ROOM = (
    Block("chair", (4.0, 1.2, 0.45), (0.5, 0.5, 0.9)),
    Block("table", (5.0, -0.8, 0.4), (1.6, 0.9, 0.8)),
    Block("lamp", (6.0, 2.2, 0.9), (0.4, 0.4, 1.8)),
    Block("clock", (6.5, -1.0, 1.9), (0.4, 0.1, 0.4)),
)


def test_the_same_seed_gives_the_same_rows_and_another_seed_other_words():
    first, again, other = (ask_about(make_room(ROOM), seed=seed).rows for seed in (0, 0, 1))
    assert first
    assert first == again
    assert len({(row.views, row.question) for row in first}) == len({row.id for row in first}) == len(first)
    shared = {row.question for row in first} & {row.question for row in other}
    assert len(shared) < 0.4 * len(first)  # with all caps off the same is asked, and only its words differ
    assert not {row.id for row in first} & {row.id for row in other if row.question not in shared}


def test_without_scale_no_row_says_a_unit():
    rows = ask_about(make_room(ROOM, kind=Scale("relative", 1.0, 1.0, "none"))).rows
    assert {row.type for row in rows} >= {"ratio_distance", "left_predicate"}
    for row in rows:
        words = f"{row.question} {row.answer}".lower().replace("o'clock", "").split()
        assert not {"m", "cm", "meter", "meters", "centimeters", "feet", "foot", "inches", "inch"} & set(words), row
        assert row.measured is None or row.measured.unit in ("ratio", "hour")
        assert row.scale_status == "relative"


def test_assumed_metres_say_so_and_carry_the_error_of_the_scale_unless_it_is_not_known_well():
    def lengths(sigma: float) -> list[Question]:
        rows = ask_about(make_room(ROOM, kind=Scale("assumed", 1.0, sigma, "camera height"))).rows
        return [row for row in rows if row.measured is not None and row.measured.unit == "m"]

    assert lengths(0.15)
    for row in lengths(0.15):
        assert row.scale_status == "assumed"
        assert row.measured is not None
        assert row.measured.sigma == pytest.approx(0.15 * row.measured.value)
    assert not lengths(0.25)


def test_caps_hold():
    eyes = [(0.02 * step, 0.0, 1.5) for step in range(8)]
    room = make_room(ROOM, eyes=eyes)
    rows = ask_about(room, SpatialOptions()).rows
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


def test_what_is_not_asked_is_counted_with_a_reason_that_has_words():
    hidden = ask_about(make_room(ROOM, visible=0.2), SpatialOptions())
    assert not hidden.rows
    assert {reason for _, reason in hidden.not_asked} == {"hidden"}
    room = make_room(ROOM)
    nothing = ask_about(replace(room, objects=(), observations=()))
    assert "hidden" in (tell_silence(hidden.rows, hidden.not_asked) or "")
    assert tell_silence(nothing.rows, nothing.not_asked)
    assert tell_silence(ask_about(room).rows, Counter()) is None
    reasons = set()
    for scale in (Scale("relative", 1.0, 1.0, "none"), Scale("assumed", 1.0, 0.25, "height")):
        for visible, exact in ((0.2, True), (0.4, False), (1.0, True), (1.0, False)):
            room = make_room((*ROOM, *ROOM[:2]), kind=scale, visible=visible, eyes=((0, 0, 1.5), (0.1, 0, 1.5)))
            reasons |= {reason for _, reason in ask_about(room, SpatialOptions(), exact=exact).not_asked}
    assert len(reasons) > 8
    assert reasons <= set(REASONS)
