"""One claim about a view against what is measured: true, false, or unknown between two bars."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache

from instructions.claims.view_claims import State, Verdict, ViewBars, ViewClaim
from instructions.facts import sizes
from instructions.facts.existence import judge_count
from instructions.facts.pairs import Pair
from instructions.facts.placing import MIDDLE_SHARE, NEAR_SHARE, side_of_box
from instructions.facts.verdict import Verdict as RelationVerdict
from instructions.facts.viewer import Standpoint
from instructions.records import Box
from instructions.view import SeenThing, View
from instructions.wording.colors import base_color, may_be_one_color
from instructions.wording.english import pluralize
from instructions.wording.synonyms import SYNONYMS

_SHARED_NAMES = ({"hall", "entrance"}, {"bathroom", "toilet"}, {"study", "library"})
"""Labels of one and the same room in the mouths of two people."""
_MOSTLY = 0.5
"""Share of the things in view that stand in another room, from which on the view may well be called by that one."""
_LEAST_LOOSE = 0.3
"""Score from which on a detection that was joined to no thing may be one. Set by hand."""
_VAGUE = ("object", "thing", "item", "piece", "furniture", "furnishing", "seat", "region", "area", "one")
_ANYTHING = frozenset({*_VAGUE, *map(pluralize, _VAGUE)})
_SYNONYMS_OF_PLURALS = {pluralize(word): noun for word, noun in SYNONYMS.items()}
Finding = tuple[State, str, float | None, float | None]
"""State, reason, measured value, margin."""


def judge(claim: ViewClaim, view: View, bars: ViewBars = ViewBars()) -> Verdict:
    """The verdict on one claim."""
    found = _judge_any(claim, view, bars)
    if claim.denied:
        turned: dict[State, State] = {"true": "false", "false": "true", "unknown": "unknown"}
        found = (turned[found[0]], f"denied: {found[1]}", found[2], found[3])
    return Verdict(claim, *found)


def _judge_any(claim: ViewClaim, view: View, bars: ViewBars) -> Finding:
    if not claim.subject:
        return _judge_room(claim, view, bars) if claim.kind == "room" else _judge_absent(str(claim.value), view)
    thing, other = (view.find_thing(name) for name in (*claim.subject, *claim.other, "")[:2])
    if thing is None or (claim.other and other is None):
        return "unknown", "nothing is known of that thing", None, None
    return _judge_one(claim, view, bars, thing, other)


def _judge_one(claim: ViewClaim, view: View, bars: ViewBars, a: SeenThing, b: SeenThing | None) -> Finding:
    if claim.kind == "count":
        return _judge_count(claim, view, bars, a.category)
    if b is None:
        return _SINGLE[claim.kind](claim, view, bars, a)
    if not view.has_pose:
        return "unknown", "without poses nothing is known of the room", None, None
    pair = view.pair(a, b)
    if claim.kind == "gap":
        return _nearest_length(claim, view, bars, pair.gap, pair.distance)
    if claim.kind in _SIDEWAYS and min(a.visible_fraction, b.visible_fraction) < bars.visible:
        return "unknown", "hardly in view", None, None
    if claim.kind in _SIZES and min(a.frames, b.frames) < bars.size_frames and not view.is_exact:
        return "unknown", f"seen in fewer than {bars.size_frames:g} frames", None, None
    found = _RELATIONS[claim.kind](pair, view.standpoint, (a.box, b.box))
    told = f"{found.value:+.2f} {found.unit}, need {found.margin:.2f}" + (f": {found.reason}" if found.reason else "")
    state: State = "unknown" if found.state is None else "true" if found.state else "false"
    return state, told, found.value, abs(found.value) - found.margin


def _side(claim: ViewClaim, view: View, bars: ViewBars, a: SeenThing) -> Finding:
    at = view.measure_middle(a)
    off = min(abs(at - NEAR_SHARE), abs(at - NEAR_SHARE - MIDDLE_SHARE))
    told = f"centre at {at:.2f} of the width"
    against = {"left": at - 0.5, "right": 0.5 - at}.get(str(claim.value), 0.0)
    if a.visible_fraction > 0.0 and against > 0.5 - NEAR_SHARE - bars.border_share:
        # However little of it is seen, and whichever side it is counted to: it is not this one.
        return "false", f"{told}, which is the other side", at, -against
    if a.visible_fraction < bars.visible:
        return "unknown", "hardly in view", a.visible_fraction, None
    if off < bars.border_share:
        return "unknown", f"{told}, near the border of a side", at, off - bars.border_share
    side = side_of_box(a.box, view.size[0])
    return ("true" if side == claim.value else "false"), told, at, off


def _nearest_length(claim: ViewClaim, view: View, bars: ViewBars, *measured: float) -> Finding:
    """A stated length against several that people may mean by it."""
    found = [_length(claim, view, bars, one) for one in measured]
    return next((one for one in found if one[0] == "true"), found[-1])


def _height(claim: ViewClaim, view: View, bars: ViewBars, a: SeenThing) -> Finding:
    if not view.has_pose:
        return "unknown", "without poses nothing is known of sizes", None, None
    return _length(claim, view, bars, sizes.height(a.body))


def _distance(claim: ViewClaim, view: View, bars: ViewBars, a: SeenThing) -> Finding:
    if not view.has_pose:
        return "unknown", "without poses nothing is known of distances", None, None
    return _nearest_length(claim, view, bars, view.measure_range(a), view.viewer.range(a.body.center))


def _length(claim: ViewClaim, view: View, bars: ViewBars, measured: float) -> Finding:
    """A stated length against a measured one in the model's unit."""
    if not view.has_scale:
        return "false", "the scale is relative, so nothing is known in metres", None, None
    true = measured / view.metre
    slack = max(bars.distance_m, bars.distance_share * abs(true))
    off = abs(claim.value_number - true)
    return ("true" if off <= slack else "false"), f"measured {true:.2f} m", true, (slack - off) / slack


def _visible(claim: ViewClaim, view: View, bars: ViewBars, a: SeenThing) -> Finding:
    if a.visible_fraction >= bars.visible:
        return "true", f"{a.visible_fraction:.2f} of it seen", a.visible_fraction, a.visible_fraction - bars.visible
    if a.id in view.elsewhere:
        return "false", "outside of the view", 0.0, None
    return "unknown", "hardly seen, or hidden", a.visible_fraction, None


def _color(claim: ViewClaim, view: View, bars: ViewBars, a: SeenThing) -> Finding:
    if a.color is None:
        return "unknown", "its color is not known", None, None
    told = str(claim.value)
    if base_color(a.color) == base_color(told):
        return "true", f"it is {a.color}", None, None
    return ("unknown" if may_be_one_color(a.color, told) else "false"), f"it is {a.color}", None, None


def _room(claim: ViewClaim, view: View, bars: ViewBars, a: SeenThing) -> Finding:
    return _compare_rooms(a.room, a.room_probability, claim, bars, "it is in")


def _judge_room(claim: ViewClaim, view: View, bars: ViewBars) -> Finding:
    """What is known of where the view was taken; one that looks into another room may be called by that."""
    found = _compare_rooms(view.room, view.room_probability, claim, bars, "the room")
    known = [thing for thing in view.things if thing.room is not None and thing.visible_fraction >= bars.visible]
    there = sum(one.room == claim.value for one in known)
    if found[0] == "false" and known and there >= _MOSTLY * len(known):
        return "unknown", f"{found[1]}, but {there} of {len(known)} things in view are in the {claim.value}", None, None
    return found


def _compare_rooms(room: str | None, sure: float, claim: ViewClaim, bars: ViewBars, words: str) -> Finding:
    told = f"{words}: {room or 'not known'}, {sure:.2f} sure"
    if room is None or sure < bars.room_probability:
        return "unknown", told, sure, sure - bars.room_probability
    if room == claim.value:
        return "true", told, sure, sure - bars.room_probability
    is_shared = any(room in group and claim.value in group for group in _SHARED_NAMES)
    return ("unknown" if is_shared else "false"), told, sure, None


def _kind(claim: ViewClaim, view: View, bars: ViewBars, a: SeenThing) -> Finding:
    noun = str(claim.value)
    if a.category is None or _is_vague(noun):
        return "unknown", "its kind is not known", None, None
    if same_noun(noun, a.category):
        return "true", f"it is a {a.category}", None, None
    if any(same_noun(noun, word) for word in (*a.maybe, *view.find_disputes(a))):
        return "unknown", f"it may be a {noun}", None, None
    if a.category.endswith(noun) or noun.endswith(a.category.split()[-1]):
        return "unknown", f"it is a {a.category}, a sort of {noun}", None, None  # an armchair is a chair
    return "false", f"it is a {a.category}", None, None


def is_disputed(view: View, thing: SeenThing) -> bool:
    """Whether the frame itself calls a thing something that its category is not another word for."""
    category = thing.category
    return category is not None and any(not same_noun(word, category) for word in view.find_disputes(thing))


@lru_cache(maxsize=4096)  # each noun of a text is held against all kinds that are known
def same_noun(first: str, second: str) -> bool:
    """Whether two phrases have the same noun, or one that the lexicon calls the same."""
    a, b = _plain(first), _plain(second)
    return a == b or (a[-1:] == b[-1:] and (len(a) == 1 or len(b) == 1))


@lru_cache(maxsize=4096)
def _plain(phrase: str) -> tuple[str, ...]:
    """The words of a phrase, its noun in the plural."""
    words = [SYNONYMS.get(word, word) for word in phrase.lower().split()]
    return (*words[:-1], *(pluralize(_SYNONYMS_OF_PLURALS.get(word, word)) for word in words[-1:]))


def _is_vague(noun: str) -> bool:
    """Whether a noun says nothing of what a thing is: `object`, `piece of furniture`."""
    return not _ANYTHING.isdisjoint(noun.split())


def _judge_count(claim: ViewClaim, view: View, bars: ViewBars, kind: str | None) -> Finding:
    if kind is None:
        return "unknown", "the kind of these things is not known", None, None
    if not any(same_noun(kind, looked) for looked in view.looked_for):
        return "unknown", "nobody looked for that kind", None, None
    of_kind = [thing for thing in view.things if thing.category and same_noun(thing.category, kind)]
    loose = [one for one in view.loose if one.score >= _LEAST_LOOSE and same_noun(one.label, kind)]
    unsure = [one for one in of_kind if bars.uncounted < one.visible_fraction < bars.counted]
    count = sum(one.visible_fraction >= bars.counted for one in of_kind)
    if unsure or loose:
        # Also of what is seen to a sliver a person may count each.
        slivers = sum(0.0 < one.visible_fraction <= bars.uncounted for one in of_kind)
        most = count + len(unsure) + len(loose) + slivers
        state: State = "unknown" if count <= claim.value_number <= most else "false"
        return state, f"{count} in view, {most - count} doubtful", float(count), None
    is_all = judge_count(kind, count, 0, is_detected=view.is_detected).state
    if count < claim.value_number and not is_all:
        return "unknown", f"{count} in view, and perception may have missed some", float(count), None
    state = "true" if count == claim.value and is_all else "unknown" if count == claim.value else "false"
    return state, f"{count} in view", float(count), None


def _judge_absent(noun: str, view: View) -> Finding:
    head = noun.split()[-1] if noun else ""
    if not head or _is_vague(noun):
        return "unknown", "no kind of thing", None, None
    if any(same_noun(noun, one.label) and one.score >= _LEAST_LOOSE for one in view.loose):
        return "unknown", f"a detector saw a {head} here", None, None
    kind = next((kind for kind in sorted(view.looked_for) if same_noun(noun, kind)), None)
    if kind is not None:
        state: State = "false" if view.judge_absence(kind).state else "unknown"
        return state, f"no {head} is seen here, and one was looked for", 0.0, None
    return "unknown", f"nobody looked for a {head}", None, None


_SINGLE = {
    "side": _side,
    "visible": _visible,
    "color": _color,
    "kind": _kind,
    "distance": _distance,
    "height": _height,
    "room": _room,
}
_Judge = Callable[[Pair, Standpoint, tuple[Box, Box]], RelationVerdict]
_RELATIONS: Mapping[str, _Judge] = {
    "left of": lambda pair, at, boxes: pair.is_right(at, boxes).deny(),
    "right of": lambda pair, at, boxes: pair.is_right(at, boxes),
    "nearer": lambda pair, at, boxes: pair.is_nearer(at),
    "farther": lambda pair, at, boxes: pair.is_nearer(at).deny(),
    "in front of": lambda pair, at, boxes: pair.is_behind(at).deny(),
    "behind": lambda pair, at, boxes: pair.is_behind(at),
    "on": lambda pair, at, boxes: pair.stands_on,
    "under": lambda pair, at, boxes: pair.is_under,
    "above": lambda pair, at, boxes: pair.is_above,
    "below": lambda pair, at, boxes: pair.is_above.deny(),
    "next to": lambda pair, at, boxes: pair.is_next_to,
    "larger": lambda pair, at, boxes: pair.is_bigger,
    "smaller": lambda pair, at, boxes: pair.is_bigger.deny(),
    "taller": lambda pair, at, boxes: pair.is_taller,
    "shorter": lambda pair, at, boxes: pair.is_taller.deny(),
    "wider": lambda pair, at, boxes: pair.is_wider(at.viewer),
    "narrower": lambda pair, at, boxes: pair.is_wider(at.viewer).deny(),
}
_SIDEWAYS = frozenset({"left of", "right of"})
_SIZES = frozenset({"larger", "smaller", "taller", "shorter", "wider", "narrower"})
