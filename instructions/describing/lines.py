"""How a thing of a view is called so that only it is meant, and a line for each numbered thing: what it is, and what is
measured of it. Nothing that is not verified.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from instructions.asking.names import are_alike
from instructions.claims.view_claims import Verdict, ViewBars, ViewClaim
from instructions.claims.view_judge import is_disputed, judge
from instructions.facts.bodies import size_word
from instructions.facts.existence import judge_alone
from instructions.facts.placing import SIDES
from instructions.facts.things import Thing
from instructions.view import LEAST_DETECTION_SCORE, SeenThing, View
from instructions.wording.colors import COLORLESS, base_color, may_be_one_color
from instructions.wording.english import head_noun

SURFACES = re.compile(r"\b(?:(?:floor|wall|walls|ceiling|ground)(?= in the | of |$)|window light|reflection|shadow)\b")
"""What is no thing with a place of its own; a ceiling lamp is one."""
_MOST_NEIGHBOURS = 2


def base_colour(thing: Thing) -> str | None:
    """Its colour without `dark` and `light`."""
    return base_color(thing.color) if thing.color else None


def name_thing(view: View, thing: SeenThing) -> str | None:
    """A phrase without article that fits one thing of the view: `sofa`, else `red sofa`; None where none does.

    What the frame itself calls something else has no name, and what has no category only its alias.
    """
    if SURFACES.search(thing.alias) or is_disputed(view, thing):
        return None
    noun = thing.head
    alike = [
        (rival, colour) for name, rival, colour in _find_all(view) if name != thing.id and noun in (rival, "object")
    ]
    alike += [(noun, None) for other in view.things if other.id != thing.id and are_alike(thing, other)]
    colour = base_colour(thing)
    if thing.category is None:
        return thing.alias if not alike or not any(_may_be(colour, other) for _, other in alike) else None
    if judge_alone(thing.category, len(alike), is_detected=thing.is_detected).state:
        return thing.category
    if colour is not None and noun not in COLORLESS and not any(_may_be(colour, other) for _, other in alike):
        return f"{colour} {thing.category}"
    return None


def _may_be(colour: str | None, other: str | None) -> bool:
    return colour is None or other is None or may_be_one_color(colour, other)


@lru_cache(maxsize=4)  # of a view whose things are named one after the other
def _find_all(view: View) -> tuple[tuple[str | None, str, str | None], ...]:
    """Id, noun and colour of everything that the view shows or may show; what is no thing has no id."""
    out: list[tuple[str | None, str, str | None]] = [
        (thing.id, thing.head, base_colour(thing)) for thing in view.things
    ]
    out += [(None, head_noun(one.label), None) for one in view.loose if one.score >= LEAST_DETECTION_SCORE]
    if view.has_pose and not view.is_exact:
        out += [(one.id, one.head, base_colour(one)) for one, _ in view.expected]
    return tuple(out)


@dataclass(frozen=True)
class ThingLine:
    """What is verified of one numbered thing, in words without its number."""

    number: int
    thing: str
    noun: str
    """Its category, or its alias where nobody knows one."""
    colour: str | None
    size: str | None
    side: str | None
    """`on the left`, `in the middle`, `on the right`."""
    distance_m: float | None
    """To its nearest surface; None where nothing is known in metres."""
    room: str | None
    on: int | None
    """Number of what it stands on."""
    beside: tuple[int, ...]
    """Numbers of what is next to it."""
    corners: tuple[float, float, float, float]
    """Its box as shares of width and height."""

    @property
    def additions(self) -> tuple[str, ...]:
        """What is verified, phrase by phrase."""
        told = [self.colour, self.size, self.side]
        told.append(f"about {self.distance_m:.1f} m away" if self.distance_m is not None else None)
        told.append(f"in the {self.room}" if self.room else None)
        told.append(f"on [{self.on}]" if self.on is not None else None)
        told += [f"next to [{number}]" for number in self.beside if number != self.on]
        return tuple(one for one in told if one)

    @property
    def text(self) -> str:
        """`[n] caption, additions [(x1, y1), (x2, y2)]`, corners with two decimals."""
        x0, y0, x1, y1 = self.corners
        words = ", ".join((self.noun, *self.additions))
        return f"[{self.number}] {words} [({x0:.2f}, {y0:.2f}), ({x1:.2f}, {y1:.2f})]"


@lru_cache(maxsize=4)  # of a view that is read several times in a row
def describe_things(view: View, bars: ViewBars = ViewBars()) -> tuple[ThingLine, ...]:
    """A line per numbered thing, by number."""
    found = []
    for number, name in view.numbers.items():
        thing = view.find_thing(name)
        if thing is not None:
            found.append(_describe(view, number, thing, bars))
    return tuple(found)


def find_side(view: View, thing: SeenThing, bars: ViewBars) -> Verdict | None:
    """The side of the picture that a thing is surely on, as it was judged."""
    found = (judge(ViewClaim("side", side, (thing.id,), value=side), view, bars) for side in SIDES)
    return next((verdict for verdict in found if verdict.state == "true"), None)


def say_side(side: str) -> str:
    """`on the left`, `in the middle`."""
    return f"{'in' if side == 'middle' else 'on'} the {side}"


def _describe(view: View, number: int, thing: SeenThing, bars: ViewBars) -> ThingLine:
    width, height = view.size
    x0, y0, x1, y1 = thing.box
    side = find_side(view, thing, bars)
    others = [
        (n, pair)
        for n, name in view.numbers.items()
        if name != thing.id
        and (other := view.find_thing(name)) is not None
        and view.has_pose
        and (pair := view.pair(thing, other)).may_touch
    ]
    on = next((n for n, pair in others if pair.stands_on.state), None)
    beside = [n for n, pair in others if pair.is_next_to.state]
    is_well_seen = thing.frames >= bars.size_frames
    return ThingLine(
        number,
        thing.id,
        thing.category or thing.alias,
        base_colour(thing),
        size_word(thing.body.box, view.model.floor_z, view.metre) if view.has_pose and is_well_seen else None,
        say_side(str(side.claim.value)) if side is not None else None,
        measure_distance_m(view, thing),
        thing.room if thing.room_probability >= bars.room_probability else None,
        on,
        tuple(beside[:_MOST_NEIGHBOURS]),
        (x0 / width, y0 / height, x1 / width, y1 / height),
    )


def measure_distance_m(view: View, thing: SeenThing) -> float | None:
    """Metres from the camera to the nearest surface of a thing; None where no metres are known or they are not sure."""
    if not view.has_pose or not view.has_scale:
        return None
    away = view.measure_range(thing)
    if away <= 0.3 * view.metre or thing.sigma > 0.2 * away:
        return None
    return away / view.metre
