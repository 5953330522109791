"""Check discrete actions: known codes, a stop where the style has one, a frame for each, samples that fit them."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import Any

from roomtour.export.core.checking import SPLITS, RowCheck, is_relative, is_whole, json_lines, objects, read_json
from roomtour.export.core.records import Problem
from roomtour.export.core.streams import shards
from roomtour.export.formats.actions.write import CODES, START, annotation_file, image_name, sample_file

_Known = dict[Any, dict[str, Any]]


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
            row.new("id", ids)
            _check_annotation(row, path, styles)
            if isinstance(row.record.get("id"), int | str):
                known[row.record["id"]] = dict(row.record)
        _check_samples(path, sample_file(split), known, problems)
    return problems


def _check_annotation(row: RowCheck, folder: Path, styles: set[bool]) -> None:
    row.texts("instructions")
    row.number("forward_m", above=0.0)
    row.number("turn_deg", above=0.0)
    actions = row.items("actions", 2)
    starts = actions[:1] == [START]
    if actions:
        styles.add(starts)
    if len(styles) > 1:
        row.bad("actions", "one style in all items", "-1 first in some")
    stop = CODES["stop"]
    known = set(CODES.values()) - {stop}
    moves = actions[1:] if starts else actions[:-1]
    if not all(is_whole(action) and action in known for action in moves):
        expected = "1, 2 or 3 after -1, the client adds the stop" if starts else "1, 2 or 3 before the last"
        row.bad("actions", expected, actions)
    if actions and not starts and actions[-1] != stop:
        row.bad("actions", "0 (stop) last", actions[-1])
    _check_sample_steps(row, len(actions))
    frames = row.items("frames", len(actions), len(actions))
    if not all(is_whole(frame) for frame in frames) or any(b < a for a, b in pairwise(frames)):
        row.bad("frames", "frame numbers in time order", frames)
    video = row.text("video")
    if video is not None and not is_relative(video):
        row.bad("video", "a folder below this one", video)
    elif video is not None and (folder / "images").is_dir():
        found = sorted(file.name for file in (folder / video / "rgb").glob("*"))
        want = [Path(image_name(video, step)).name for step in range(len(actions))]
        if found != want:
            row.bad("video", f"{len(want)} images in {video}/rgb, one per action", f"{len(found)}")


def _check_sample_steps(row: RowCheck, actions: int) -> None:
    """Steps with a sample, where not all have one: in order, and the stop among them."""
    if "sample_steps" not in row.record:
        return
    steps = row.items("sample_steps", 1, actions)
    in_order = all(is_whole(step) for step in steps) and steps == sorted({step for step in steps if step < actions})
    if steps and not (in_order and steps[0] >= 0 and steps[-1] == actions - 1):
        row.bad("sample_steps", f"steps in order, the last ({actions - 1}) among them", steps)


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
            row.new("id", ids)
            row.text("answer")
            _check_sample(row, known)
    expected = sum(
        len(steps) * len(item["instructions"])
        for item in known.values()
        if isinstance(steps := item.get("sample_steps", item.get("actions")), list)
        and isinstance(item.get("instructions"), list)
    )
    if count != expected:
        problems.append(Problem(name, None, "rows", f"one per step with a sample and text ({expected})", str(count)))


def _check_sample(row: RowCheck, known: _Known) -> None:
    item = known.get(_as_id(row.record.get("annotation")))
    if item is None:
        row.bad("annotation", "the id of a way of the same split", row.record.get("annotation"))
        return
    if row.record.get("instruction") not in item.get("instructions", ()):
        row.bad("instruction", "a text of its way", row.record.get("instruction"))
    step = row.whole("step")
    actions = item.get("actions")
    if step is None or not isinstance(actions, list):
        return
    taken = [*actions[1:], CODES["stop"]] if actions[:1] == [START] else actions
    if step >= len(taken):
        row.bad("step", f"a step of its way (0 to {len(taken) - 1})", step)
        return
    if step not in (item.get("sample_steps") or [step]):
        row.bad("step", "one of the steps that have a sample", step)
    if row.record.get("action") != taken[step]:
        row.bad("action", f"that of step {step} ({taken[step]})", row.record.get("action"))
    names = [image_name(str(item.get("video")), seen) for seen in range(step + 1)]
    images = row.items("images")
    if images and (images[-1] != names[-1] or images != sorted(set(images) & set(names))):
        row.bad("images", f"images of its way in order, {names[-1]} last", images)


def _as_id(value: object) -> str | int | None:
    """The value where it can be an id."""
    return value if isinstance(value, str | int) else None
