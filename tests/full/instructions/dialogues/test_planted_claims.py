"""Planted false claims and texts that do not tell their claims are caught; what our own grammar says holds."""

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace

import pytest

from instructions.asking.draws import Draw
from instructions.claims.stated import PlaceClaims, StatedClaim
from instructions.dialogues.clouds.claim_places import place_view
from instructions.dialogues.options import DialogueOptions
from instructions.dialogues.talk_view import TalkView
from instructions.dialogues.talks.facts_talk import _MAKERS, Said, Talk, say_what
from instructions.dialogues.tour import TalkTour
from instructions.wording.english import NUMBER_WORDS

OPPOSITE = {"left": "right", "right": "left", "nearer": "farther", "closer": "farther", "taller": "shorter"}
ORDERED = ("nearer", "taller", "left of", "right of", "on")
UNCLAIMED = ("arm", "seated", "area")
"""Turns of our grammar that say what no claim states: what an arm reaches, what one sees over when seated, and where
things are that no phrase means alone."""


@dataclass(frozen=True)
class Case:
    """One text with its claims."""

    question: str
    answer: str
    claims: tuple[StatedClaim, ...]


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


def plant(case: Case, claims: PlaceClaims) -> Iterator[tuple[str, Case]]:
    """The case with one thing wrong, by kind."""
    things = claims.place.things
    first = case.claims[0]
    words = re.findall(r"[a-z]+", case.answer.lower())

    def say(**changes: object) -> tuple[StatedClaim, ...]:
        return (first.model_copy(update=changes), *case.claims[1:])

    def swap(text: str, one: str, other: str) -> str:
        return re.sub(rf"\b({one}|{other})\b", lambda found: other if found[1] == one else one, text)

    turned = next((word for word in words if word in OPPOSITE), None)
    if first.says in ORDERED:
        back = say(thing=first.other, other=first.thing)
        a, b = (things[number].phrase or "" for number in (first.thing or 0, first.other or 0))
        asked, told = swap(case.question, a, b), swap(case.answer, a, b)
        yield f"{first.says} of the other, claimed and told", Case(asked, told, back)
        yield "the other order claimed", replace(case, claims=back)
        if told != case.answer and asked != case.question:
            yield "the other order told", replace(case, answer=told)
    if turned is not None and first.says in ("side", "left of", "right of") and words.count(turned) == 1:
        other = re.sub(rf"\b{turned}\b", OPPOSITE[turned], case.answer)
        yield "another side told", replace(case, answer=other)
        if first.says == "side":
            yield "another side, claimed and told", Case(case.question, other, say(value=OPPOSITE[turned]))
        else:
            changed = say(says=first.says.replace(turned, OPPOSITE[turned]))
            yield "another relation, claimed and told", Case(case.question, other, changed)
    if first.says == "count":
        count = int(float(first.value or 0))
        more = next((word for word in words if word in NUMBER_WORDS[1:]), "")
        other = re.sub(rf"\b{more}\b", NUMBER_WORDS[count + 1], case.answer)
        yield "another number, claimed and told", Case(case.question, other, say(value=count + 1.0))
        yield "another number claimed", replace(case, claims=say(value=count + 1.0))
        if count != 1:
            yield "another number told", replace(case, answer=re.sub(rf"\b{more}\b", NUMBER_WORDS[count + 1], other))
    if first.says == "visible":
        yield "what is seen is denied", replace(case, claims=say(denied=True))
        yield "things in another order", replace(case, claims=case.claims[::-1])
        yield "one thing not claimed", replace(case, claims=case.claims[1:])
    unnamed = [one for one in things if one.phrase and one.kind not in f"{case.question} {case.answer}".lower()]
    if unnamed:
        more = StatedClaim(says="visible", thing=things.index(unnamed[0]))
        yield "a claim that is not told", replace(case, claims=(*case.claims, more))
        yield "a thing that is not claimed", replace(case, answer=f"{case.answer} There is a {unnamed[0].kind}.")
    yield "no claims", replace(case, claims=())
    yield "denied in words", replace(case, answer=f"No, that is not so. {case.answer}")
    yield "denied in the claim", replace(case, claims=say(denied=True))
    yield "an invented thing", replace(case, answer=f"{case.answer} A harp stands there.")
    yield "a color besides", replace(case, answer=f"{case.answer} It is turquoise.")
    yield "a room besides", replace(case, answer=f"{case.answer} This is the garage.")
    yield "a number besides", replace(case, answer=f"{case.answer} I see seven of them.")
    yield "a length besides", replace(case, answer=f"{case.answer} It is about three meters away.")
    yield "a side besides", replace(case, answer=f"{case.answer} Look to the left and to the right.")
    yield "a number that no thing has", replace(case, claims=say(thing=999))
    if first.thing is not None and things[first.thing].phrase:
        colored = StatedClaim(says="color", thing=first.thing, value="turquoise")
        text = f"{case.answer} The {things[first.thing].phrase} is turquoise."
        yield "a color, claimed and told", replace(case, answer=text, claims=(*case.claims, colored))
        away = StatedClaim(says="distance", thing=first.thing, value=12.0)
        text = f"{case.answer} The {things[first.thing].phrase} is about twelve meters away."
        yield "a length, claimed and told", replace(case, answer=text, claims=(*case.claims, away))
    room = StatedClaim(says="room", value="garage")
    yield "a room, claimed and told", Case("", f"{case.answer} This is the garage.", (*case.claims, room))
    if first.thing is not None:
        gone = StatedClaim(says="visible", value=things[first.thing].kind, denied=True)
        yield "absent, claimed and told", Case("What is not here?", f"There is no {things[first.thing].kind}.", (gone,))


def test_own_turns_hold(own: list[tuple[PlaceClaims, Case]]):
    faults = [
        (case, fault) for claims, case in own if (fault := claims.find_fault(case.answer, case.claims, case.question))
    ]
    assert len(own) > 300
    assert faults == []


def test_what_is_planted_is_caught(own: list[tuple[PlaceClaims, Case]]):
    planted, caught, missed = Counter[str](), Counter[str](), []
    for claims, case in own:
        for kind, wrong in plant(case, claims):
            planted[kind] += 1
            if claims.find_fault(wrong.answer, wrong.claims, wrong.question) is not None:
                caught[kind] += 1
            else:
                missed.append((kind, wrong))
    assert len(planted) >= 20
    print({kind: (count, count - caught[kind]) for kind, count in planted.items()}, planted.total())
    assert caught.total() >= 0.98 * planted.total(), missed[:10]
