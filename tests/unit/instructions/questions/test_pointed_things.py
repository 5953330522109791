"""Things whose box is cut or overlapped, which a point on them stands for: in a made room, box by box."""

from __future__ import annotations

from dataclasses import replace

from instructions.asking.counts import NotAsked
from instructions.asking.gates import hide_marks
from instructions.asking.names import TELLS
from instructions.questions.core.records import Question
from instructions.questions.quality.explain import explain
from instructions.questions.registry import ALL_TYPES
from instructions.questions.writers import sets
from instructions.tour import Tour
from tests.support.cases import each_case
from tests.support.worlds.box_rooms import Block, Room, ask_about, make_room

POINT = (250.0, 330.0)
BLOCKS = (
    Block("chair", (4.0, 0.7, 0.45), (0.5, 0.5, 0.9)),
    Block("lamp", (5.5, -1.0, 0.9), (0.4, 0.4, 1.8)),
    Block("table", (3.0, -0.6, 0.4), (0.9, 0.9, 0.8)),
)


def make_unclear(point: tuple[float, float] | None = POINT, things: tuple[str, ...] = ("0_0",), **more) -> Room:
    """The room with boxes of some things that may show a part of them or something else too."""
    room = make_room(BLOCKS, **more)
    seen = [replace(one, is_clear=False, point_xy=point) if one.object in things else one for one in room.observations]
    return replace(room, observations=tuple(seen))


def _list_asked(row: Question) -> tuple[object, ...]:
    return row.type, row.given, tuple(one.object for one in row.references)


def about_chair(rows: tuple[Question, ...]) -> list[Question]:
    return [row for row in rows if any(one.object == "0_0" for one in row.references)]


def test_a_thing_in_an_unclear_box_is_asked_about_by_its_name_at_a_point():
    truths = {_list_asked(row): row.truth for row in ask_about(make_room(BLOCKS)).rows}
    rows = about_chair(ask_about(make_unclear()).rows)
    assert len({row.type for row in rows if _list_asked(row) in truths}) > 10
    for row in rows:
        (chair,) = (one for one in row.references if one.object == "0_0")
        assert chair.mark is not None
        assert (chair.mark.xy, chair.box_xyxy, chair.mask, chair.category) == (POINT, None, None, "chair")
        assert chair.name == f"the chair at mark {chair.mark.number}"
        assert chair.name in row.question.lower()
        assert truths.get(_list_asked(row), row.truth) == row.truth
        assert all(one.mark is None for one in row.references if one is not chair)
        assert any("the chair at mark 1 = 0_0 in frame 1 at (250, 330)" in line for line in explain(row))


def test_without_a_point_it_is_not_asked_about():
    assert about_chair(ask_about(make_unclear(None)).rows) == []


def test_nothing_that_rests_on_its_extent_is_asked_at_a_point():
    asked = ask_about(make_unclear())
    clear = {row.type for row in about_chair(ask_about(make_room(BLOCKS)).rows)}
    sized = {name for name, kind in ALL_TYPES.items() if kind.sized or kind.dimension in TELLS}
    assert clear & sized
    assert not {row.type for row in about_chair(asked.rows)} & sized
    assert any(reason == "box_unclear" for _, reason in asked.not_asked)


def test_a_view_that_shows_it_whole_is_better_than_one_that_can_only_point():
    """Two eyes: the second view has a clear box, so a set of both names the chair and draws nothing."""
    room = make_unclear(eyes=((0.0, 0.0, 1.5), (0.0, -0.6, 1.5)))
    seen = [replace(one, is_clear=one.is_clear or one.frame == 2) for one in room.observations]
    rows = sets.write_questions(Tour(room.scene, room.objects, seen, exact=True)).rows
    both = [row for row in about_chair(rows) if row.views == (1, 2)]
    assert both
    assert all(one.mark is None for row in both for one in row.references)


@each_case(("apart_px", "reason"), [(59.0, "marks_near"), (61.0, None)])
def test_two_points_are_an_eighth_of_the_shorter_side_apart(apart_px: float, reason: str | None):
    one, other, *_ = make_unclear(things=("0_0", "0_1")).views[0].pointed
    beside = replace(other, seen=replace(other.seen, point_xy=(POINT[0] + apart_px, POINT[1])))
    assert hide_marks([one, beside], (640, 480)) == reason


def test_what_has_no_sure_name_is_pointed_at_by_its_box():
    room = make_unclear()
    things = [replace(one, category=None) if one.id == "0_0" else one for one in room.objects]
    (view,) = Tour(room.scene, things, room.observations, exact=True).views(room.model)
    assert view.pointed == ()
    assert "0_0" in {one.id for one in view.things}


def test_counts_take_a_pointed_thing_for_one_in_view_where_no_detection_is_left_over():
    not_asked: NotAsked = sets.write_questions(make_unclear().tour).not_asked
    assert not any(reason == "set_incomplete" for _, reason in not_asked)
