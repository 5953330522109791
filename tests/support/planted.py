"""Texts with their claims, and the same with one thing wrong: what the check of model-written texts has to catch."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from instructions.claims.stated import PlaceClaims, StatedClaim
from instructions.wording.english import NUMBER_WORDS

OPPOSITE = {"left": "right", "right": "left", "nearer": "farther", "closer": "farther", "taller": "shorter"}
ORDERED = ("nearer", "taller", "left of", "right of", "on")


@dataclass(frozen=True)
class Case:
    """One text with its claims."""

    question: str
    answer: str
    claims: tuple[StatedClaim, ...]


def plant(case: Case, claims: PlaceClaims) -> Iterator[tuple[str, Case]]:
    """The case with one thing wrong, by kind."""
    things = claims.place.things
    first = case.claims[0]
    words = re.findall(r"[a-z]+", case.answer.lower())

    def say(**changes: object) -> tuple[StatedClaim, ...]:
        return (first.model_copy(update=changes), *case.claims[1:])

    def swap(text: str, one: str, other: str) -> str:
        either = "|".join(map(re.escape, (one, other)))
        return re.sub(rf"(?<!\w)({either})(?!\w)", lambda found: other if found[1] == one else one, text)

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
    if first.says in ("kind", "color"):
        other = "lighthouse" if first.says == "kind" else "turquoise" if first.value != "turquoise" else "pink"
        word = re.escape(str(first.value))
        yield f"another {first.says} claimed", replace(case, claims=say(value=other))
        changed = re.sub(rf"\b{word}\b", other, case.answer)
        yield f"another {first.says} told", replace(case, answer=changed)
        yield f"another {first.says}, claimed and told", Case(case.question, changed, say(value=other))
        marks = [one for one in things if one.is_marked and str(one.phrase) not in case.question]
        if marks and str(things[first.thing or 0].phrase) in case.answer:
            changed = case.answer.replace(str(things[first.thing or 0].phrase), str(marks[0].phrase))
            yield "told of another number", replace(case, answer=changed)
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
    yield "denied in the claim", replace(case, claims=say(denied=not first.denied))
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


def list_faults(own: Sequence[tuple[PlaceClaims, Case]]) -> list[tuple[Case, str]]:
    """Texts that do not pass though nothing is wrong with them."""
    found = [(case, claims.find_fault(case.answer, case.claims, case.question)) for claims, case in own]
    return [(case, fault.words) for case, fault in found if fault is not None]


def count_caught(own: Sequence[tuple[PlaceClaims, Case]]) -> tuple[Counter[str], list[tuple[str, Case]]]:
    """How many faults of each kind can be planted in these texts, and those that are missed."""
    planted, missed = Counter[str](), []
    for claims, case in own:
        for kind, wrong in plant(case, claims):
            planted[kind] += 1
            if claims.find_fault(wrong.answer, wrong.claims, wrong.question) is None:
                missed.append((kind, wrong))
    print(dict(planted), planted.total(), Counter(kind for kind, _ in missed))
    return planted, missed
