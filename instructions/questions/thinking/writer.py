"""The talks of a tour: puzzles that its views decide, some of each kind, as many yes as no."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from itertools import combinations
from pathlib import Path
from typing import Any

from instructions.asking.draws import Draw
from instructions.asking.gates import hide_pair
from instructions.facts.pairs import PairTable
from instructions.language import prompts
from instructions.language.budget import Usage
from instructions.language.model import TextModel
from instructions.language.open_questions import OpenQuestions
from instructions.language.options import LanguageOptions
from instructions.questions.core.asker import Asker
from instructions.questions.core.options import SpatialOptions
from instructions.questions.core.records import SPATIAL, ThinkingTalk
from instructions.questions.core.view_sets import ViewSet
from instructions.questions.things.registry import find_hidden
from instructions.questions.thinking.dialogues import TALK_FAULTS, Posed, play
from instructions.questions.thinking.puzzles import Solved, find_puzzles
from instructions.questions.wording.rows import refer
from instructions.rows import name_perception, row_id
from instructions.tour import Tour

MOST_PER_VIEW = 3
"""Talks about one frame; each of another puzzle where there are such."""


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
    return [_row(tour, one, **one.compose_talk()) for one in posed]


def play_talks(
    tour: Tour, posed: Sequence[Posed], *, replies: Path, options: LanguageOptions, connect: Callable[[], TextModel]
) -> tuple[list[ThinkingTalk], Usage, OpenQuestions]:
    """Every puzzle as a talk of a language model, which sees only the question, with the measures for a friend.

    A talk is kept if its answer is the truth; others are rows with the reason. One without all its moves is no row.

    Raises:
        InstructionError: If the server cannot be used.
    """
    asked = [one.compose_question() for one in posed]
    questions = [question for question, _ in asked]
    played, usage, left_open = play(
        posed, questions, replies=replies, options=options, connect=connect, seed=tour.seed
    )  # fmt: skip
    rows = [
        _row(
            tour, one, f"llm {game.served_by}", game.rejected_because, question=question, turns=game.turns,
            conclusion="", answer=game.answer, template=template, reply=game.reply_key,
            prompt=prompts.load("instructions.questions", "thinking").label,
        )
        for one, (question, template), game in zip(posed, asked, played, strict=True)
        if not game.is_open
    ]  # fmt: skip
    return rows, usage, left_open


def _row(tour: Tour, one: Posed, writer: str = "embedded", code: str | None = None, **talk: Any) -> ThinkingTalk:
    """The row of a talk, rejected by a code of `TALK_FAULTS` or kept; the other fields are those that words fill."""
    solved, model = one.solved, one.asker.view.model
    ids = [thing.id for thing in solved.things]
    about = row_id(one.asker.view.frame, "thinking", solved.puzzle, *ids, writer.partition(" ")[0], talk["question"])
    return ThinkingTalk(
        id=f"{tour.id}_m{model.name}_t{about}",
        tour=tour.id,
        model=model.name,
        views=(one.asker.view.frame,),
        scale_status=model.scale.status,
        perception=name_perception(tour.objects),
        writer=writer,
        seed=tour.seed,
        accepted=code is None,
        rejected_because=code,
        rejection=None if code is None else TALK_FAULTS[code],
        puzzle=solved.puzzle,
        references=tuple(refer(one.asker.views, name, naming) for name, naming in zip(ids, solved.names, strict=True)),
        truth=solved.truth,
        choices=solved.choices,
        evidence=solved.evidence,
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
