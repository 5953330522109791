"""Runs with questions answered by programs: made homes whose rooms are known, with pictures on disk."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from pathlib import Path
from unittest import mock

from benchmarks import made_homes
from instructions.questions.core.asker import Surroundings
from instructions.questions.core.options import ProgramChoiceOptions, ProgramOptions
from instructions.questions.core.records import Question
from instructions.questions.writers.sets import write_questions
from roomtour.export import RunData
from tests.support.export.breaking import frames_on_disk

SHARE = 0.1
"""Of the side of a camera's picture, that of the pictures on disk."""
ROOMY = ProgramOptions(choice=ProgramChoiceOptions(rows_per_video=0, rows_per_type=6))


@cache
def _home() -> made_homes.Home:
    with mock.patch.object(made_homes, "VIEWS_PER_ROOM", 20):  # as many as in benchmarks would take five seconds
        return made_homes.make_home.__wrapped__(0)


def _shrink(row: Question) -> Question:
    """The row with its boxes where the small pictures show them."""
    return replace(
        row,
        references=tuple(
            replace(one, box_xyxy=one.box_xyxy and tuple(value * SHARE for value in one.box_xyxy))
            for one in row.references
        ),
    )


def make_program_run(number: int, folder: Path) -> RunData:
    """A tour of one home as a run with all its rows. Its pictures are small and of one colour each."""
    home = _home()
    scene = replace(home.scene, id=f"home{number:02d}")
    frames = frames_on_disk(folder / "frames", len(scene.frames), 64, 48)
    around = {"0": Surroundings(floor_area=97.5, rooms=("living room", "kitchen", "hall"))}
    written = write_questions(replace(home.tour, scene=scene, seed=number), around, ROOMY).rows
    rows = tuple(map(_shrink, written))
    return RunData(scene, (), home.objects, home.observations, (), {"programs": rows}, frames, {})
