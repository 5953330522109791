"""What holds of a cloud though nobody knows how many of each kind it has: which kinds, where, and which it has not."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from itertools import combinations

from instructions.asking.draws import Draw
from instructions.dialogues.clouds.cloud_tasks import HOUSEHOLD, WRONG_OPTIONS, CloudThings, ask_options
from instructions.dialogues.records import CloudBox, Evidence, Relation, Turn, count_things
from instructions.dialogues.rounding import say_metres
from instructions.dialogues.tasks.tasks import Draft
from instructions.facts.existence import judge_absence
from instructions.wording.english import capital, head_noun, is_plural, join_list, number_of, pluralize, with_article

MOST_PRESENCE = 4
"""Questions about which kinds there are, of one cloud."""
MOST_ABSENT = 3
"""Kinds that a description says a scan does not show: a few tell that it was looked for them."""


def find_absent_kinds(looked_for: Collection[str], found: Collection[str], *, is_detected: bool) -> tuple[str, ...]:
    """Household kinds that were looked for, of which no frame shows one, nor anything that is often taken for it.

    Args:
        looked_for: Kinds that the detector knows.
        found: Every word that any frame or thing was called by, however unsure.
        is_detected: Only perception says what there is.
    """
    heads = {head_noun(word) for word in found}
    household = {article.split(" ", 1)[1] for article in HOUSEHOLD}
    return tuple(
        kind
        for kind in sorted(set(looked_for) & household)
        if judge_absence(kind, heads, is_looked_for=True, is_detected=is_detected).state
    )


def ask_presence(things: CloudThings, draw: Draw, proved: Sequence[str] = (), proposer: str = "") -> Iterator[Draft]:
    """Which of six kinds the scan shows, and which of six it does not."""
    proposals = {
        with_article(kind): Evidence(
            f"absent {kind}", f"{kind}, which {proposer} proposed, was looked for and is in no frame"
        )
        for kind in proved
    }
    here, away = list(things.of_kind), list(things.absent)
    lot = draw.shuffle(here)
    for name in lot[: MOST_PRESENCE // 2] if len(away) >= WRONG_OPTIONS else ():
        wrong = [*proposals, *(with_article(kind) for kind in draw.shuffle(away))]
        question = "Which of these does the scan show?"
        evidence = _tell_shown(things, name)
        yield from ask_options(f"shows {name}", question, with_article(name), wrong, evidence, name, proposals)
    for kind in draw.shuffle(away)[: MOST_PRESENCE // 2]:
        if len(here) < WRONG_OPTIONS:
            break
        wrong = [with_article(name) for name in draw.shuffle(here)]
        question = "Which of these does the scan not show?"
        yield from ask_options(f"lacks {kind}", question, with_article(kind), wrong, things.tell_absent(kind), kind)


def _tell_shown(things: CloudThings, name: str) -> Evidence:
    return Evidence(f"kind {name}", f"{name} is there", tuple(one.object for one in things.of_kind[name]))


def call(things: CloudThings, box: CloudBox) -> str:
    """`the sofa`, `one of the chairs`, or `a chair` where it is not known whether there are more."""
    if box in things.alone:
        return f"the {box.name}"
    return f"one of the {pluralize(box.name)}" if len(things.of_kind[box.name]) > 1 else with_article(box.name)


def find_pairs(things: CloudThings) -> list[tuple[CloudBox, CloudBox, Relation]]:
    """Things of two kinds of which one is on or next to the other, each pair of kinds once, the surest first."""
    boxes = {box.object: box for boxes in things.of_kind.values() for box in boxes}
    out: dict[frozenset[str], tuple[float, CloudBox, CloudBox, Relation]] = {}
    for a in boxes.values():
        for relation in things.relations(a.object):
            b = boxes[relation.b]
            sigma = things.known[a.object].sigma + things.known[b.object].sigma
            kinds = frozenset((a.name, b.name))
            if a.name != b.name and (kinds not in out or sigma < out[kinds][0]):
                out[kinds] = (sigma, a, b, relation)
    return [found[1:] for found in sorted(out.values(), key=lambda one: (one[0], one[1].object, one[2].object))]


def find_distances(things: CloudThings) -> list[tuple[CloudBox, CloudBox, float]]:
    """Things of two kinds far enough apart for a distance to mean something, no thing twice, the surest first.

    Only between things that are surely the only ones of their kind: else a distance would not say to which.
    """
    found = []
    for a, b in combinations(things.alone, 2):
        apart = things.measure_apart(a, b)
        if apart is not None:
            found.append((apart[1] / apart[0], a.object, b.object, a, b, apart[0]))
    out: list[tuple[CloudBox, CloudBox, float]] = []
    used: set[str] = set()
    for *_, a, b, away in sorted(found, key=lambda one: one[:3]):
        if not used & {a.object, b.object}:
            used |= {a.object, b.object}
            out.append((a, b, away))
    return out


def say_kinds(things: CloudThings, most: int) -> tuple[str, list[Evidence]]:
    """`at least two plants and one bed`, and what it rests on: of so many kinds, the most frequent."""
    evidence = []
    chosen = sorted(things.of_kind, key=lambda name: (-len(things.of_kind[name]), name))[:most]
    for name in sorted(chosen):
        boxes = things.of_kind[name]
        number = name if is_plural(name) else number_of(len(boxes), name)
        sure = is_plural(name) or name not in things.unsure_kinds
        words = number if sure else f"at least {number}"
        evidence.append(count_things(name, [box.object for box in boxes], words))
    return join_list([one.words for one in evidence]), evidence


def talk_of_kinds(things: CloudThings, draw: Draw) -> Iterator[tuple[Turn, Evidence]]:
    """Turns that hold however many there are of each kind."""
    for a, b, relation in find_pairs(things):
        if a in things.alone and b in things.alone:
            continue  # said without `one of`
        one, other = call(things, a), call(things, b)
        verb = "are" if is_plural(a.name) else "is"
        if b in things.alone:
            question = f"What do you find {relation.predicate} {other}?"
            answer = capital(f"{one} {verb} {relation.predicate} it.")
        else:  # nobody can ask for one of several without saying which
            question = f"Does the scan show anything {relation.predicate} {with_article(b.name)}?"
            answer = f"Yes, {one} {verb} {relation.predicate} {other}."
        evidence = relation.evidence("m")
        yield Turn(question, answer, "relation", (evidence.name,)), evidence
    absent = draw.shuffle(things.absent)[:1]
    for kind in absent:
        yield _answer_presence(kind, f"No, it shows no {kind}.", things.tell_absent(kind))
    for name in draw.shuffle(things.of_kind)[:1]:
        told = with_article(name) if len(things.of_kind[name]) == 1 else pluralize(name)
        yield _answer_presence(name, f"Yes, it shows {told}.", _tell_shown(things, name))


def _answer_presence(kind: str, answer: str, evidence: Evidence) -> tuple[Turn, Evidence]:
    question = f"{'Are' if is_plural(kind) else 'Is'} there {with_article(kind)} in the scan?"
    return Turn(question, answer, "visible", (evidence.name,)), evidence


def describe_relations(things: CloudThings, most: int) -> list[tuple[str, Evidence]]:
    """Sentences about what is next to what and how far apart things are, at most so many of each."""
    out = []
    for a, b, relation in find_pairs(things)[:most]:
        verb = "are" if is_plural(a.name) else "is"
        sentence = capital(f"{call(things, a)} {verb} {relation.predicate} {call(things, b)}.")
        out.append((sentence, relation.evidence("m")))
    for a, b, away in find_distances(things)[:most]:
        middles = f"the middle of {call(things, a)} and that of {call(things, b)}"
        evidence = Evidence(f"distance {a.object} {b.object}", f"{away:.2f} m", (a.object, b.object), away, "m")
        out.append((f"About {say_metres(away)} lie between {middles}.", evidence))
    return out


def list_absent(things: CloudThings, draw: Draw) -> Sequence[str]:
    """A few kinds that the scan does not show, by lot."""
    return sorted(draw.shuffle(things.absent)[:MOST_ABSENT])
