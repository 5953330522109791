"""What may be told of a view: nothing is counted or denied that a known thing ahead puts in doubt."""

from dataclasses import replace

from instructions.dialogues.options import TalkGates
from instructions.dialogues.talk_view import tell_view
from instructions.records import Detection
from instructions.tour import Tour
from tests.support.worlds.box_rooms import Block, make_room

FRIDGE = Block("refrigerator", (4.0, 0.0, 0.4), (1.0, 0.8, 0.8))
LOOKED = frozenset({"bed", "refrigerator"})


def tell(blocks: tuple[Block, ...], unseen: frozenset[str]):
    """The first view, where some things were observed by no frame."""
    room = make_room(blocks)
    model = room.scene.models[0]
    names = {one.id: one.category for one in room.objects}
    seen = [one for one in room.observations if names[one.object] not in unseen or one.object == room.objects[0].id]
    tour = Tour(room.scene, room.objects, seen, looked_for=LOOKED)
    return tell_view(tour.views(model)[0], TalkGates(min_views=1))


def test_a_kind_alone_in_view_is_counted():
    things = tell((FRIDGE,), frozenset())
    assert things.is_absent("bed")
    counted = things.count("refrigerator")
    assert counted is not None
    assert len(counted) == 1
    assert things.perhaps == frozenset()


def test_a_known_thing_ahead_that_no_detector_saw_is_neither_counted_nor_denied():
    things = tell((FRIDGE, Block("refrigerator", (5.0, 3.8, 0.4), (1.0, 0.8, 0.8))), frozenset({"refrigerator"}))
    assert "refrigerator" in things.perhaps
    assert things.count("refrigerator") is None
    things = tell((FRIDGE, Block("bed", (5.0, 3.8, 0.4), (1.0, 0.8, 0.8))), frozenset({"bed"}))
    assert not things.is_absent("bed")


def test_a_thing_behind_the_viewer_changes_nothing():
    things = tell((FRIDGE, Block("bed", (-5.0, 0.0, 0.4), (1.0, 0.8, 0.8))), frozenset({"bed"}))
    assert things.is_absent("bed")


def test_a_kind_with_detections_that_are_no_thing_is_not_counted_in_a_scene():
    room = make_room((FRIDGE,))
    box = (10.0, 10.0, 60.0, 60.0)
    strays = [Detection(1, "table", 0.6, box, (), (), None) for _ in range(3)]
    assert Tour(room.scene, room.objects, room.observations, strays).stray_kinds == {"table"}
    assert Tour(room.scene, room.objects, room.observations, strays[:2]).stray_kinds == frozenset()


def test_detections_of_a_thing_whose_name_is_not_sure_are_known():
    """As fewer names became sure, a kind of which one thing may be was denied in no view of the tour."""
    room = make_room((FRIDGE,))
    for word, strays in (("refrigerator", set()), ("cabinet", {"refrigerator"})):
        unsure = [replace(one, category=None, categories=((word, 0.6),)) for one in room.objects]
        found = [Detection(seen.frame, "refrigerator", 0.6, seen.box_xyxy, (), (), None) for seen in room.observations]
        assert Tour(room.scene, unsure, room.observations, found * 3).stray_kinds == strays


def test_what_a_thing_in_view_may_be_is_not_denied_and_only_boxes_hide_what_is_taken_for_them():
    room = make_room((FRIDGE,))
    unsure = [replace(one, category=None, categories=(("refrigerator", 0.6), ("bed", 0.2))) for one in room.objects]
    (view,) = Tour(room.scene, unsure, room.observations, looked_for=LOOKED).views(room.model)
    assert view.judge_absence("bed").state is None
    (view,) = Tour(room.scene, room.objects, room.observations, looked_for=LOOKED).views(room.model)
    assert view.judge_absence("bed").state is True
    assert replace(view, strays=frozenset({"sofa"})).judge_absence("bed").state is True
    assert replace(view, nearby_kinds={"sofa": 1}).judge_absence("bed").state is None


def test_a_kind_that_was_detected_where_no_known_thing_is_is_not_denied():
    """A sink that ten frames called so became no object: views of its kitchen were said to show none."""
    room = make_room((FRIDGE,))
    (view,) = Tour(room.scene, room.objects, room.observations, looked_for=LOOKED).views(room.model)
    for strays, is_absent in ((frozenset(), True), (frozenset({"bed"}), False), (frozenset({"sink"}), True)):
        things = tell_view(replace(view, strays=strays), TalkGates(min_views=1))
        assert things.is_absent("bed") is is_absent


def test_a_part_of_a_thing_is_not_a_second_one():
    whole = Block("refrigerator", (4.0, 0.0, 0.4), (1.0, 0.8, 0.8))
    for part, told in (
        (Block("refrigerator", (4.0, 0.3, 0.4), (0.9, 0.3, 0.4)), 1),  # five sixths of it lie in the other
        (Block("refrigerator", (4.0, 1.0, 0.4), (0.9, 0.5, 0.7)), 2),
    ):
        things = tell((whole, part), frozenset())
        assert sum(one.kind == "refrigerator" for one in things.told) == told
        counted = things.count("refrigerator")
        assert (counted is None) if told == 1 else (counted is not None and len(counted) == 2)


def test_a_thing_that_no_such_thing_is_as_deep_as_has_no_name():
    """A tiled wall with all that stands before it was called a shelf in every frame."""
    for depth, is_named in ((0.5, True), (1.2, False)):
        things = tell((Block("shelf", (5.0, 0.0, 0.9), (depth, 2.9, 1.8)),), frozenset())
        assert [one.name for one in things.told] == (["shelf"] if is_named else [])
        assert not things.is_absent("shelf")


def test_a_near_thing_whose_end_may_show_at_the_edge_is_not_denied():
    """A curtain beside the camera: its middle lies 70 degrees aside, its far end in the picture."""
    for side, is_absent in ((1.5, False), (6.0, True)):
        beside = Block("bed", (side / 3, side, 0.4), (2.5, 0.6, 0.8))
        things = tell((FRIDGE, beside), frozenset({"bed"}))
        assert things.is_absent("bed") is is_absent
