"""What may be told of a view: nothing is counted or denied that a known thing ahead puts in doubt."""

from __future__ import annotations

from instructions.dialogues.options import TalkGates
from instructions.dialogues.tour import TourFacts
from instructions.dialogues.view_things import find_view_things
from instructions.facts.things import know_things
from instructions.records import Detection
from tests.support.worlds.box_rooms import Block, make_room

TABLE = Block("table", (4.0, 0.0, 0.4), (1.0, 0.8, 0.8))
LOOKED = {"table", "bed", "piano"}


def tell(blocks: tuple[Block, ...], unseen: frozenset[str]):
    """The first view, where some things were observed by no frame."""
    room = make_room(blocks)
    model = room.scene.models[0]
    names = {one.id: one.category for one in room.objects}
    seen = [one for one in room.observations if names[one.object] not in unseen or one.object == room.objects[0].id]
    known, _ = know_things(model, room.objects, room.observations)
    view = next(question_views(model, known, seen))
    return find_view_things(view, LOOKED, {"table": 1}, TalkGates(min_views=1), known), view


def test_a_kind_alone_in_view_is_counted():
    things, _ = tell((TABLE,), frozenset())
    assert things.is_absent("bed")
    counted = things.count("table")
    assert counted is None or len(counted) == 1
    assert things.perhaps == frozenset()


def test_a_known_thing_ahead_that_no_detector_saw_is_neither_counted_nor_denied():
    things, _ = tell((TABLE, Block("table", (5.0, 3.8, 0.4), (1.0, 0.8, 0.8))), frozenset({"table"}))
    assert "table" in things.perhaps
    assert things.count("table") is None
    things, _ = tell((TABLE, Block("bed", (5.0, 3.8, 0.4), (1.0, 0.8, 0.8))), frozenset({"bed"}))
    assert not things.is_absent("bed")


def test_a_thing_behind_the_viewer_changes_nothing():
    things, _ = tell((TABLE, Block("bed", (-5.0, 0.0, 0.4), (1.0, 0.8, 0.8))), frozenset({"bed"}))
    assert things.is_absent("bed")


def test_a_kind_with_detections_that_are_no_thing_is_not_counted_in_a_scene():
    room = make_room((TABLE,))
    box = (10.0, 10.0, 60.0, 60.0)
    strays = [Detection(1, "table", 0.6, box, (), (), None) for _ in range(3)]
    assert TourFacts(room.scene, room.objects, room.observations, strays)._stray_kinds == {"table"}
    assert TourFacts(room.scene, room.objects, room.observations, strays[:2])._stray_kinds == frozenset()


def test_a_kind_that_was_detected_where_no_known_thing_is_is_not_denied():
    """A sink that ten frames called so became no object: views of its kitchen were said to show none."""
    room = make_room((TABLE,))
    model = room.scene.models[0]
    known, _ = know_things(model, room.objects, room.observations)
    view = next(question_views(model, known, room.observations))
    for strays, is_absent in ((frozenset(), True), (frozenset({"bed"}), False), (frozenset({"sink"}), True)):
        things = find_view_things(view, LOOKED, {}, TalkGates(min_views=1), known, strays=strays)
        assert things.is_absent("bed") is is_absent


def test_a_part_of_a_thing_is_not_a_second_one():
    whole = Block("piano", (4.0, 0.0, 0.4), (1.0, 0.8, 0.8))
    for part, told in (
        (Block("piano", (4.0, 0.3, 0.4), (0.9, 0.3, 0.4)), 1),  # five sixths of it lie in the other
        (Block("piano", (4.0, 1.0, 0.4), (0.9, 0.5, 0.7)), 2),
    ):
        things, _ = tell((whole, part), frozenset())
        assert sum(one.kind == "piano" for one in things.things) == told
        counted = things.count("piano")
        assert (counted is None) if told == 1 else (counted is not None and len(counted) == 2)


def test_a_thing_that_no_such_thing_is_as_deep_as_has_no_name():
    """A tiled wall with all that stands before it was called a shelf in every frame."""
    for depth, is_named in ((0.5, True), (1.2, False)):
        things, _ = tell((Block("shelf", (5.0, 0.0, 0.9), (depth, 2.9, 1.8)),), frozenset())
        assert [one.name for one in things.things] == (["shelf"] if is_named else [])
        assert not things.is_absent("shelf")


def test_a_near_thing_whose_end_may_show_at_the_edge_is_not_denied():
    """A curtain beside the camera: its middle lies 70 degrees aside, its far end in the picture."""
    for side, is_absent in ((1.5, False), (6.0, True)):
        beside = Block("bed", (side / 3, side, 0.4), (2.5, 0.6, 0.8))
        things, _ = tell((TABLE, beside), frozenset({"bed"}))
        assert things.is_absent("bed") is is_absent
