"""Names by a server, weighed as one more clue: agreement over frames, with size and with detectors decides.

The weights were fitted without a server. A vote gets that of one picture of the close look, which looks at single
things in the same way; where the server says nothing, nothing changes. Of a word that no network can say, its votes
are the evidence, too.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from instructions.perception.frames.tags import Tag
from instructions.perception.marked.server import Vote, Witness
from instructions.perception.models.light.labels import ade_words, coco_words, head_of, is_same_kind, list_heads, words
from instructions.perception.rooms.priors import seen_as
from instructions.perception.scene_things import Perceived, name_known
from instructions.perception.things.certainty import add_votes, estimate_certainty, keep_sure_names
from instructions.perception.things.clues import NEUTRAL, NEUTRAL_BOTH, NEUTRAL_TAG, measure_sides
from instructions.records import SceneObject
from instructions.wording.colors import may_be_one_color
from recon.records import Scene, SceneModel

_UNSURE = 0.5
"""A vote that the server is not sure of counts half."""
_DOUBT = 1.0
"""In sure votes: what nobody said has its share of the evidence, so that one reply is never the whole truth."""
_COLOR_VOTES = 2


def add_server_names(found: Perceived, scene: Scene, witness: Witness, *, networks_looked: bool) -> Perceived:
    """What was found, with a server's word on names and colors weighed in.

    Args:
        found: Things with or without names.
        scene: The same.
        witness: What the server says.
        networks_looked: Whether networks looked for names, too: what they can say and did not counts against a word.
    """
    model_of = {model.name: model for model in scene.models}
    sayable = frozenset(head_of(word) for word in (*coco_words(), *ade_words()) if word and networks_looked)
    weighed = [
        weigh_votes(thing, votes, model_of[thing.model], sayable, witness.source)
        if (votes := witness.votes.get(thing.id))
        else thing
        for thing in found.objects
    ]
    metres = {model.name: model.nominal_metre for model in scene.models}
    return replace(found, objects=name_known(keep_sure_names(weighed, metres)))


def weigh_votes(
    thing: SceneObject, votes: Sequence[Vote], model: SceneModel, sayable: frozenset[str], source: str
) -> SceneObject:
    """A thing with what it may be after a server's votes, and the best of it as its category, sure or not.

    Args:
        thing: With the probabilities that networks gave its words; none for a landmark.
        votes: At least one.
        model: Its model.
        sayable: Heads of the words that networks looked for.
        source: Who voted.
    """
    whole = sum(_weight_of(vote) for vote in votes) + _DOUBT

    def share_of(word: str) -> float:
        return sum(_weight_of(vote) for vote in votes if is_same_kind(vote.word, word)) / whole

    def balance_of(word: str) -> float:
        return 2.0 * share_of(word) * whole - (whole - _DOUBT)

    shares: dict[str, float] = {}
    for word, probability in thing.categories:  # votes count once, for the best word of a kind
        is_new = not any(is_same_kind(word, known) for known in shares)
        shares[word] = add_votes(probability, balance_of(word)) if is_new else probability
    clues_of = {thing.categories[0][0]: dict(thing.clues)} if thing.categories else {}
    evidence: dict[str, float] = defaultdict(float)
    for vote in votes:
        evidence[vote.word] += _weight_of(vote)
    for word in sorted(evidence, key=lambda one: (-evidence[one], one)):
        if _is_thing(word) and not any(is_same_kind(word, known) for known in shares):
            clues_of[word] = _measure_clues(word, thing, votes, model, sayable, share_of(word))
            shares[word] = add_votes(estimate_certainty(word, clues_of[word]), balance_of(word))
    if not shares:
        return thing
    most = max(1.0, sum(shares.values()))
    by_odds = sorted(shares.items(), key=lambda pair: (-pair[1], pair[0]))
    categories = tuple((word, probability / most) for word, probability in by_odds)
    best = categories[0][0]
    clues = clues_of.get(best, {}) | {"server": share_of(best)}
    return replace(
        thing,
        category=best,
        alias=best,
        categories=categories,
        clues=tuple(clues.items()),
        captions=tuple(dict.fromkeys((*(one.caption for one in votes if one.caption), *thing.captions))),
        color=_weigh_color(thing.color, votes),
        source=f"{thing.source}, {source}",
    )


def _is_thing(word: str) -> bool:
    return not any(noun.role == "surface" and noun.name in list_heads(word) for noun in words().values())


def _weight_of(vote: Vote) -> float:
    return 1.0 if vote.is_sure else _UNSURE


def _measure_clues(
    word: str, thing: SceneObject, votes: Sequence[Vote], model: SceneModel, sayable: frozenset[str], share: float
) -> dict[str, float]:
    """Clues of a word that only the server says; nobody looked closely for it."""
    was_sought = any(is_same_kind(word, head) for head in sayable)
    ways = [
        model.world_from_cam[vote.frame].center - np.array(thing.obb.center)
        for vote in votes
        if is_same_kind(vote.word, word)
    ]
    return {
        "share": 0.0 if was_sought else share,
        "views": measure_sides(np.array(ways), len(ways)),
        "close": NEUTRAL,
        "tag": NEUTRAL_TAG,
        "fine": NEUTRAL,
        "both": NEUTRAL_BOTH,
    }


def _weigh_color(color: str | None, votes: Sequence[Vote]) -> str | None:
    """The measured color unless all sure votes call it another; theirs where they agree and none was measured."""
    colors = [vote.color for vote in votes if vote.is_sure and vote.color is not None]
    if len(colors) < _COLOR_VOTES:
        return color
    if color is None:
        return colors[0] if len(set(colors)) == 1 else None
    return color if any(may_be_one_color(color, one) for one in colors) else None


def tag_rooms(witness: Witness) -> dict[int, tuple[Tag, ...]]:
    """By frame, the room that a server sees, as a tag that speaks for such a room."""
    return {frame: (Tag(seen_as(room), 1.0, witness.source),) for frame, room in witness.rooms.items()}
