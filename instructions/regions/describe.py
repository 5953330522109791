"""What is told of a view: global, local and dynamic descriptors, each line with what made it."""

from __future__ import annotations

from collections import Counter
from itertools import zip_longest

from instructions.describing.lines import ThingLine, describe_things
from instructions.describing.narratives import narrate, tell_concepts, tell_places, tell_things
from instructions.records import SourcedText
from instructions.regions.records import Probe, RegionView, Verbalization
from instructions.view import View

MEASURED = "measured"
MOST_PROBES = 15


def describe_view(view: View, region_view: RegionView) -> Verbalization:
    """Everything that is told of a view from its geometry; a model's lines are added by whoever has one."""

    def told(texts: tuple[str, ...]) -> tuple[SourcedText, ...]:
        return tuple(SourcedText(text, MEASURED) for text in texts)

    return Verbalization(
        region_view.id,
        told(tell_places(view)),
        told(tell_things(view)),
        told(tell_concepts(view)),
        told(narrate(view)),
        told(tuple(line.text for line in describe_things(view))),
        _probe_view(view),
    )


def _probe_view(view: View) -> tuple[Probe, ...]:
    """At most fifteen questions with short answers; what nobody knows is not asked."""
    lines = describe_things(view)
    found: list[tuple[str, str]] = []
    if view.room is not None and view.room_probability >= 0.8:
        found.append(("What room is this?", view.room))
    known = [(line.distance_m, line) for line in lines if line.distance_m is not None]
    if len(known) > 1:
        near, far = (pick(known, key=lambda one: one[0])[1] for pick in (min, max))
        found += [("Which is nearest?", f"[{near.number}]"), ("Which is furthest?", f"[{far.number}]")]
    kinds = Counter(line.noun for line in lines)
    found += [
        (f"How many of these are of the kind {noun}?", str(count)) for noun, count in sorted(kinds.items()) if count > 1
    ]
    found += [one for line in lines for one in _ask_of(line)]
    return tuple(Probe(question, answer, MEASURED) for question, answer in _spread(found)[:MOST_PROBES])


def _ask_of(line: ThingLine) -> list[tuple[str, str]]:
    mark = f"[{line.number}]"
    answers = {
        f"What holds {mark}?": f"[{line.on}]" if line.on is not None else None,
        f"What is beside {mark}?": f"[{line.beside[0]}]" if line.beside else None,
        f"Color of {mark}?": line.colour,
        f"How far is {mark}?": f"about {line.distance_m:.1f} m" if line.distance_m is not None else None,
        f"Which side is {mark} on?": line.side,
    }
    return [(question, answer) for question, answer in answers.items() if answer is not None]


def _spread(found: list[tuple[str, str]]) -> list[tuple[str, str]]:
    """One of each sort in turn, sorts by the words of the question without its number."""
    groups: dict[str, list[tuple[str, str]]] = {}
    for one in found:
        groups.setdefault(one[0].split("[")[0], []).append(one)
    return [one for turn in zip_longest(*groups.values()) for one in turn if one is not None]
