"""How many false turns of a language model the checks of dialogues catch, and how many true ones they reject.

    python benchmarks/dialogue_checks.py [--part first|...|thirteenth|fourteenth] [--fps 1] [--show 20]

Three sets of turns about the made apartment, each put as a model's reply through the whole gate between two harmless
turns: the embedded turns of its own views and cloud (own wordings), the wordings of `labels/dialogue_wordings.json`
filled with what rays against the surfaces and `truth.json` show (unseen wordings), and the same wordings with one thing
changed: the side, the order of two, which is nearer, a number, a thing that is not there, one that is and is denied, a
colour, which is taller, what stands on what, the room; from `fresh` on also a distance and which is furthest to a side.
The patterns of old were mended on the first five parts. The reading of `turn_meaning` was made after `sixth` had been
counted, and mended on it; `seventh`, written beside it before any code was opened, was counted then, and mended on.
`eighth` and `ninth` were written together by somebody who had not seen the reader: `eighth` was counted and mended on,
`ninth` only counted after that. `tenth` was written before any code of the reader was opened, with 60 wordings that
turn what is so into what is not; they are told apart. `eleventh` and `twelfth` were written together before any
mistake on `tenth` had been looked at: `eleventh` was counted after the mending on that.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import permutations
from pathlib import Path
from typing import Literal

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1]))

from benchmarks.dialogues import ABSENT, cast_depth, know_tour
from benchmarks.results_table import write_table
from instructions.dialogues.options import DialogueOptions
from instructions.dialogues.records import Turn
from instructions.dialogues.write_talk import Asked, Description, Talk, find_fault, judge_reply
from instructions.dialogues.writer import DialogueRows, write_dialogues
from instructions.wording.english import NUMBER_WORDS, pluralize, with_article
from tests.support.judges.dialogue_judge import Judge, Seen
from tests.support.worlds.apartment_surfaces import TRUTH, Surfaces

LABELS = Path(__file__).parent / "labels" / "dialogue_wordings.json"
HARMLESS = (("Do you see it?", "Yes, I do."), ("Is that so?", "Yes, it is."))
FAR = {"blue": "orange", "green": "red", "orange": "blue", "red": "green", "yellow": "purple", "purple": "yellow",
       "white": "black", "black": "white", "brown": "blue", "pink": "green"}  # fmt: skip
ROOMS = ("garage", "kitchen", "bathroom", "bedroom", "living room")
SHOWN = 150
"""Rays of the grid (one of 16 pixels) that must meet a thing for a person to name it for sure."""
PAIRS = 4
"""Pairs of things per view and kind of wording."""


@dataclass(frozen=True)
class Fact:
    """Words for the slots of wordings that make them true, and words that make them false."""

    about: str
    true: dict[str, str] | None
    false: dict[str, str] | None


@dataclass(frozen=True)
class Said:
    """One turn, whether it is so, and what was changed if not."""

    about: str
    question: str
    answer: str
    is_true: bool


def main() -> int:
    """Print the shares; 1 if too few false turns are caught (95 %) or too many true ones rejected (2 %, 5 %)."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--fps", type=float, default=1.0, help="views per second of the tour")
    parser.add_argument("--show", type=int, default=0, help="print so many mistakes of each kind")
    parts = {name: one for name, one in json.loads(LABELS.read_text(encoding="utf-8")).items() if name != "about"}
    parser.add_argument("--part", choices=(*parts,), default=[*parts][-1], help="of the wordings")
    args = parser.parse_args()
    wordings = parts[args.part]
    surfaces = Surfaces()
    times_s = np.arange(0.0, 74.7, 1.0 / args.fps).tolist()
    tour, _ = know_tour(surfaces, times_s)

    def write(medium: Literal["view", "cloud"], for_model: bool) -> DialogueRows:
        options = DialogueOptions(medium=medium)
        return write_dialogues(tour, options, for_model=for_model, depth_of=lambda model: cast_depth(surfaces, model))

    judge = Judge(TRUTH, surfaces, times_s)
    views, clouds = write("view", True).asked, write("cloud", True).asked
    asked = {str(one.row.views): one for one in (*views, *clouds) if one.row.kind == "daily"}
    described = {str(one.row.views): one for one in (*views, *clouds) if one.row.kind == "description"}

    own = Counter[bool]()
    embedded = [*write("view", False).rows, *write("cloud", False).rows]
    mistakes: dict[str, list[str]] = defaultdict(list)
    for row in embedded:
        place = asked.get(str(row.views))
        if row.kind in ("daily", "description") and place is not None:
            for turn in row.turns:
                if row.kind == "daily":
                    why = reject(place, turn.question, turn.answer)
                else:
                    why = reject_text(described[str(row.views)], turn.answer)
                own[why is None] += 1
                if why:
                    mistakes["own"].append(f"{turn.question} {turn.answer}\n    {why}")
    unseen: dict[str, Counter[bool]] = defaultdict(Counter)
    caught: dict[str, Counter[bool]] = defaultdict(Counter)
    for place in asked.values():
        facts = tell_view(judge, place) if place.row.views else tell_cloud(judge)
        for one in (turn for fact in facts for turn in word(fact, wordings.get(fact.about, ()))):
            why = reject(place, one.question, one.answer)
            (unseen if one.is_true else caught)[one.about][why is not None] += 1
            if (why is None) != one.is_true:
                name = "true, rejected" if one.is_true else "false, kept"
                line = f"{place.row.views} {one.about}: {one.question} {one.answer}\n    {why}"
                mistakes[name].append(line)
    rejected_own = own[False] / max(own.total(), 1)
    print(f"own wordings: {own.total()} turns, rejected {rejected_own:.1%}")
    rejected = _tell("unseen wordings, true: rejected", unseen)
    found = _tell("unseen wordings, one thing changed: caught", caught)
    write_table(
        f"dialogue_checks_{args.part}",
        ("turns", "number", "share"),
        [
            ("our own, rejected", own.total(), f"{rejected_own:.1%}"),
            ("true ones in unseen wordings, rejected", _sum(unseen), f"{rejected:.1%}"),
            ("with one thing changed, caught", _sum(caught), f"{found:.1%}"),
        ],
    )
    rng = np.random.default_rng(0)
    for name, lines in mistakes.items():
        for place in sorted(rng.permutation(len(lines))[: args.show]):
            print(f"[{name}] {lines[place]}")
    return int(rejected_own > 0.02 or rejected > 0.05 or found < 0.95)


def _sum(counts: dict[str, Counter[bool]]) -> int:
    return sum(one.total() for one in counts.values())


def _tell(title: str, counts: dict[str, Counter[bool]]) -> float:
    total = sum((one for one in counts.values()), Counter[bool]())
    share = total[True] / max(total.total(), 1)
    print(f"{title} {share:.1%} of {total.total()}")
    for about, one in sorted(counts.items()):
        print(f"    {about:20} {one[True] / one.total():6.1%} of {one.total()}")
    return share


def reject(place: Asked, question: str, answer: str) -> str | None:
    """Why the gate does not keep a turn that a model says between two harmless ones; None if it does."""
    first, last = ({"question": q, "answer": a, "about": "reason"} for q, a in HARMLESS)
    talk = Talk.model_validate({"turns": [first, {"question": question, "answer": answer, "about": "visible"}, last]})
    row = judge_reply(replace(place, background=None), talk, ())
    fault = find_fault(place, Turn(question, answer, "visible"), ())
    if not row.accepted:
        return f"{row.rejected_because}: {row.rejection}"
    return None if any(turn.question == question and turn.answer == answer for turn in row.turns) else f"cut: {fault}"


def reject_text(place: Asked, text: str) -> str | None:
    """Why the gate does not keep a description; None if it does. Its length is not asked."""
    row = judge_reply(place, Description(text=text), (), most_tokens=10_000)
    return None if row.accepted or row.rejected_because == "too_short" else f"{row.rejected_because}: {row.rejection}"


def tell_view(judge: Judge, place: Asked) -> Iterator[Fact]:
    """What is so in a view, by rays."""
    view = judge.view(place.row.views[0])
    shown = {n: int(view.mask(n).sum()) for n in range(len(judge.things))}
    kinds = Counter(judge.things[n]["category"] for n, rays in shown.items() if rays)
    # Of `cabinet` and `wall cabinet` in one view nobody knows which `the cabinet` is.
    vague = {name for name in kinds if any(other.endswith(f" {name}") for other in kinds)}
    alone = {name for name, count in kinds.items() if count == 1 and name not in vague}
    sure = [n for n, rays in shown.items() if rays >= SHOWN and judge.things[n]["category"] in alone]
    for n in sure:
        name, (x0, _, x1, _) = judge.things[n]["category"], view.box(n)
        middle = (x0 + x1) / 2
        if not 0.3 <= middle <= 0.7:
            side, other = ("left", "right") if middle < 0.3 else ("right", "left")
            yield Fact("side", dict(a=name, side=side, other=other), dict(a=name, side=other, other=side))
        yield Fact("there", dict(a=name), None)
        yield Fact("absent", None, dict(a=name))
        color = judge.things[n]["color"]
        if color in FAR:
            wrong = FAR[color]
            yield Fact("color", dict(a=name, c=color, wrong=wrong), dict(a=name, c=wrong, wrong=color))
        metres = view.near(n)
        if metres >= 1.5:
            told, wrong = str(round(metres)), str(round(3 * metres))
            yield Fact("distance", dict(a=name, m=told), dict(a=name, m=wrong))
    for name in ABSENT:
        if not kinds[name] and not any(one["category"] == name for one in judge.things):
            yield Fact("there", None, dict(a=name))
            yield Fact("absent", dict(a=name), None)
    yield from _pairs(judge, view, sure)
    for name in sorted(kinds):
        rays = [shown[n] for n in range(len(shown)) if judge.things[n]["category"] == name]
        if min((one for one in rays if one), default=0) >= SHOWN:
            yield from _count(name, kinds[name])
    yield from _room(judge, view)


def _pairs(judge: Judge, view: Seen, sure: Sequence[int]) -> Iterator[Fact]:
    told: Counter[str] = Counter()
    for a, b in permutations(sure, 2):
        names = {"a": judge.things[a]["category"], "b": judge.things[b]["category"]}
        back = {"a": names["b"], "b": names["a"]}
        gap = sum(view.box(a)[::2]) / 2 - sum(view.box(b)[::2]) / 2
        if abs(gap) > 0.2 and told["pair"] < PAIRS:
            told["pair"] += 1
            side, other = ("left", "right") if gap < 0 else ("right", "left")
            said = {**names, "side": side, "other": other}, {**names, "side": other, "other": side}
            yield Fact("pair", *said)
            yield Fact("outermost", *said)
        if view.near(a) * 1.4 < view.near(b) and told["nearer"] < PAIRS:
            told["nearer"] += 1
            yield Fact("nearer", names, back)
        yield from _measures(judge, a, b, told)


def _measures(judge: Judge, a: int, b: int, told: Counter[str]) -> Iterator[Fact]:
    """Which is taller and what stands on what, of two things."""
    names = {"a": judge.things[a]["category"], "b": judge.things[b]["category"]}
    back = {"a": names["b"], "b": names["a"]}
    (low_a, high_a, plan_a), (low_b, high_b, plan_b) = _extent(judge, a), _extent(judge, b)
    if high_a - low_a > 1.4 * (high_b - low_b) and told["size"] < PAIRS:
        told["size"] += 1
        yield Fact("size", names, back)
    inside = (plan_b[0] <= plan_a.mean(axis=0)).all() and (plan_a.mean(axis=0) <= plan_b[1]).all()
    if abs(low_a - high_b) < 0.03 and inside and told["support"] < PAIRS:
        told["support"] += 1
        yield Fact("support", names, back)


def _extent(judge: Judge, thing: int) -> tuple[float, float, np.ndarray]:
    """Lowest and highest z, and the plan as (2, 2) least and greatest x, y."""
    box = judge.things[thing]["obb"]
    signs = np.array(np.meshgrid(*[[-1, 1]] * 3)).T.reshape(-1, 3)
    corners = np.array(box["center_m"]) + (signs * box["half_extents_m"]) @ np.array(box["rotation"]).T
    return corners[:, 2].min(), corners[:, 2].max(), np.array([corners[:, :2].min(0), corners[:, :2].max(0)])


def _count(name: str, number: int) -> Iterator[Fact]:
    if number < 2:
        return
    n, wrong = NUMBER_WORDS[number], NUMBER_WORDS[number + 1 + number % 2]
    many = pluralize(name)
    yield Fact("count", {"as": many, "n": n, "wrong": wrong}, {"as": many, "n": wrong, "wrong": n})


def _room(judge: Judge, view: Seen) -> Iterator[Fact]:
    """Of a view in which every ray that meets a thing meets one of the room where we stand."""
    room = judge._room(view)
    inside = {judge.things[n]["room"] for n in range(len(judge.things)) if view.mask(n).any()}
    if room and len(inside) == 1:
        wrong = next(one for one in ROOMS[(len(room)) % 2 :] if one != room)
        yield Fact("room", dict(r=room, wrong=wrong), dict(r=wrong, wrong=room))


def tell_cloud(judge: Judge) -> Iterator[Fact]:
    """What is so in the whole apartment, by `truth.json`."""
    kinds = Counter(one["category"] for one in judge.things)
    for name, number in sorted(kinds.items()):
        if number + 2 < len(NUMBER_WORDS):
            yield from _count(name, number)
    alone = [n for n, one in enumerate(judge.things) if kinds[one["category"]] == 1]
    told: Counter[str] = Counter({"size": -20, "support": -20})
    for a, b in permutations(alone, 2):
        yield from _measures(judge, a, b, told)


def word(fact: Fact, wordings: Sequence[Sequence[str]]) -> Iterator[Said]:
    """The fact in every wording, as it is and with one thing changed; by some wordings what is so becomes false."""
    for question, answer, *turned in wordings:
        for slots, is_true in ((fact.true, not turned), (fact.false, False)):
            if slots is None or (turned and slots is fact.false):
                continue
            a, n, side, c = (str(slots.get(key, "")) for key in ("a", "n", "side", "c"))
            more = {"an_a": with_article(a), "An_a": with_article(a).capitalize(), "a_c": with_article(c)}
            more |= {"N": n.capitalize(), "Side": side.capitalize()}
            about = f"{fact.about} worded so" if turned else fact.about
            yield Said(about, question.format(**slots, **more), answer.format(**slots, **more), is_true)


if __name__ == "__main__":
    raise SystemExit(main())
