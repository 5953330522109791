from dataclasses import replace

import pytest

from instructions.records import SpatialLine
from instructions.regions.records import MentionedRegion, Qar
from roomtour.drawing.pages import render
from roomtour.run import Run
from roomtour.view.card import MOST_ROWS, draw_card
from roomtour.view.tour import load_tour
from tests.support.runs.made_tour import make_run
from tests.support.runs.read_page import EVIL, Elements
from tests.support.runs.run_folder import write_run


def load(folder, text="", **options):
    (folder / "frames").mkdir()
    data = make_run(folder / "frames", text=text, pictures=False, **options)
    lines = tuple(SpatialLine(frame.index, f"room{text}", f"a line{text}") for frame in data.scene.frames)
    return load_tour(Run(write_run(folder, replace(data, spatial_lines=lines))), 500)


def busiest(tour):
    return tour.frames[max(tour.seen, key=lambda frame: len(tour.seen[frame]))]


def test_a_card_shows_boxes_sides_ranges_line_room_and_instruction(tmp_path):
    tour = load(tmp_path)
    frame = busiest(tour)
    page = Elements(draw_card(tour, frame, tour.models[0], b"\xff\xd8jpeg"))
    assert sum(attributes.get("class") == "box" for _, attributes in page.tags) == len(tour.seen[frame.index])
    assert sum(attributes.get("class") == "side-line" for _, attributes in page.tags) == 2
    for found in tour.seen[frame.index]:
        assert tour.objects[found.object].alias in page.text
        assert all(word in page.text for word in (*found.sides, *found.ranges))
    assert "a line" in page.text
    assert "room" in page.text
    assert tour.instructions_at(frame.index, "0")[0].text in page.text
    assert any(name == "image" and (a["href"] or "").startswith("data:image/jpeg") for name, a in page.tags)


@pytest.mark.parametrize(("status", "shown"), [("assumed", " m (assumed)"), ("metric", " m"), ("relative", None)])
def test_distances_are_metres_only_where_there_are_metres(tmp_path, status, shown):
    tour = load(tmp_path, status=status)
    text = Elements(draw_card(tour, busiest(tour), tour.models[0], None)).text
    assert (" m" in text.replace(" middle", "")) == (shown is not None)
    if shown:
        assert shown in text


def test_texts_of_a_run_stay_text(tmp_path):
    tour = load(tmp_path, text=EVIL)
    tour = replace(tour, notices=(EVIL,))
    page = Elements(
        str(draw_card(tour, busiest(tour), tour.models[0], None)) + str(render("view/notices.html", tour=tour))
    )
    assert {name for name, _ in page.tags}.isdisjoint({"script", "img"})
    assert not any(name.startswith("on") for _, attributes in page.tags for name in attributes)
    assert page.text.count("<script>") >= 4  # the room, the line, the object, the instruction


def ask(tour, name, view, number, text="What is"):
    """A kept row about a thing that one view numbers so."""
    return Qar(
        id=f"q{view}{number}", tour=tour.name, model="0", views=(view,), scale_status="metric", perception="made",
        writer="embedded", seed=0, accepted=True, view=f"v{view}", mode="id", type="Scene", task="side",
        question=f"{text} [{number}]?", answer=f"It is [{number}].", rationale="So [99] says.",
        mentioned=(number,), regions=(MentionedRegion(number, name, (0.0, 0.0, 9.0, 9.0)),), verdicts=(),
        checked_share=None, round=0, difficulty=0.0, solution=None,
    )  # fmt: skip


def test_a_thing_shows_its_questions_of_all_views_under_its_own_number(tmp_path):
    tour = load(tmp_path)
    frame = busiest(tour)
    name = tour.seen[frame.index][0].object
    own = tour.number_of[name]
    rows = tuple(ask(tour, name, view, view + 20, EVIL) for view in range(1, 10))
    tour = replace(tour, region_rows={name: rows})
    page = Elements(draw_card(tour, frame, tour.models[0], None))
    assert page.text.count(f"It is [{own}].") == MOST_ROWS
    assert f"{len(rows)} questions about {tour.objects[name].alias}" in " ".join(page.text.split())
    assert f"{len(rows) - MOST_ROWS} more stand in the run's rows of region knowledge." in page.text
    assert "[99]" in page.text  # names nothing of the view, so it stays as it is
    assert "[21]" not in page.text
    assert "frame 1, by embedded" in page.text
    assert {tag for tag, _ in page.tags}.isdisjoint({"script", "img"})
    other = next(
        one for one in tour.frames.values() if name not in {seen.object for seen in tour.seen.get(one.index, ())}
    )
    assert "It is [" not in Elements(draw_card(tour, other, tour.models[0], None)).text
