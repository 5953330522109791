"""Planted false claims and texts that do not tell their claims are caught; what our own grammar says holds."""

import re
from collections.abc import Iterator

import pytest

from instructions.asking.draws import Draw
from instructions.claims.stated import PlaceClaims, StatedClaim
from instructions.dialogues.clouds.claim_places import place_view
from instructions.dialogues.options import DialogueOptions
from instructions.dialogues.talk_view import TalkView
from instructions.dialogues.talks.facts_talk import _MAKERS, Said, Talk, say_what
from instructions.dialogues.tour import TalkTour
from tests.support.planted import Case, count_caught, list_faults

UNCLAIMED = ("arm", "seated", "area")
"""Turns of our grammar that say what no claim states: what an arm reaches, what one sees over when seated, and where
things are that no phrase means alone."""


def list_claims(said: Said, numbers: dict[str, int], view: TalkView) -> Iterator[StatedClaim]:
    """What a turn of our grammar says."""
    told: set[str] = set()
    for one in said.evidence:
        word, *_ = one.name.split()
        if word == "visible":
            name = next(thing.name for thing in view.told if thing.id == one.objects[0])
            if name not in told:
                yield StatedClaim(says="visible", thing=numbers[one.objects[0]])
            told.add(name)
        elif word == "side":
            yield StatedClaim(says="side", thing=numbers[one.objects[0]], value=one.words.split()[-1])
        elif word == "count":
            yield StatedClaim(says="count", thing=numbers[one.objects[0]], value=one.value)
        else:
            relation = re.sub(r"^\S+ | \S+$", "", one.name).replace(" than", "")
            a, b = (numbers[name] for name in one.objects)
            yield StatedClaim.model_validate({"says": relation, "thing": a, "other": b})


@pytest.fixture(scope="module")
def own(tour: TalkTour) -> list[tuple[PlaceClaims, Case]]:
    """Turns of our own grammar about the views of the apartment, with their claims."""
    found: list[tuple[PlaceClaims, Case]] = []
    options = DialogueOptions(medium="view")
    for view in [one for model in tour.scene.models for one in tour.find_views(model, options)]:
        claims = PlaceClaims(place_view(view))
        numbers = {one.id: number for number, one in enumerate(view.told)}
        what = say_what(view)
        said = [*([what] if what else []), *(one for maker in _MAKERS for one in maker(view))]
        for number, one in enumerate(one for one in said if one.topic not in UNCLAIMED):
            talk = Talk()
            talk.put(one, Draw(0, "planted", view.frame, number))
            stated = tuple(list_claims(one, numbers, view))
            found.append((claims, Case(talk.turns[0].question, talk.turns[0].answer, stated)))
    return found


def test_own_turns_hold(own: list[tuple[PlaceClaims, Case]]):
    assert len(own) > 300
    assert list_faults(own) == []


def test_what_is_planted_is_caught(own: list[tuple[PlaceClaims, Case]]):
    planted, missed = count_caught(own)
    assert len(planted) >= 20
    assert len(missed) <= 0.02 * planted.total(), missed[:10]
