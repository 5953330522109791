"""A view and a cloud as the claims of a language model are about them."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from instructions.claims.stated import KnownPlace, NumberedThing
from instructions.claims.view_claims import State, ViewBars, ViewClaim
from instructions.claims.view_judge import judge
from instructions.dialogues.clouds.cloud_tasks import CloudThings
from instructions.dialogues.relations import pair_of
from instructions.dialogues.rounding import find_interval_m
from instructions.dialogues.talk_view import TalkView
from instructions.facts.between import distance, gap
from instructions.facts.things import Thing
from instructions.wording.colors import base_color, may_be_one_color

_DISTANCE_M, _DISTANCE_SHARE = 0.5, 0.20
"""A told distance between two things of a cloud is right within half a meter or a fifth."""
_TURNED: dict[State, State] = {"true": "false", "false": "true", "unknown": "unknown"}


def place_view(view: TalkView) -> KnownPlace:
    """The things of a view that a talk may tell of; kinds that were looked for, and all that the model has."""
    things = [NumberedThing(one.id, one.name, one.phrase.removeprefix("the ") or None) for one in view.told]
    known = {one.category for one in (*view.things, *view.others) if one.category}
    return KnownPlace(things, frozenset(known | view.looked_for), partial(_judge_in_view, view))


def place_cloud(scene: CloudThings, ids: Sequence[str]) -> KnownPlace:
    """Things of a cloud, by their ids; of several of a kind no name means one."""
    names, alone = scene.names, {box.object for box in scene.alone}
    things = [NumberedThing(one, names[one], names[one] if one in alone else None) for one in ids]
    return KnownPlace(things, frozenset({*scene.of_kind, *scene.absent}), partial(_judge_in_cloud, scene))


def _judge_in_view(view: TalkView, claim: ViewClaim) -> tuple[State, str]:
    """Whether a claim holds; distances as people round them."""
    found = judge(claim, view, ViewBars())
    if claim.kind == "distance" and found.state == "false" and not claim.denied and found.measured is not None:
        low, high = find_interval_m(claim.value_number)
        return ("true" if low <= found.measured <= high else "false"), found.reason
    return found.state, found.reason


def _judge_in_cloud(scene: CloudThings, claim: ViewClaim) -> tuple[State, str]:
    """Whether a claim holds wherever one stands; unknown for what needs a standpoint."""
    state, reason = _judge_bare(scene, claim)
    return (_TURNED[state] if claim.denied else state), reason


def _judge_bare(scene: CloudThings, claim: ViewClaim) -> tuple[State, str]:
    known = [scene.known[one] for one in (*claim.subject, *claim.other)]
    if claim.kind == "visible":
        is_absent = claim.value in scene.absent
        return ("true", "the cloud has it") if known else ("false" if is_absent else "unknown", "none is known of")
    if not known:
        is_known = claim.kind == "room" and scene.room is not None
        state: State = "unknown" if not is_known else "true" if claim.value == scene.room else "false"
        return state, f"rooms: {', '.join(scene.rooms)}"
    if claim.kind == "count":
        kind = scene.names[claim.subject[0]]
        if kind in scene.unsure_kinds:
            return "unknown", f"there may be more of {kind} than is known"
        count = len(scene.of_kind[kind])
        return ("true" if claim.value == count else "false"), f"the scene has {count} of {kind}"
    return _judge_two(claim, *known) if len(known) == 2 else _judge_one(claim, known[0])


def _judge_one(claim: ViewClaim, one: Thing) -> tuple[State, str]:
    if claim.kind == "room":
        room = one.thing.room
        state: State = "unknown" if room is None else "true" if room.replace("_", " ") == claim.value else "false"
        return state, f"it is in the {room}"
    color = one.thing.color
    if claim.kind != "color" or color is None:
        return "unknown", "that is not known of a cloud"
    if base_color(color) == base_color(str(claim.value)):
        return "true", f"it is {color}"
    return ("unknown" if may_be_one_color(color, str(claim.value)) else "false"), f"it is {color}"


def _judge_two(claim: ViewClaim, a: Thing, b: Thing) -> tuple[State, str]:
    if claim.kind == "gap":
        middles, free = distance(a.body, b.body), gap(a.body, b.body)
        slack = max(_DISTANCE_M, _DISTANCE_SHARE * middles) + 2 * (a.sigma + b.sigma)
        is_right = min(abs(claim.value_number - middles), abs(claim.value_number - free)) <= slack
        return ("true" if is_right else "false"), f"{middles:.2f} m between their middles, {free:.2f} m between them"
    pair = pair_of(a, b)
    measure = {
        "on": lambda: pair.stands_on, "under": lambda: pair.is_under, "next to": lambda: pair.is_next_to,
        "larger": lambda: pair.is_bigger, "smaller": lambda: pair.is_bigger.deny(), "taller": lambda: pair.is_taller,
        "shorter": lambda: pair.is_taller.deny(),
    }.get(claim.kind)  # fmt: skip
    if measure is None:
        return "unknown", "that needs a standpoint"
    found = measure()
    state: State = "unknown" if found.state is None else "true" if found.state else "false"
    return state, f"{found.value:+.2f}, need {found.margin:.2f}"
