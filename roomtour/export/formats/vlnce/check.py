"""Check VLN-CE episodes: the fields habitat-lab knows and no others, agents upright in a y-up world, words known."""

from __future__ import annotations

import gzip
import math
import zlib
from pathlib import Path
from typing import Any

from roomtour.export.core.checking import SPLITS, RowCheck, is_number, is_text, is_whole, objects, parse_json
from roomtour.export.core.records import Problem, shown
from roomtour.export.formats.vlnce.write import SPECIAL_WORDS, episode_file

_UNKNOWN = "the client passes every field to its own class and stops at others"
_EPISODE = frozenset(
    (
        "episode_id",
        "trajectory_id",
        "scene_id",
        "start_position",
        "start_rotation",
        "reference_path",
        "instruction",
        "goals",
        "info",
        "start_room",
        "shortest_paths",
        "scene_dataset_config",
        "additional_obj_config_paths",
    )
)
_INSTRUCTION = frozenset(("instruction_text", "instruction_tokens"))
_GOAL = frozenset(("position", "radius"))
_NEAR_M = 0.01


def recognise(path: Path) -> bool:
    """Whether the folder holds a file of episodes."""
    return any((path / episode_file(split)).is_file() for split in SPLITS)


def check(path: Path) -> list[Problem]:
    """Every broken rule of a folder."""
    problems: list[Problem] = []
    for split in SPLITS:
        name = episode_file(split)
        if split == "train" or (path / name).is_file():
            _check_file(path, name, problems)
    return problems


def _check_file(path: Path, name: str, problems: list[Problem]) -> None:
    try:
        content = parse_json(gzip.decompress((path / name).read_bytes()).decode("utf-8"))
    except FileNotFoundError:
        problems.append(Problem(name, None, "file", "a file", "no such file"))
        return
    except (OSError, EOFError, zlib.error, ValueError) as error:
        problems.append(Problem(name, None, "json", "gzipped JSON", str(error)))
        return
    if not isinstance(content, dict) or not isinstance(content.get("episodes"), list):
        problems.append(Problem(name, None, "episodes", "an object with a list of episodes", shown(content)))
        return
    vocabulary = content.get("instruction_vocab")
    words = vocabulary.get("word_list") if isinstance(vocabulary, dict) else None
    if not (isinstance(words, list) and all(isinstance(word, str) for word in words) and len(set(words)) == len(words)):
        problems.append(Problem(name, None, "instruction_vocab.word_list", "different words", shown(words)))
        words = []
    elif words[: len(SPECIAL_WORDS)] != list(SPECIAL_WORDS):
        expected = f"{', '.join(SPECIAL_WORDS)} first: index 0 is padding"
        problems.append(Problem(name, None, "instruction_vocab.word_list", expected, shown(words[:4])))
    known: set[Any] = set()
    for row in objects(content["episodes"], name, problems):
        row.only(_EPISODE, _UNKNOWN)
        row.new("episode_id", known)
        if not is_whole(row.record.get("trajectory_id")) and not is_text(row.record.get("trajectory_id")):
            row.bad("trajectory_id", "a whole number or a text", row.record.get("trajectory_id"))
        row.text("scene_id")
        _check_instruction(row, len(words))
        _check_way(row)


def _check_instruction(row: RowCheck, words: int) -> None:
    instruction = row.record.get("instruction")
    if not isinstance(instruction, dict):
        row.bad("instruction", "an object", instruction)
        return
    for field in sorted(instruction.keys() - _INSTRUCTION):
        row.bad(f"instruction.{field}", f"no such field, {_UNKNOWN}", "it")
    if not is_text(instruction.get("instruction_text")):
        row.bad("instruction.instruction_text", "a text", instruction.get("instruction_text"))
    tokens = instruction.get("instruction_tokens")
    if tokens is not None and not (isinstance(tokens, list) and all(is_whole(t) and 0 <= t < words for t in tokens)):
        row.bad("instruction.instruction_tokens", f"positions in the word list (0 to {words - 1})", tokens)


def _check_way(row: RowCheck) -> None:
    start = row.vector("start_position", 3)
    rotation = row.vector("start_rotation", 4)
    if rotation is not None and abs(math.hypot(*rotation) - 1.0) > 1e-6:
        row.bad("start_rotation", "a unit quaternion x, y, z, w", rotation)
    elif rotation is not None and math.hypot(rotation[0], rotation[2]) > 1e-6:
        row.bad("start_rotation", "a turn about y, the vertical, only", rotation)
    path = row.items("reference_path", 1)
    if not all(_is_place(place) for place in path):
        row.bad("reference_path", "places of 3 finite numbers", path)
        path = []
    if path and start is not None and math.dist(path[0], start) > _NEAR_M:
        row.bad("reference_path", f"start_position first ({start})", path[0])
    goals = row.items("goals", 1)
    for goal in goals:
        if not isinstance(goal, dict):
            row.bad("goals", "objects", goal)
            continue
        for field in sorted(goal.keys() - _GOAL):
            row.bad(f"goals.{field}", f"no such field, {_UNKNOWN}", "it")
        if not _is_place(goal.get("position")):
            row.bad("goals.position", "3 finite numbers", goal.get("position"))
        elif path and math.dist(path[-1], goal["position"]) > _NEAR_M:
            row.bad("goals.position", f"the end of reference_path ({path[-1]})", goal["position"])
        if not is_number(goal.get("radius")) or goal["radius"] <= 0:
            row.bad("goals.radius", "metres above 0", goal.get("radius"))


def _is_place(value: object) -> bool:
    return isinstance(value, list) and len(value) == 3 and all(is_number(v) for v in value)
