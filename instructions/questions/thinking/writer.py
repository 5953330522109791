"""The talks of a tour: puzzles that its views decide, some of each kind, as many yes as no."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import Any

from instructions.asking.draws import Draw
from instructions.asking.gates import hide_pair
from instructions.facts.pairs import PairTable
from instructions.language.budget import Usage
from instructions.language.model import TextModel
from instructions.language.open_questions import OpenQuestions
from instructions.language.options import LanguageOptions
from instructions.questions.core.asker import Asker
from instructions.questions.core.options import SpatialOptions
from instructions.questions.core.records import SPATIAL, ThinkingTalk
from instructions.questions.core.view_sets import ViewSet
from instructions.questions.things.registry import find_hidden
from instructions.questions.thinking.dialogues import Friend, Played, compose_question, compose_talk, play, tell_answer
from instructions.questions.thinking.puzzles import Solved, find_puzzles
from instructions.questions.wording.rows import refer
from instructions.rows import name_perception, row_id
from instructions.tour import Tour

MOST_PER_VIEW = 3
"""Talks about one frame; each of another puzzle where there are such."""


@dataclass(frozen=True, eq=False)
class Posed:
    """A puzzle of a view that is asked."""

    asker: Asker
    solved: Solved
    draw: Draw


def pose_puzzles(tour: Tour, options: SpatialOptions = SpatialOptions()) -> list[Posed]:
    """The puzzles of a tour, in time order: each things and kind once, as many yes as no of each kind."""
    found: list[Posed] = []
    told: Counter[tuple[str, bool | int]] = Counter()
    for model in tour.scene.models:
        pairs = PairTable(model, tuple(tour.know(model).values()))
        asked: set[tuple[str, ...]] = set()
        for view in tour.views(model):
            asker = Asker(ViewSet.of_view(view), pairs, options.gates)
            hidden = find_hidden(asker)
            things = [thing for thing in view.things if thing.id not in hidden]
            pairs_of = combinations(things, 2)
            mixed = {frozenset((a.id, b.id)) for a, b in pairs_of if hide_pair(a, b, options.gates) is not None}
            draw = Draw(tour.seed, tour.id, SPATIAL, "thinking", model.name, view.frame)
            by_kind: dict[str, list[Solved]] = defaultdict(list)
            for solved in find_puzzles(asker, things, draw):
                ids = [thing.id for thing in solved.things]
                is_clear = mixed.isdisjoint(map(frozenset, combinations(ids, 2)))
                if is_clear and (solved.puzzle, *sorted(ids)) not in asked:
                    by_kind[solved.puzzle].append(solved)
            for solved in _pick(by_kind, told, draw):
                ids = [thing.id for thing in solved.things]
                asked.add((solved.puzzle, *sorted(ids)))
                about = (tour.seed, tour.id, SPATIAL, "talk", view.frame, solved.puzzle)
                found.append(Posed(asker, solved, Draw(*about, *ids)))
    return _even_out(found)


def write_talks(tour: Tour, posed: Sequence[Posed]) -> list[ThinkingTalk]:
    """Every puzzle as a talk from templates."""
    return [_row(tour, one, compose_talk(one.solved, one.draw)) for one in posed]


def play_talks(
    tour: Tour, posed: Sequence[Posed], *, replies: Path, options: LanguageOptions, connect: Callable[[], TextModel]
) -> tuple[list[ThinkingTalk], Usage, OpenQuestions]:
    """Every puzzle as a talk of a language model, which sees only the question, with the measures for a friend.

    A talk is kept if its answer is the truth; others are rows with the reason. One without all its moves is no row.

    Raises:
        InstructionError: If the server cannot be used.
    """
    questions = [compose_question(one.solved, one.draw) for one in posed]
    games = [
        (question, Friend(one.asker, one.solved), tell_answer(one.solved))
        for one, (question, _) in zip(posed, questions, strict=True)
    ]
    played, usage, left_open = play(games, replies=replies, options=options, connect=connect, seed=tour.seed)
    rows = []
    for one, (question, template), (*_, told), game in zip(posed, questions, games, played, strict=True):
        talk = {
            "question": question,
            "turns": game.turns,
            "conclusion": "",
            "answer": game.answer,
            "truth": told[1],
            "choices": told[2],
            "template": template,
        }
        rows += [] if game.is_open else [_row(tour, one, talk, game)]
    return rows, usage, left_open


def _row(tour: Tour, one: Posed, talk: Mapping[str, Any], game: Played | None = None) -> ThinkingTalk:
    model = one.asker.view.model
    writer = "embedded" if game is None else f"llm {game.served_by}"
    ids = [thing.id for thing in one.solved.things]
    about = row_id(
        one.asker.view.frame, "thinking", one.solved.puzzle, *ids, writer.partition(" ")[0], talk["question"]
    )
    code = None if game is None else game.rejected_because
    named = zip(one.solved.things, one.solved.names, strict=True)
    return ThinkingTalk(
        id=f"{tour.id}_m{model.name}_t{about}",
        tour=tour.id,
        model=model.name,
        views=(one.asker.view.frame,),
        scale_status=model.scale.status,
        perception=name_perception(tour.objects),
        writer=writer,
        prompt=None if game is None else game.prompt,
        reply=None if game is None else game.reply_key,
        seed=tour.seed,
        accepted=code is None,
        rejected_because=code,
        rejection=None if game is None else game.rejection,
        puzzle=one.solved.puzzle,
        references=tuple(refer(one.asker.views, thing.id, name) for thing, name in named),
        evidence=one.solved.evidence,
        **talk,
    )


def _pick(by_kind: dict[str, list[Solved]], told: Counter[tuple[str, bool | int]], draw: Draw) -> Iterator[Solved]:
    """Some of a view, of each kind in turn; of a kind one whose answer was told less often so far."""
    kinds = sorted(by_kind)
    for _ in range(min(MOST_PER_VIEW, len(kinds))):
        kinds.remove(kind := draw.pick(kinds))
        least = min(told[kind, one.verdict] for one in by_kind[kind])
        lagging = [one for one in by_kind[kind] if told[kind, one.verdict] == least]
        picked = draw.pick(lagging)
        told[kind, picked.verdict] += 1
        yield picked


def _even_out(found: Sequence[Posed]) -> list[Posed]:
    """As many yes as no of each kind with such answers; which go is drawn."""
    groups: dict[tuple[str, bool], list[int]] = defaultdict(list)
    for place, one in enumerate(found):
        if one.solved.puzzle != "nearest":
            groups[one.solved.puzzle, bool(one.solved.verdict)].append(place)
    gone: set[int] = set()
    for kind in {kind for kind, _ in groups}:
        yes, no = groups[kind, True], groups[kind, False]
        least = min(len(yes), len(no))
        for places in (yes, no):
            gone.update(sorted(places, key=lambda place: found[place].draw.uniform())[least:])
    return [one for place, one in enumerate(found) if place not in gone]
