"""Named things in the report: each once, on its best frame, with box, name and what else it may be."""

from dataclasses import replace

from instructions.records import Obb, Observation, SceneObject
from roomtour.drawing.thumbnails import Thumbnails
from roomtour.report.instructions import MAX_GALLERY, InstructionView, choose_gallery, draw_gallery

BOX = Obb((0.0, 0.0, 0.5), (0.5, 0.5, 0.5), ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)))


def thing(number: int, category: str | None) -> SceneObject:
    return SceneObject(f"0_{number}", "0", category, category or "red object", None, None, BOX, (), (1,), False, "made")


def seen(frame: int, number: int, score: float, visible: float = 1.0) -> Observation:
    return Observation(frame, f"0_{number}", (1.0, 1.0, 9.0, 9.0), visible, score, 2.0, ("left",), ("near",))


def view_of(objects: list[SceneObject], observations: list[Observation], tmp_path) -> InstructionView:
    return InstructionView(
        thumbnails=Thumbnails({}, tmp_path),
        time_s={1: 0.5, 2: 61.0},
        width_px={},
        number_of={one.id: number for number, one in enumerate(objects, start=1)},
        objects={one.id: one for one in objects},
        seen={(one.frame, one.object): one for one in observations},
    )


def test_each_named_thing_is_shown_where_it_is_seen_best_and_many_evenly(tmp_path):
    objects = [thing(0, "sofa"), thing(1, None), thing(2, "bed")]
    observations = [seen(1, 0, 0.9, 0.2), seen(2, 0, 0.6, 0.8), seen(1, 1, 1.0), seen(1, 2, 0.5), seen(2, 2, 0.5)]
    assert choose_gallery(objects, observations) == {"0_0": 2, "0_2": 1}
    assert choose_gallery([thing(1, None)], observations) == {}
    assert draw_gallery(objects, {}, view_of(objects, observations, tmp_path)) is None
    objects = [thing(number, "chair") for number in range(3 * MAX_GALLERY)]
    chosen = choose_gallery(objects, [seen(1, number, 0.5) for number in range(3 * MAX_GALLERY)])
    assert len(chosen) == MAX_GALLERY
    assert {"0_0", f"0_{3 * MAX_GALLERY - 1}"} <= set(chosen)


def test_a_picture_tells_name_support_and_what_else_it_may_be(tmp_path):
    table = replace(thing(0, "table"), support="floor")
    cup = replace(
        thing(1, "<b>"), support="thing", rests_on="0_0", categories=(("<b>", 0.7), ("bag", 0.27), ("x", 0.03))
    )
    objects, observations = [table, cup], [seen(1, 0, 0.9), seen(2, 1, 0.9)]
    page = str(draw_gallery(objects, choose_gallery(objects, observations), view_of(objects, observations, tmp_path)))
    assert page.count("<rect") >= 2
    assert "on the floor" in page
    assert "on the table" in page
    assert "&lt;b&gt; 70%, bag 27%<" in page
    assert "1:01" in page
