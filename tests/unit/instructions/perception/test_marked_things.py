"""A server that names marked things: which frames it sees, what of its replies counts, and how far that is believed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from instructions.asking.names import Naming, name_things
from instructions.describing.lines import name_thing
from instructions.language.model import Message, NoReply, Reply, ServerUnusable
from instructions.language.open_questions import OpenQuestions
from instructions.language.options import LanguageOptions
from instructions.language.pictures import PictureFiles
from instructions.language.requests import Request
from instructions.perception.marked.choose import choose_views
from instructions.perception.marked.server import (
    MarkedRequest,
    NamedPictures,
    Vote,
    Witness,
    ask_server,
    make_requests,
    read_votes,
)
from instructions.perception.marked.weigh import add_server_names, tag_rooms, weigh_votes
from instructions.perception.models.light.labels import is_same_kind
from instructions.perception.rooms.bayes import UNKNOWN, Sighting, weigh_rooms
from instructions.perception.rooms.priors import word_of_tag
from instructions.perception.scene_things import Perceived
from instructions.records import SceneObject
from instructions.view import SeenThing
from recon.pictures import write_picture_file
from tests.support.cases import each_case
from tests.support.doubles.scripted_model import ScriptedModel
from tests.support.worlds import made_view
from tests.support.worlds.boxworld import make_world, paint, true_objects

WORLD = make_world()
OBJECTS, OBSERVATIONS = true_objects(WORLD)
VIEWS = choose_views(WORLD.scene, OBJECTS, OBSERVATIONS)
LANGUAGE = LanguageOptions(model="seer", concurrency=1)
MARKS = {1: {1: "a", 2: "b"}, 2: {3: "a"}}


def test_every_large_thing_is_marked_and_no_view_is_like_another():
    shown = Counter(thing for view in VIEWS for thing, _ in view.boxes)
    assert shown.keys() == {thing.id for thing in OBJECTS}
    assert max(shown.values()) <= 3
    for thing in OBJECTS:
        spots = [
            WORLD.model.world_from_cam[view.frame].center
            for view in VIEWS
            if thing.id in {name for name, _ in view.boxes}
        ]
        apart = [float(np.linalg.norm(a - b)) for a in spots for b in spots if a is not b]
        nearest = min(float(np.linalg.norm(spot - np.array(thing.obb.center))) for spot in spots)
        assert all(distance >= 0.25 * nearest for distance in apart)


def test_small_things_and_glimpses_are_not_asked_about():
    small = [replace(one, obb=replace(one.obb, half_extents=(0.15, 0.15, 0.15))) for one in OBJECTS]
    assert choose_views(WORLD.scene, small, OBSERVATIONS) == []
    glimpses = [replace(one, visible_fraction=0.2) for one in OBSERVATIONS]
    assert choose_views(WORLD.scene, OBJECTS, glimpses) == []


@pytest.fixture
def asked(tmp_path: Path) -> tuple[list[MarkedRequest], PictureFiles]:
    for view in VIEWS:
        write_picture_file(tmp_path / WORLD.scene.frame_by_index[view.frame].image, paint(WORLD, view.frame)[..., ::-1])
    (tmp_path / "drawn").mkdir()
    pictures = PictureFiles()
    return make_requests(WORLD.scene, VIEWS, tmp_path, tmp_path / "drawn", pictures), pictures


def test_each_mark_has_a_number_of_its_own_and_pictures_come_four_at_a_time(asked):
    requests, pictures = asked
    assert [len(one.marks) for one in requests] == [4, len(VIEWS) - 4]
    assert [frame for one in requests for frame in one.frames.values()] == [view.frame for view in VIEWS]
    for one in requests:
        numbers = [number for own in one.marks.values() for number in own]
        assert numbers == list(range(1, len(numbers) + 1))
        _, said = one.request.messages
        assert said.content.splitlines() == [f"Picture {n}: {', '.join(map(str, own))}" for n, own in one.marks.items()]
        assert all(pictures.read(digest) for digest in said.pictures)
        assert len(said.pictures) == len(one.marks)


def item(number: int, category: str = "chair", **more: object) -> dict[str, object]:
    return {"number": number, "category": category, "color": "red", "sure": True, **more}


def picture(place: int, *things: dict[str, object], room: str = "unknown") -> dict[str, object]:
    return {"picture": place, "room": room, "things": list(things)}


@each_case(
    "pictures, votes, odd",
    [
        ([picture(1, item(1), item(2)), picture(2, item(3))], "a:chair b:chair a:chair", 0),
        ([picture(1, item(1)), picture(2)], "a:chair", 2),
        ([picture(1, item(1), item(2)), picture(2, item(3), item(9))], "a:chair b:chair a:chair", 1),
        ([picture(1, item(1)), picture(2, item(2), item(3))], "a:chair a:chair", 2),  # 2 belongs to the other one
        ([picture(1, item(1), item(1, "bed"), item(2)), picture(2, item(3))], "a:chair b:chair a:chair", 1),
        ([picture(7, item(1), item(2), item(3))], "", 6),
        ([picture(1, item(1, "A red Couch"), item(2, "unknown")), picture(2, item(3, "tables"))], "a:sofa a:table", 0),
        ([picture(1, item(1, "kitchen"), item(2, "woman")), picture(2, item(3, "<b>!</b>" * 30))], "", 3),
    ],
)
def test_what_is_odd_in_a_reply_is_counted_and_costs_that_item_alone(pictures: list, votes: str, odd: int):
    reply = NamedPictures.model_validate({"pictures": pictures})
    counted: Counter[str] = Counter()
    request = Request("r", (), NamedPictures)
    read = list(read_votes(MarkedRequest(request, MARKS, {1: 11, 2: 22}), reply, counted))
    assert " ".join(f"{thing}:{vote.word}" for thing, vote in read) == votes
    assert counted.total() == odd
    assert all(vote.frame in (11, 22) and vote.color == "red" for _, vote in read)


def name_all(word: str) -> Callable[[tuple[Message, ...]], object]:
    def answer(messages: tuple[Message, ...]) -> object:
        lines = [line.removeprefix("Picture ").split(": ") for line in messages[1].content.splitlines()]
        shown = [picture(int(n), *(item(int(one), word) for one in own.split(", "))) for n, own in lines]
        return {"pictures": shown}

    return answer


def ask(asked, folder: Path, model: object) -> Witness:
    requests, pictures = asked
    return ask_server(requests, pictures, folder, LANGUAGE, "tour", connect=lambda _: model)  # type: ignore[arg-type]


def test_a_server_that_fails_or_talks_nonsense_takes_nothing_from_what_is_known(asked, tmp_path: Path):
    class Away:
        def __init__(self, error: Exception) -> None:
            self.error = error

        def ask(self, *args: object, **named: object) -> Reply:
            raise self.error

    for model in (Away(ServerUnusable("no such model")), Away(NoReply("the server answers 429")), ScriptedModel(str)):
        witness = ask(asked, tmp_path / "none", model)
        assert witness.votes == {}
        assert witness.open.count == witness.open.asked == 2
    half = iter([name_all("bed"), lambda _: "no"])
    first = ask(asked, tmp_path / "half", ScriptedModel(lambda said: next(half, lambda _: "no")(said)))
    assert first.open.reasons == Counter(schema=1)
    again = ask(asked, tmp_path / "half", Away(NoReply("no reply within 1 s")))
    assert again.votes == first.votes != {}
    assert again.open.reasons == Counter(no_reply=1)
    assert "no reply" in again.open.tell(LANGUAGE)


def vote(word: str = "radiator", frame: int = 0, color: str | None = None, *, sure: bool = True) -> Vote:
    return Vote(frame or VIEWS[0].frame, word, color, sure)


def landmark() -> SceneObject:
    """A thing without a name, seen from several sides."""
    return OBJECTS[1]


def sides() -> list[int]:
    seen = {one.frame for one in OBSERVATIONS if one.object == landmark().id}
    return [min(seen), sorted(seen)[len(seen) // 2], max(seen)]


def sofa(probability: float) -> SceneObject:
    told = (("sofa", probability), ("bed", (1 - probability) / 2))
    clues = (("share", 0.8), ("views", 0.7))
    return replace(landmark(), category="sofa", alias="sofa", color="red", categories=told, clues=clues)


def odds_of(thing: SceneObject, *votes: Vote, sayable: frozenset[str] = frozenset()) -> dict[str, float]:
    return dict(weigh_votes(thing, votes, WORLD.model, sayable, "seer").categories)


def test_agreement_makes_a_name_surer_and_contradiction_less_sure():
    for probability in (0.3, 0.6, 0.9):
        before = dict(sofa(probability).categories)["sofa"]
        for_it = [odds_of(sofa(probability), *[vote("couch")] * count)["sofa"] for count in (1, 2, 3)]
        against = [odds_of(sofa(probability), *[vote("bed")] * count)["sofa"] for count in (1, 2, 3)]
        assert [before, *for_it] == sorted([before, *for_it])
        assert [before, *against] == sorted([before, *against], reverse=True)
        assert odds_of(sofa(probability), vote("sofa", sure=False))["sofa"] < for_it[0]
    assert sum(odds_of(sofa(0.9), *[vote("desk")] * 3).values()) <= 1.0 + 1e-9


def test_one_reply_is_never_the_whole_truth_and_agreement_from_several_sides_is_enough():
    found = Perceived((landmark(),), ())

    def name(*votes: Vote, looked: bool = False) -> str | None:
        witness = Witness({landmark().id: votes}, {}, "seer", OpenQuestions())
        (thing,) = add_server_names(found, WORLD.scene, witness, networks_looked=looked).objects
        return thing.category

    three = [vote(frame=frame) for frame in sides()]
    assert name(three[0]) is None
    assert name(*three) == "radiator"
    assert name(*three[:2], vote("plant", sides()[2])) is None
    assert name(*three, looked=True) == "radiator", "no network knows radiators"
    beds = [replace(one, word="bed") for one in three]
    assert name(*beds, looked=True) is None, "networks know beds, and saw none"
    assert name(*[replace(one, word="wall") for one in three]) is None


def test_colors_are_those_that_measure_and_server_do_not_dispute():
    def color(measured: str | None, *said: str) -> str | None:
        thing = replace(sofa(0.6), color=measured)
        return weigh_votes(thing, [vote("sofa", color=one) for one in said], WORLD.model, frozenset(), "s").color

    assert color("black", "white") == "black"
    assert color("black", "white", "white") is None
    assert color("dark gray", "black", "black") == "dark gray"
    assert color(None, "white", "white") == "white"
    assert color(None, "white", "red") is None


@each_case(
    "one, other, same",
    [
        ("sofa", "couch", True),
        ("glass coffee table", "desk", True),
        ("wardrobe", "cabinet", True),
        ("office chair", "armchair", True),
        ("bed", "sofa", False),
        ("radiator", "radiator", True),
        ("radiator", "heater", False),
    ],
)
def test_words_for_one_kind_of_thing(one: str, other: str, same: bool):
    assert is_same_kind(one, other) is is_same_kind(other, one) is same


def test_a_room_that_is_seen_speaks_for_that_room_and_never_names_one_alone():
    (tag,) = tag_rooms(Witness({}, {3: "kitchen"}, "seer", OpenQuestions()))[3]
    word = word_of_tag(tag.text)
    bare = {"sink": Sighting(1, 0.9)}
    with_it = weigh_rooms(bare | {word: Sighting(1, 0.5)}, 1.0, {})
    without = weigh_rooms(bare, 1.0, {})
    assert with_it["kitchen"] > without["kitchen"]
    assert with_it[UNKNOWN] < without[UNKNOWN]
    assert "kitchen" not in weigh_rooms({word: Sighting(1, 0.5)}, 0.0, {})


def test_captions_of_a_server_stay_with_the_thing_and_alike_ones_make_names_ambiguous():
    """SpatialVLM: likeness of captions decides whether words for one thing may be meant for another."""

    def told(name: str, category: str, at: tuple[float, float, float], caption: str) -> SeenThing:
        votes = [Vote(1, category, None, True, caption)]
        made = made_view.thing(name, at, (0.3, 0.3, 0.3), category=category)
        return made_view.change(made, captions=weigh_votes(landmark(), votes, WORLD.model, frozenset(), "s").captions)

    laptop = told("a", "laptop", (3.0, 1.0, 1.0), "silver laptop on a desk")
    for caption, is_alone in (("silver laptop", False), ("red book on a shelf", True)):
        other = told("b", "book", (3.0, -1.0, 1.0), caption)
        shown = made_view.view(laptop, other)
        assert (Naming("laptop") in tuple(name_things(shown, laptop, "height"))) == is_alone
        assert (name_thing(shown, laptop) is not None) == is_alone
