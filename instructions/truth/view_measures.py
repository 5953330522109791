"""One claim about a view against what is measured: true, false, or unknown between two bars."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache
from math import hypot

from instructions.facts import between, sizes
from instructions.facts.bodies import Body
from instructions.facts.gap import gap
from instructions.facts.overlap import measure_span_overlap
from instructions.facts.sides import MIDDLE_SHARE, NEAR_SHARE, side_of_box
from instructions.facts.view_things import ViewFacts, ViewThing
from instructions.facts.viewer import Viewer
from instructions.truth.lexicon import SYNONYMS
from instructions.truth.names import tokens_of
from instructions.truth.view_claims import State, Verdict, ViewBars, ViewClaim
from instructions.truth.view_reader import is_vague
from instructions.truth.view_rooms import judge_place, judge_room
from instructions.wording.colors import base_color, may_be_one_color

_AGAINST_SHARE = 0.15
"""Of the width: a thing whose middle is so far on one side of another's is not on its other side, overlap or not."""
Finding = tuple[State, str, float | None, float | None]
"""State, reason, measured value, margin."""


def judge(claim: ViewClaim, view: ViewFacts, bars: ViewBars) -> Verdict:
    """The verdict on one claim. Of several things that it may mean one is enough to make it true."""
    found = _judge_all(claim, view, bars)
    if claim.denied:
        turned: dict[State, State] = {"true": "false", "false": "true", "unknown": "unknown"}
        found = (turned[found[0]], f"denied: {found[1]}", found[2], found[3])
    return Verdict(claim, *found)


def _judge_all(claim: ViewClaim, view: ViewFacts, bars: ViewBars) -> Finding:
    if claim.kind == "region":
        return "false", f"there are {view.region_count} regions, numbered from 0", claim.value_number, None
    if claim.kind == "room" and not claim.subject:
        return judge_room(claim, view, bars)
    if claim.kind == "count":
        return _judge_count(claim, view, bars)
    if claim.kind == "visible" and not claim.subject:
        return _judge_invented(str(claim.value), view)
    things = [thing for name in claim.subject if (thing := view.find_thing(name)) is not None]
    others = [thing for name in claim.other if (thing := view.find_thing(name)) is not None]
    if not things or (claim.other and not others):
        return "unknown", "nothing is known of that thing", None, None
    found = [
        _judge_one(claim, view, bars, thing, other)
        for thing in things
        for other in (others or [None])
        if other is None or other.id != thing.id
    ]
    for state in ("true", "unknown", "false"):
        for one in found:
            if one[0] == state:
                return one
    return "unknown", "compared with itself", None, None


def _judge_one(claim: ViewClaim, view: ViewFacts, bars: ViewBars, a: ViewThing, b: ViewThing | None) -> Finding:
    if b is None:
        return _SINGLE[claim.kind](claim, view, bars, a)
    if a.body is None or b.body is None or view.viewer is None:
        return "unknown", "without poses nothing is known of the room", None, None
    return _PAIRS[claim.kind](claim, view, bars, a, b)


def _side(claim: ViewClaim, view: ViewFacts, bars: ViewBars, a: ViewThing) -> Finding:
    at = (a.box_xyxy[0] + a.box_xyxy[2]) / 2 / view.size[0]
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
    side = side_of_box(a.box_xyxy, view.size[0])
    return ("true" if side == claim.value else "false"), told, at, off


def _lateral(claim: ViewClaim, view: ViewFacts, bars: ViewBars, a: ViewThing, b: ViewThing) -> Finding:
    viewer = _viewer(view)
    if min(a.visible_fraction, b.visible_fraction) <= 0.0 or not viewer.has_sides:
        return "unknown", "not in view, or the camera looks straight up or down", None, None
    sign = -1.0 if claim.kind == "left of" else 1.0
    picture = sign * (a.box_xyxy[0] + a.box_xyxy[2] - b.box_xyxy[0] - b.box_xyxy[2]) / 2 / view.size[0]
    shared = measure_span_overlap(a.box_xyxy, b.box_xyxy, 0)
    world = sign * between.lateral_difference(_body(a), _body(b), viewer)
    told = f"{picture:+.2f} of the width in the picture, {world / view.metre:+.2f} m across, shared {shared:.2f}"
    margin = min(abs(picture) - bars.apart_share, bars.most_overlap - shared)
    if picture <= -_AGAINST_SHARE and world < 0:
        return "false", told, picture, picture + _AGAINST_SHARE
    if min(a.visible_fraction, b.visible_fraction) < bars.visible:
        return "unknown", f"hardly in view; {told}", picture, None
    if shared >= bars.most_overlap or abs(picture) < bars.apart_share:
        return "unknown", told, picture, margin
    if picture > 0 and world > 0:
        return "true", told, picture, margin
    return ("false" if picture < 0 and world < 0 else "unknown"), told, picture, -abs(margin)


def _nearer(claim: ViewClaim, view: ViewFacts, bars: ViewBars, a: ViewThing, b: ViewThing) -> Finding:
    viewer = _viewer(view)
    mine, its = sizes.camera_distance(_body(a), viewer), sizes.camera_distance(_body(b), viewer)
    more = (its - mine) if claim.kind == "nearer" else (mine - its)
    need = max(bars.nearer_share * min(mine, its), bars.sigmas * hypot(a.sigma, b.sigma))
    told = f"{mine / view.metre:.2f} against {its / view.metre:.2f} m from the camera, need {need / view.metre:.2f}"
    return _three(more, need, told)


def _ahead(claim: ViewClaim, view: ViewFacts, bars: ViewBars, a: ViewThing, b: ViewThing) -> Finding:
    sign = -1.0 if claim.kind == "in front of" else 1.0
    ahead = sign * between.ahead_difference(_body(a), _body(b), _viewer(view))
    viewer = _viewer(view)
    away = sign * (sizes.camera_distance(_body(a), viewer) - sizes.camera_distance(_body(b), viewer))
    need = max(0.1 * view.metre, bars.sigmas * hypot(a.sigma, b.sigma))
    told = f"{ahead / view.metre:+.2f} m along the view, {away / view.metre:+.2f} m in distance"
    if min(ahead, away) >= need:
        return "true", told, ahead, min(ahead, away) - need
    if max(ahead, away) <= -need:
        return "false", told, ahead, max(ahead, away) + need
    return "unknown", told, ahead, None


def _on(claim: ViewClaim, view: ViewFacts, bars: ViewBars, a: ViewThing, b: ViewThing) -> Finding:
    if claim.kind == "under":
        a, b = b, a
    upper, lower = _body(a), _body(b)
    if a.rests_on == b.id:
        return "true", "seen to rest on it", 0.0, None
    lift = between.stands_on_gap(upper, lower) / view.metre
    over = between.footprint_overlap(upper, lower)
    told = f"bottom {lift:+.2f} m from the top, {over:.2f} of the plan over it"
    if abs(lift) <= bars.on_m and over >= bars.on_overlap:
        return "true", told, lift, bars.on_m - abs(lift)
    rise = (upper.bottom - lower.bottom) / view.metre
    slack = bars.sigmas * hypot(a.sigma, b.sigma) / view.metre
    if claim.kind == "under" and between.stands_on_gap(lower, upper) / view.metre >= -bars.on_m:
        return "false", f"{told}; it is not lower than the other", lift, -abs(lift)
    if over == 0.0 and between.passage(upper, lower) > slack * view.metre:
        return "false", told, lift, -abs(lift)
    if lift > bars.not_on_m + slack or (claim.kind == "on" and lift < 0 and rise < bars.on_m - slack):
        return "false", told, lift, -abs(lift)
    return "unknown", told, lift, None  # on a shelf, on the seat of a sofa, under a table top


def _vertical(claim: ViewClaim, view: ViewFacts, bars: ViewBars, a: ViewThing, b: ViewThing) -> Finding:
    if claim.kind == "below":
        a, b = b, a
    upper, lower = _body(a), _body(b)
    lift = (upper.bottom - lower.top) / view.metre
    centres = between.vertical_difference(upper, lower) / view.metre
    told = f"bottom {lift:+.2f} m above the other's top, centres {centres:+.2f} m"
    if lift >= -bars.on_m:
        return "true", told, lift, lift + bars.on_m
    return ("false" if centres < -bars.on_m else "unknown"), told, lift, centres


def _next_to(claim: ViewClaim, view: ViewFacts, bars: ViewBars, a: ViewThing, b: ViewThing) -> Finding:
    apart = gap(_body(a), _body(b)) / view.metre
    slack = bars.sigmas * hypot(a.sigma, b.sigma) / view.metre
    told = f"{apart:.2f} m apart"
    if apart <= bars.next_m:
        return "true", told, apart, bars.next_m - apart
    return ("false" if apart > bars.not_next_m + slack else "unknown"), told, apart, bars.not_next_m - apart


_SIZES: Mapping[str, tuple[Callable[[ViewThing, Viewer], float], int]] = {
    "larger": (lambda a, viewer: sizes.volume(_body(a)) ** (1 / 3), 1),
    "smaller": (lambda a, viewer: sizes.volume(_body(a)) ** (1 / 3), -1),
    "taller": (lambda a, viewer: sizes.height(_body(a)), 1),
    "shorter": (lambda a, viewer: sizes.height(_body(a)), -1),
    "wider": (lambda a, viewer: sizes.width(_body(a), viewer), 1),
    "narrower": (lambda a, viewer: sizes.width(_body(a), viewer), -1),
}


def _size(claim: ViewClaim, view: ViewFacts, bars: ViewBars, a: ViewThing, b: ViewThing) -> Finding:
    measure, sign = _SIZES[claim.kind]
    mine, its = measure(a, _viewer(view)), measure(b, _viewer(view))
    told = f"{mine / view.metre:.2f} against {its / view.metre:.2f} m"
    if min(a.frames, b.frames) < bars.size_frames and not (a.is_exact and b.is_exact):
        return "unknown", f"{told}, seen in fewer than {bars.size_frames:g} frames", mine - its, None
    return _three(sign * (mine - its), bars.size_share * min(mine, its), told)


def _step(claim: ViewClaim, view: ViewFacts, bars: ViewBars, a: ViewThing, b: ViewThing) -> Finding:
    viewer = _viewer(view)
    near = sizes.camera_distance(_body(b), viewer) - sizes.camera_distance(_body(a), viewer)
    return _length(claim, view, bars, near)


def _gap(claim: ViewClaim, view: ViewFacts, bars: ViewBars, a: ViewThing, b: ViewThing) -> Finding:
    found = _length(claim, view, bars, gap(_body(a), _body(b)))
    return found if found[0] == "true" else _length(claim, view, bars, between.distance(_body(a), _body(b)))


def _extent(claim: ViewClaim, view: ViewFacts, bars: ViewBars, a: ViewThing) -> Finding:
    if a.body is None or view.viewer is None:
        return "unknown", "without poses nothing is known of sizes", None, None
    body = a.body
    if claim.kind == "height":
        return _length(claim, view, bars, sizes.height(body))
    if claim.kind == "length":
        return _length(claim, view, bars, sizes.length(body))
    found = _length(claim, view, bars, sizes.width(body, view.viewer))
    return found if found[0] == "true" else _length(claim, view, bars, sizes.length(body))


def _distance(claim: ViewClaim, view: ViewFacts, bars: ViewBars, a: ViewThing) -> Finding:
    if a.body is None or view.viewer is None:
        return "unknown", "without poses nothing is known of distances", None, None
    near = sizes.camera_distance(a.body, view.viewer)
    found = _length(claim, view, bars, near)
    middle = view.viewer.range(a.body.center)
    return found if found[0] == "true" else _length(claim, view, bars, middle)


def _length(claim: ViewClaim, view: ViewFacts, bars: ViewBars, measured: float) -> Finding:
    """A stated length against a measured one in the model's unit."""
    if view.scale_status == "relative":
        return "false", "the scale is relative, so nothing is known in metres", None, None
    true = measured / view.metre
    if claim.value is None:
        return "unknown", "no number could be read", true, None
    if view.scale_status == "assumed" and not claim.rounded:
        return "false", "the scale is assumed, so the text must say about", true, None
    slack = max(bars.distance_m, bars.distance_share * abs(true))
    off = abs(claim.value_number - true)
    return ("true" if off <= slack else "false"), f"measured {true:.2f} m", true, (slack - off) / slack


def _visible(claim: ViewClaim, view: ViewFacts, bars: ViewBars, a: ViewThing) -> Finding:
    if a.visible_fraction >= bars.visible:
        return "true", f"{a.visible_fraction:.2f} of it seen", a.visible_fraction, a.visible_fraction - bars.visible
    if any(a.id == one.id for one in view.elsewhere):
        return "false", "outside of the view", 0.0, None
    return "unknown", "hardly seen, or hidden", a.visible_fraction, None


def _colour(claim: ViewClaim, view: ViewFacts, bars: ViewBars, a: ViewThing) -> Finding:
    if a.color is None:
        return "unknown", "its colour is not known", None, None
    told = str(claim.value)
    if base_color(a.color) == base_color(told):
        return "true", f"it is {a.color}", None, None
    return ("unknown" if may_be_one_color(a.color, told) else "false"), f"it is {a.color}", None, None


def _room(claim: ViewClaim, view: ViewFacts, bars: ViewBars, a: ViewThing) -> Finding:
    return judge_place(claim, bars, a)


def _kind(claim: ViewClaim, view: ViewFacts, bars: ViewBars, a: ViewThing) -> Finding:
    noun = str(claim.value)
    if a.category is None or is_vague(noun):
        return "unknown", "its kind is not known", None, None
    if same_noun(noun, a.category):
        return "true", f"it is a {a.category}", None, None
    if any(same_noun(noun, word) for word in (*a.maybe, *view.find_disputes(a))):
        return "unknown", f"it may be a {noun}", None, None
    if a.category.endswith(noun) or noun.endswith(a.category.split()[-1]):
        return "unknown", f"it is a {a.category}, a sort of {noun}", None, None  # an armchair is a chair
    return "false", f"it is a {a.category}", None, None


def is_disputed(view: ViewFacts, thing: ViewThing) -> bool:
    """Whether the frame itself calls a thing something that its category is not another word for."""
    category = thing.category
    return category is not None and any(not same_noun(word, category) for word in view.find_disputes(thing))


@lru_cache(maxsize=4096)  # each noun of a text is held against all kinds that are known
def same_noun(one: str, other: str) -> bool:
    """Whether two phrases have the same noun, or one that the lexicon calls the same."""
    a, b = _plain(one), _plain(other)
    return a == b or (a[-1:] == b[-1:] and (len(a) == 1 or len(b) == 1))


@lru_cache(maxsize=4096)
def _plain(phrase: str) -> tuple[str, ...]:
    words = [SYNONYMS.get(word, word) for word in tokens_of(phrase)]
    if words and words[-1].endswith("s") and not words[-1].endswith("ss"):
        words[-1] = SYNONYMS.get(words[-1][:-1], words[-1][:-1])
    return tuple(words)


def _judge_count(claim: ViewClaim, view: ViewFacts, bars: ViewBars) -> Finding:
    nouns = {thing.category for name in claim.subject if (thing := view.find_thing(name)) is not None}
    if None in nouns or not nouns:
        return "unknown", "the kind of these things is not known", None, None
    kinds = {noun for noun in nouns if noun}
    if not all(any(same_noun(kind, looked) for looked in view.looked_for) for kind in kinds):
        return "unknown", "nobody looked for that kind", None, None
    of_kind = [one for one in view.things if one.category and any(same_noun(one.category, kind) for kind in kinds)]
    loose = [one for one in view.loose if one[1] >= 0.3 and any(same_noun(one[0], kind) for kind in kinds)]
    unsure = [one for one in of_kind if bars.uncounted < one.visible_fraction < bars.counted]
    count = sum(one.visible_fraction >= bars.counted for one in of_kind)
    if unsure or loose:
        # Also of what is seen to a sliver a person may count each.
        slivers = sum(0.0 < one.visible_fraction <= bars.uncounted for one in of_kind)
        most = count + len(unsure) + len(loose) + slivers
        state: State = "unknown" if count <= claim.value_number <= most else "false"
        return state, f"{count} in view, {most - count} doubtful", float(count), None
    return ("true" if count == claim.value else "false"), f"{count} in view", float(count), None


def _judge_invented(noun: str, view: ViewFacts) -> Finding:
    head = noun.split()[-1] if noun else ""
    if not head or is_vague(noun):
        return "unknown", "no kind of thing", None, None
    if any(same_noun(noun, label) and score >= 0.3 for label, score, _ in view.loose):
        return "unknown", f"a detector saw a {head} here", None, None
    if any(same_noun(noun, kind) for kind in view.looked_for):
        return "false", f"no {head} is seen here, and one was looked for", 0.0, None
    return "unknown", f"nobody looked for a {head}", None, None


def _three(value: float, need: float, told: str) -> Finding:
    """True over a bar, false under minus the bar."""
    if value >= need:
        return "true", told, value, value - need
    return ("false" if value <= -need else "unknown"), told, value, value - need


def _viewer(view: ViewFacts) -> Viewer:
    if view.viewer is None:
        raise AssertionError("asked for a viewer of a view without a pose")
    return view.viewer


def _body(thing: ViewThing) -> Body:
    if thing.body is None:
        raise AssertionError(f"asked for the body of {thing.id}, which has none")
    return thing.body


_SINGLE = {
    "side": _side,
    "visible": _visible,
    "colour": _colour,
    "kind": _kind,
    "distance": _distance,
    "height": _extent,
    "width": _extent,
    "length": _extent,
    "room": _room,
}
_PAIRS = {
    "left of": _lateral,
    "right of": _lateral,
    "nearer": _nearer,
    "farther": _nearer,
    "in front of": _ahead,
    "behind": _ahead,
    "on": _on,
    "under": _on,
    "above": _vertical,
    "below": _vertical,
    "next to": _next_to,
    "gap": _gap,
    "step": _step,
} | dict.fromkeys(_SIZES, _size)
