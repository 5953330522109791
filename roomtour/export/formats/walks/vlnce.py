"""VLN-CE episodes: gzipped JSON in Habitat's y-up world, as habitat-lab's VLN dataset reads it."""

from __future__ import annotations

import gzip
import io
import json
import math
import re
import zlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path
from typing import Annotated, Any

from pydantic import ConfigDict, Field

from recon.conventions import yup_from_zup
from recon.ranges import Positive
from roomtour.export.core.checking import DatasetCheck, Row, RowCheck, parse_json
from roomtour.export.core.fields import Id, Place, Quaternion, Text, Whole, is_number, must
from roomtour.export.core.format import ExportFormat
from roomtour.export.core.ledger import Ledger
from roomtour.export.core.records import RunData
from roomtour.export.core.streams import rows_of
from roomtour.export.core.walks.ways import PoseAugmentOptions, Way, collect_ways, floor_height
from trajectories.training import floor_distance, resample_by_distance

FILES = "{split}.json.gz"
SPECIAL_WORDS = ("<pad>", "<unk>", "<s>", "</s>")
"""The client takes index 0 for padding."""
TOKENS = 200
"""Length of `instruction_tokens`: VLN-CE's files pad with 0 to 200, so that a batch stacks."""

CONVENTION = """\
* World: right-handed, y up, metres: our (x, y, z) becomes (x, z, -y). Positions lie on the floor.
* `start_rotation` is the agent's turn about y as a quaternion x, y, z, w; the agent looks along -z of its own axes.
* `reference_path` follows the walk in steps of about 0.25 m; the goal is its end.
* `scene_id` is `{tour}_m{model}/{tour}_m{model}.glb`. No mesh is exported: to step in a simulator, put one there.
* `instruction_tokens` are positions in `instruction_vocab.word_list`, padded with 0 to 200."""

_WORD = re.compile(r"\w+(?:'\w+)?")


_STEP_M = 0.25
"""Distance between places of the reference path: one forward action of VLN-CE."""
_GOAL_RADIUS_M = 3.0
"""The benchmark's own bound of success."""


@contextmanager
def _open_episodes(path: Path) -> Iterator[Callable[[dict[str, object], str], None]]:
    """One gzipped file, of which memory holds one episode and the words seen; gives what appends an episode."""
    index = {word: number for number, word in enumerate(SPECIAL_WORDS)}
    between = "\n"
    # Without time and name, so that two exports are equal byte by byte.
    with path.open("wb") as file, gzip.GzipFile(filename="", mode="wb", fileobj=file, mtime=0) as packed:
        out = io.TextIOWrapper(packed, encoding="utf-8")
        out.write('{"episodes": [')

        def add(episode: dict[str, object], text: str) -> None:
            nonlocal between
            numbers = [index.setdefault(word, len(index)) for word in words_of(text)[:TOKENS]]
            tokens = numbers + [0] * (TOKENS - len(numbers))
            episode = episode | {"instruction": {"instruction_text": text, "instruction_tokens": tokens}}
            out.write(between + json.dumps(episode, ensure_ascii=False, allow_nan=False))
            between = ",\n"

        yield add
        words = json.dumps(list(index), ensure_ascii=False)
        out.write(f'\n], "instruction_vocab": {{"word_list": {words}}}}}\n')
        out.flush()
        out.detach()


def words_of(text: str) -> list[str]:
    """The words of an instruction, lower case, without punctuation."""
    return _WORD.findall(text.lower())


def write(runs: Iterable[RunData], ledger: Ledger, options: PoseAugmentOptions) -> None:
    """Write the episodes of all tours, one tour at a time."""
    files = {
        split: ledger.files.enter_context(_open_episodes(ledger.out / FILES.format(split=split)))
        for split in options.splits
    }
    ledger.counts.update({"episodes": 0, "paths": 0})
    for run in runs:
        floors: dict[str, float] = {}
        for way in collect_ways(run, ledger):
            if way.model.name not in floors:
                floors[way.model.name] = floor_height(way.model, run.scene.id, ledger)
            ledger.counts["paths"] += 1
            episode = _episode(way, run.scene.id, floors[way.model.name], ledger.counts["paths"])
            for text in way.texts:
                ledger.counts["episodes"] += 1
                files[ledger.split]({"episode_id": ledger.counts["episodes"], **episode}, text)


def _episode(way: Way, tour: str, floor_z: float, number: int) -> dict[str, object]:
    points = resample_by_distance(way.walk.points, _STEP_M)
    places = [list(map(float, yup_from_zup([*point.position[:2], floor_z]))) for point in points]
    scan = f"{tour}_m{way.model.name}"
    return {
        "trajectory_id": number,
        "scene_id": f"{scan}/{scan}.glb",
        "start_position": places[0],
        "start_rotation": _rotation_xyzw(points[0].heading_deg),
        "reference_path": places,
        "goals": [{"position": places[-1], "radius": _GOAL_RADIUS_M}],
        "info": {"geodesic_distance": sum(floor_distance(a, b) for a, b in pairwise(points))},
    }


def _rotation_xyzw(heading_deg: float) -> list[float]:
    """An agent looks along -z, which is our +y: heading 90 degrees is no turn."""
    half = math.radians(heading_deg - 90.0) / 2.0
    return [0.0, math.sin(half), 0.0, math.cos(half)]


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
    key = "episode_id"
    episode_id: Id
    trajectory_id: Id
    scene_id: Text
    start_position: Place
    start_rotation: Annotated[
        Quaternion,
        must(lambda turn: math.hypot(turn[0], turn[2]) <= 1e-6, "a turn about y, the vertical, only"),
    ]
    reference_path: Annotated[list[Place], Field(min_length=1)]
    instruction: _Instruction
    goals: Annotated[list[_Goal], Field(min_length=1)]
    info: Any = None
    start_room: Any = None
    shortest_paths: Any = None
    scene_dataset_config: Any = None
    additional_obj_config_paths: Any = None


def _check(data: DatasetCheck) -> None:
    """The fields habitat-lab knows and no others, agents upright in a y-up world, words known."""
    for name, _ in data.split_files(FILES):
        _check_file(data, name)


def _check_file(data: DatasetCheck, name: str) -> None:
    try:
        content = parse_json(gzip.decompress((data.folder / name).read_bytes()).decode("utf-8"))
    except (OSError, EOFError, zlib.error, ValueError) as error:
        return data.bad(name, "json", "gzipped JSON", str(error))
    if not isinstance(content, dict) or not isinstance(content.get("episodes"), list):
        return data.bad(name, "episodes", "an object with a list of episodes", [content])
    vocabulary = content.get("instruction_vocab")
    words = vocabulary.get("word_list") if isinstance(vocabulary, dict) else None
    if not (isinstance(words, list) and all(isinstance(word, str) for word in words) and len(set(words)) == len(words)):
        data.bad(name, "instruction_vocab.word_list", "different words", [words])
        words = []
    elif words[: len(SPECIAL_WORDS)] != list(SPECIAL_WORDS):
        expected = f"{', '.join(SPECIAL_WORDS)} first: index 0 is padding"
        data.bad(name, "instruction_vocab.word_list", expected, words[:4])
    for row in data.objects(content["episodes"], name):
        episode = data.fit(row, _Episode, name)
        if episode is not None:
            _check_episode(row, episode, len(words))
    return None


def _check_episode(row: RowCheck, episode: _Episode, words: int) -> None:
    tokens = episode.instruction.instruction_tokens or []
    if any(token >= words for token in tokens):
        row.bad("instruction.instruction_tokens", f"positions in the word list (0 to {words - 1})", tokens)
    path = episode.reference_path
    if math.dist(path[0], episode.start_position) > _NEAR_M:
        row.bad("reference_path", f"start_position first ({episode.start_position})", path[0])
    stated = episode.info.get("geodesic_distance") if isinstance(episode.info, dict) else None
    if stated is not None:
        (x0, _, z0), (x1, _, z1) = path[0], path[-1]
        straight, length = math.hypot(x1 - x0, z1 - z0), sum(math.dist(a, b) for a, b in pairwise(path))
        if not is_number(stated) or not straight - _NEAR_M <= stated <= length + _NEAR_M:
            expected = f"between the straight line ({straight:.3f} m) and the reference path ({length:.3f} m)"
            row.bad("info.geodesic_distance", expected, stated)
    for goal in episode.goals:
        if math.dist(path[-1], goal.position) > _NEAR_M:
            row.bad("goals.position", f"the end of reference_path ({path[-1]})", goal.position)


VLNCE = ExportFormat(
    name="vlnce",
    summary="episodes for instruction following in continuous space, y up",
    client="habitat-lab's VLNDatasetV1",
    needs_scale=True,
    reads=("instructions",),
    convention=CONVENTION,
    options=PoseAugmentOptions,
    write=write,
    check=_check,
    rows=rows_of("*.json.gz"),
)
