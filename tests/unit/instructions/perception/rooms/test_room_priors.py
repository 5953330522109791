"""The table of rooms, and Bayes' rule over it."""

import pytest

from instructions.perception.rooms.bayes import UNKNOWN, Sighting, weigh_rooms
from instructions.perception.rooms.priors import room_priors
from instructions.perception.rooms.site import PlaceForm

KITCHEN = ("refrigerator", "stove", "sink", "cabinet", "table", "chair")
BEDROOM = ("bed", "nightstand", "wardrobe")


def weigh(*words, things=None, forms=None, weight=1.0, witnesses=0):
    seen = {word: Sighting(words.count(word), weight) for word in words}
    count = len(words) if things is None else things
    return weigh_rooms(seen, count, forms or {}, witnesses=witnesses)


def test_the_table_is_whole():
    names = [prior.name for prior in room_priors()]
    assert len(set(names)) == len(names)
    assert UNKNOWN not in names
    forms = {*PlaceForm(10.0, 2.0, 1.0, 3).forms}
    for prior in room_priors():
        assert prior.named_by <= {*prior.share, *forms}, prior.name
        assert all(0.0 < share < 1.0 for share in prior.share.values())


def test_probabilities_add_up_and_things_name_their_room():
    for words, room in ((KITCHEN, "kitchen"), (BEDROOM, "bedroom"), (("toilet", "washbasin"), "bathroom")):
        found = weigh(*words)
        assert sum(found.values()) == pytest.approx(1.0)
        assert max(found, key=lambda name: found[name]) == room
        assert found[room] > 0.8


def test_without_a_thing_that_names_it_nothing_is_called_so():
    assert weigh() == {UNKNOWN: 1.0}
    assert weigh("chair", "table", "cabinet") == {UNKNOWN: 1.0}
    assert "kitchen" not in weigh("chair", "table", "cabinet")
    assert weigh("bed", weight=0.4) == {UNKNOWN: 1.0}, "a tag, or far off on an open floor"


def test_one_name_means_less_among_many_things():
    few, many = weigh("toilet", things=2), weigh("toilet", things=30)
    assert few["bathroom"] > many["bathroom"]
    twice = weigh("toilet", "toilet", things=30)
    assert twice["bathroom"] > many["bathroom"], "two are no mistake"


def test_what_speaks_against_a_room_counts():
    assert weigh("bed")["bedroom"] > weigh("bed", "refrigerator", "stove").get("bedroom", 0.0)


def test_a_hallway_is_known_by_its_form():
    hall = PlaceForm(16.0, 1.7, 0.9, 4).forms
    assert weigh("picture", "cabinet", forms=hall)["hallway"] > 0.9
    closet = PlaceForm(2.7, 0.9, 0.9, 1).forms
    assert weigh("cabinet", forms=closet) == {UNKNOWN: 1.0}, "narrow, but no way anywhere"
    assert PlaceForm(16.0, 1.7, 0.3, 4).forms == {}, "its walls were not seen"
    assert PlaceForm(60.0, 5.0, 0.9, 1).forms == {}, "open plan"
    tight = weigh("sofa", "table", forms=PlaceForm(8.0, 2.5, 0.9, 1).forms)
    assert tight["living room"] < weigh("sofa", "table", forms=PlaceForm(20.0, 3.5, 0.9, 1).forms)["living room"]
