"""Check discrete actions: known codes, a stop where the style has one, a frame for each, samples that fit them."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field

from roomtour.export.core.checking import (
    SPLITS,
    Id,
    Positive,
    RelativePath,
    Row,
    RowCheck,
    Text,
    Whole,
    json_lines,
    objects,
    read_json,
)
from roomtour.export.core.records import Problem
from roomtour.export.core.streams import shards
from roomtour.export.formats.actions.write import CODES, START, annotation_file, image_name, sample_file

_STOP = CODES["stop"]


class _Way(Row):
    id: Id
    instructions: Annotated[list[Text], Field(min_length=1)]
    forward_m: Positive
    turn_deg: Positive
    actions: Annotated[list[Literal[-1, 0, 1, 2, 3]], Field(min_length=2)]
    frames: list[int]
    video: RelativePath
    sample_steps: Annotated[list[Whole], Field(min_length=1)] = Field(default_factory=list)
    """Where not all steps have a sample."""

    @property
    def starts(self) -> bool:
        """Whether the list begins with -1, and the client adds the stop."""
        return self.actions[0] == START

    @property
    def taken(self) -> list[int]:
        """The action of each step."""
        return [*self.actions[1:], _STOP] if self.starts else list(self.actions)


class _Sample(Row):
    id: Id
    annotation: Id
    instruction: str
    step: Whole
    action: int
    images: Annotated[list[str], Field(min_length=1)]
    answer: Text


_Known = dict[Any, _Way | None]
"""The ways of a split by id; None for one that does not fit, whose samples are not checked against it."""


def recognise(path: Path) -> bool:
    """Whether the folder holds a file of ways."""
    return any((path / annotation_file(split)).is_file() for split in SPLITS)


def check(path: Path) -> list[Problem]:
    """Every broken rule of a folder."""
    problems: list[Problem] = []
    ids: set[Any] = set()
    styles: set[bool] = set()
    for split in SPLITS:
        name = annotation_file(split)
        if split != "train" and not (path / name).is_file():
            continue
        known: _Known = {}
        for row in objects(read_json(path, name, list, problems), name, problems):
            way = row.fit(_Way)
            if way is not None:
                row.new("id", way.id, ids)
                _check_way(row, way, path, styles)
                known[way.id] = way
            elif isinstance(row.record, dict):
                known[_as_id(row.record.get("id"))] = None
        _check_samples(path, sample_file(split), known, problems)
    return problems


def _check_way(row: RowCheck, way: _Way, folder: Path, styles: set[bool]) -> None:
    styles.add(way.starts)
    if len(styles) > 1:
        row.bad("actions", "one style in all items", "-1 first in some")
    *moves, last = way.taken
    if any(action in (START, _STOP) for action in moves):
        expected = "1, 2 or 3 after -1, the client adds the stop" if way.starts else "1, 2 or 3 before the last"
        row.bad("actions", expected, way.actions)
    if last != _STOP:
        row.bad("actions", "0 (stop) last", last)
    steps, count = way.sample_steps, len(way.actions)
    if steps and (steps != sorted(set(steps)) or steps[-1] != count - 1):
        row.bad("sample_steps", f"steps in order, the last ({count - 1}) among them", steps)
    if len(way.frames) != count:
        row.bad("frames", f"{count}, one per action", way.frames)
    if any(b < a for a, b in pairwise(way.frames)):
        row.bad("frames", "frame numbers in time order", way.frames)
    if (folder / "images").is_dir():
        found = sorted(file.name for file in (folder / way.video / "rgb").glob("*"))
        want = [Path(image_name(way.video, step)).name for step in range(count)]
        if found != want:
            row.bad("video", f"{len(want)} images in {way.video}/rgb, one per action", f"{len(found)}")


def _check_samples(folder: Path, name: str, known: _Known, problems: list[Problem]) -> None:
    if not (folder / name).is_file():
        problems.append(Problem(name, None, "file", "a file", "no such file"))
        return
    ids: set[Any] = set()
    count = 0
    for file in shards(folder / name):
        for number, record in json_lines(file, problems):
            count += 1
            row = RowCheck(file.name, number, record, problems)
            sample = row.fit(_Sample)
            if sample is not None:
                row.new("id", sample.id, ids)
                _check_sample(row, sample, known)
    ways = [way for way in known.values() if way is not None]
    expected = sum(len(way.sample_steps or way.actions) * len(way.instructions) for way in ways)
    if count != expected and len(ways) == len(known):
        problems.append(Problem(name, None, "rows", f"one per step with a sample and text ({expected})", str(count)))


def _check_sample(row: RowCheck, sample: _Sample, known: _Known) -> None:
    if sample.annotation not in known:
        row.bad("annotation", "the id of a way of the same split", sample.annotation)
        return
    way, step = known[sample.annotation], sample.step
    if way is None:
        return
    if sample.instruction not in way.instructions:
        row.bad("instruction", "a text of its way", sample.instruction)
    if step >= len(way.taken):
        row.bad("step", f"a step of its way (0 to {len(way.taken) - 1})", step)
        return
    if step not in (way.sample_steps or [step]):
        row.bad("step", "one of the steps that have a sample", step)
    if sample.action != way.taken[step]:
        row.bad("action", f"that of step {step} ({way.taken[step]})", sample.action)
    names, images = [image_name(way.video, seen) for seen in range(step + 1)], sample.images
    if images[-1] != names[-1] or images != sorted(set(images) & set(names)):
        row.bad("images", f"images of its way in order, {names[-1]} last", images)


def _as_id(value: object) -> str | int | None:
    """The value where it can be an id."""
    return value if isinstance(value, str | int) else None
