"""Talks end in the answer that the boxes give; a model's talk is kept only if it does too."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from instructions.language.options import LanguageOptions
from instructions.questions.core.records import MOST_TURNS, ThinkingTalk
from instructions.questions.thinking.dialogues import Posed
from instructions.questions.thinking.writer import play_talks, pose_puzzles, write_talks
from instructions.questions.wording.templates import templates_of
from tests.support.cases import each_case
from tests.support.doubles.scripted_model import ScriptedModel
from tests.support.worlds.box_rooms import Block, Room, make_room

PUZZLES = ("wide_enough", "isosceles", "nearest", "longer", "child_reach", "fits_into")
EYES = [(0.05 * step, 0.3 * side, 1.5) for step in range(4) for side in (-1, 0, 1)]
OPTIONS = LanguageOptions(model="scripted", concurrency=1)


def make_rooms(count: int = 6) -> list[tuple[Room, dict[str, Block]]]:
    out = []
    for seed in range(count):
        random = np.random.default_rng(seed)
        blocks = []
        for number, name in enumerate(("chair", "table", "lamp", "sofa", "plant")):
            size = random.uniform(0.3, 1.2, 3).round(2)
            bottom = 0.0 if random.random() < 0.6 else float(random.uniform(0.5, 1.7))
            place = (3.0 + 1.3 * number, float(random.uniform(-1.8, 1.8)), bottom + size[2] / 2)
            blocks.append(Block(name, place, (size[0], size[1], size[2])))
        # An even triangle of three things, now and then.
        if seed % 3 == 0:
            for row, (x, y) in enumerate(((3.0, 0.0), (4.0, 0.577), (4.0, -0.577))):
                blocks[row] = Block(blocks[row].name, (x, y, 0.3), (0.3, 0.3, 0.6))
        out.append((make_room(blocks, eyes=EYES), {f"0_{row}": block for row, block in enumerate(blocks)}))
    return out


def pose(room: Room) -> list[Posed]:
    return pose_puzzles(room.tour)


@pytest.fixture(scope="module")
def talks() -> list[tuple[ThinkingTalk, dict[str, Block]]]:
    found = []
    for room, blocks in make_rooms(24):
        found += [(talk, blocks) for talk in write_talks(room.tour, pose(room))]
    return found


def solve(talk: ThinkingTalk, blocks: dict[str, Block]) -> str:
    """The answer from the blocks themselves, whose sides lie along the axes."""
    mine = [blocks[one.object] for one in talk.references]
    centers = [np.array(block.center) for block in mine]
    apart = lambda i, j: float(np.linalg.norm(centers[i] - centers[j]))  # noqa: E731
    if talk.puzzle == "longer":
        return "yes" if apart(0, 1) > apart(0, 2) else "no"
    if talk.puzzle == "isosceles":
        sides = [apart(0, 1), apart(1, 2), apart(0, 2)]
        return "yes" if max(sides) - min(sides) < 0.1 else "no"
    if talk.puzzle == "child_reach":
        return "yes" if mine[0].center[2] - mine[0].size[2] / 2 < 1.2 else "no"
    if talk.puzzle == "fits_into":
        one, two = (sorted(block.size) for block in mine)
        return "yes" if all(a < b for a, b in zip(one, two, strict=True)) else "no"
    if talk.puzzle == "wide_enough":
        found = re.search(r"(\d+) cm", talk.question)
        assert found is not None
        gaps = [abs(centers[0][k] - centers[1][k]) - (mine[0].size[k] + mine[1].size[k]) / 2 for k in (0, 1)]
        return "yes" if float(np.hypot(*np.maximum(gaps, 0))) > int(found.group(1)) / 100 else "no"
    eye = np.array(EYES[talk.views[0] - 1])
    halves = [np.array(block.size) / 2 for block in mine]
    near = [np.linalg.norm(np.maximum(np.abs(eye - c) - half, 0)) for c, half in zip(centers, halves, strict=True)]
    return talk.references[int(np.argmin(near))].object


def test_every_answer_is_that_of_the_boxes(talks: list[tuple[ThinkingTalk, dict[str, Block]]]) -> None:
    assert {talk.puzzle for talk, _ in talks} == set(PUZZLES)
    for talk, blocks in talks:
        assert talk.truth == solve(talk, blocks), talk.question
        if talk.puzzle != "nearest":
            assert talk.answer == f"{talk.truth.capitalize()}."


def test_yes_and_no_are_equally_many_per_room(talks: list[tuple[ThinkingTalk, dict[str, Block]]]) -> None:
    counts = Counter((talk.puzzle, talk.truth) for talk, _ in talks if talk.puzzle != "nearest")
    for puzzle in PUZZLES:
        assert counts[puzzle, "yes"] == counts[puzzle, "no"]


def test_numbers_of_a_talk_are_those_of_the_boxes(talks: list[tuple[ThinkingTalk, dict[str, Block]]]) -> None:
    checked = 0
    for talk, blocks in talks:
        for turn in talk.turns:
            if turn.measured[0].name != "distance":
                continue
            one, two = (np.array(blocks[name].center) for name in turn.about)
            true = float(np.linalg.norm(one - two))
            found = re.search(r"([\d.]+) meters", turn.reply)
            assert found is not None
            assert float(found.group(1)) == pytest.approx(true, abs=0.0051)
            checked += 1
    assert checked > 15


@each_case("name", PUZZLES)
def test_each_puzzle_has_twelve_questions(name: str) -> None:
    questions = templates_of(name)["questions"]
    assert len(set(questions)) == 12
    wanted = {"child_reach": {"A"}, "wide_enough": {"A", "B"}, "fits_into": {"A", "B"}}.get(name, set("ABC"))
    assert all(set(re.findall(r"\{([ABC])\}", text)) == wanted for text in questions)


def test_the_same_seed_gives_the_same_talks_and_another_other_words() -> None:
    room, _ = make_rooms(1)[0]

    def talk(seed: int) -> list[ThinkingTalk]:
        tour = replace(room.tour, seed=seed)
        return write_talks(tour, pose_puzzles(tour))

    assert talk(0) == talk(0)
    assert [one.question for one in talk(0)] != [one.question for one in talk(1)]


def good_asker(messages: tuple) -> object:
    """Asks for the two distances of `longer` and compares them; answers anything else with yes."""
    question = messages[1].content
    names = re.findall(r"the (?:chair|table|lamp|sofa|plant)", question)
    said = [message.content for message in messages[2:] if message.role == "user"]
    if len(dict.fromkeys(names)) != 3:
        return {"answer": "Yes"}
    if len(said) < 3:
        a, b, c = dict.fromkeys(names)
        pair = ((a, b), (b, c), (a, c))[len(said)]
        return {"ask": f"How far is {pair[0]} from {pair[1]}?", "measure": "distance", "of": list(pair)}
    numbers = [float(re.search(r"([\d.]+) meters", one).group(1)) for one in said]  # type: ignore[union-attr]
    return {"answer": "Yes." if max(numbers) - min(numbers) < 0.1 else "No."}


def play(room: Room, replies: Path, model: ScriptedModel):
    posed = pose(room)
    rows, usage, left_open = play_talks(room.tour, posed, replies=replies, options=OPTIONS, connect=lambda: model)
    assert len(rows) + left_open.count == len(posed) <= usage.questions
    return rows


def test_a_model_that_asks_and_thinks_is_kept_and_one_that_guesses_is_not(tmp_path: Path) -> None:
    kept = Counter[str]()
    for number, (room, blocks) in enumerate(make_rooms()):
        for row in play(room, tmp_path / str(number), ScriptedModel(good_asker)):
            kept[f"{row.puzzle} {row.accepted}"] += 1
            if row.accepted:
                assert row.truth == solve(row, blocks)
                assert any(turn.measured for turn in row.turns)
            else:
                assert row.rejected_because in ("wrong_answer", "guessed")
    assert kept["isosceles True"] == sum(kept[f"isosceles {word}"] for word in (True, False)) > 0
    assert not kept["child_reach True"]  # guessed without one measure


def test_talks_that_lead_nowhere_are_rejected_with_the_reason(tmp_path: Path, subtests: pytest.Subtests) -> None:
    said = [
        ({"ask": "How are you?"}, "too_many_turns"),
        ({"answer": "I cannot tell."}, "wrong_answer"),
    ]
    room, _ = make_rooms(1)[0]
    for number, (answer, code) in enumerate(said):
        with subtests.test(str(answer)):
            model = ScriptedModel(lambda _, answer=answer: answer)
            rows = play(room, tmp_path / str(number), model)
            assert rows
            assert {row.rejected_because for row in rows} == {code}
            assert max(len(messages) for messages in model.asked) <= 2 + 2 * (MOST_TURNS + 1)
            if code == "too_many_turns":
                assert all("cannot measure" in turn.reply for row in rows for turn in row.turns)
    for number, answer in enumerate([{"ask": "x", "answer": "y"}, {}, ""]):
        with subtests.test(str(answer)):
            assert not play(room, tmp_path / f"none{number}", ScriptedModel(lambda _, answer=answer: answer))
