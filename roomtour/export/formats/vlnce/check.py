"""Check VLN-CE episodes: the fields habitat-lab knows and no others, agents upright in a y-up world, words known."""

from __future__ import annotations

import gzip
import math
import zlib
from itertools import pairwise
from pathlib import Path
from typing import Annotated, Any

from pydantic import ConfigDict, Field

from roomtour.export.core.checking import (
    SPLITS,
    Id,
    Place,
    Positive,
    Quaternion,
    Row,
    RowCheck,
    Text,
    Whole,
    is_number,
    objects,
    parse_json,
)
from roomtour.export.core.records import Problem, format_value
from roomtour.export.formats.vlnce.write import SPECIAL_WORDS, episode_file

_NEAR_M = 0.01


class _Strict(Row):
    """The client passes every field to a class of its own and stops at others."""

    model_config = ConfigDict(extra="forbid")


class _Instruction(_Strict):
    instruction_text: Text
    instruction_tokens: list[Whole] | None = None


class _Goal(_Strict):
    position: Place
    radius: Positive


class _Episode(_Strict):
    episode_id: Id
    trajectory_id: Id
    scene_id: Text
    start_position: Place
    start_rotation: Quaternion
    reference_path: Annotated[list[Place], Field(min_length=1)]
    instruction: _Instruction
    goals: Annotated[list[_Goal], Field(min_length=1)]
    info: Any = None
    start_room: Any = None
    shortest_paths: Any = None
    scene_dataset_config: Any = None
    additional_obj_config_paths: Any = None


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
        problems.append(Problem(name, None, "episodes", "an object with a list of episodes", format_value(content)))
        return
    vocabulary = content.get("instruction_vocab")
    words = vocabulary.get("word_list") if isinstance(vocabulary, dict) else None
    if not (isinstance(words, list) and all(isinstance(word, str) for word in words) and len(set(words)) == len(words)):
        problems.append(Problem(name, None, "instruction_vocab.word_list", "different words", format_value(words)))
        words = []
    elif words[: len(SPECIAL_WORDS)] != list(SPECIAL_WORDS):
        expected = f"{', '.join(SPECIAL_WORDS)} first: index 0 is padding"
        problems.append(Problem(name, None, "instruction_vocab.word_list", expected, format_value(words[:4])))
    known: set[Any] = set()
    for row in objects(content["episodes"], name, problems):
        row.register("episode_id", known)
        episode = row.fit(_Episode)
        if episode is not None:
            _check_episode(row, episode, len(words))


def _check_episode(row: RowCheck, episode: _Episode, words: int) -> None:
    tokens = episode.instruction.instruction_tokens or []
    if any(token >= words for token in tokens):
        row.bad("instruction.instruction_tokens", f"positions in the word list (0 to {words - 1})", tokens)
    rotation, path = episode.start_rotation, episode.reference_path
    if math.hypot(rotation[0], rotation[2]) > 1e-6:
        row.bad("start_rotation", "a turn about y, the vertical, only", rotation)
    if math.dist(path[0], episode.start_position) > _NEAR_M:
        row.bad("reference_path", f"start_position first ({episode.start_position})", path[0])
    stated = episode.info.get("geodesic_distance") if isinstance(episode.info, dict) else None
    if stated is not None:
        (x0, _, z0), (x1, _, z1) = path[0], path[-1]
        straight = math.hypot(x1 - x0, z1 - z0)
        length = sum(math.dist(a, b) for a, b in pairwise(path))
        if not is_number(stated) or not straight - _NEAR_M <= stated <= length + _NEAR_M:
            expected = f"between the straight line ({straight:.3f} m) and the reference path ({length:.3f} m)"
            row.bad("info.geodesic_distance", expected, stated)
    for goal in episode.goals:
        if math.dist(path[-1], goal.position) > _NEAR_M:
            row.bad("goals.position", f"the end of reference_path ({path[-1]})", goal.position)
