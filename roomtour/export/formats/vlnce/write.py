"""VLN-CE episodes: gzipped JSON in Habitat's y-up world, as habitat-lab's VLN dataset reads it."""

from __future__ import annotations

import gzip
import io
import json
import math
import re
from collections.abc import Iterable
from contextlib import ExitStack
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from types import TracebackType

from recon.conventions import yup_from_zup
from recon.ranges import Positive
from roomtour.export.core.augment import PoseAugmentOptions
from roomtour.export.core.ledger import Ledger
from roomtour.export.core.records import RunData
from roomtour.export.core.ways import Way, collect_ways, floor_height
from trajectories.records import TrajectoryPoint
from trajectories.resample import floor_distance, resample_by_distance

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


@dataclass(frozen=True, kw_only=True)
class VlnceOptions(PoseAugmentOptions):
    """Options of the format."""

    step_m: Positive = 0.25
    """Distance between places of the reference path: one forward action of VLN-CE."""
    goal_radius_m: Positive = 3.0
    """The benchmark's own bound of success."""

    def __post_init__(self) -> None:
        super().__post_init__()
        if not (self.step_m > 0 and self.goal_radius_m > 0):
            raise ValueError(f"step_m {self.step_m} and goal_radius_m {self.goal_radius_m} need to be above 0")


class _EpisodeFile:
    """One gzipped file, of which memory holds one episode and the words seen."""

    def __init__(self, path: Path):
        self._file = path.open("wb")
        # Without time and name, so that two exports are equal byte by byte.
        self._zip = gzip.GzipFile(filename="", mode="wb", fileobj=self._file, mtime=0)
        self._text = io.TextIOWrapper(self._zip, encoding="utf-8")
        self._text.write('{"episodes": [')
        self._between = "\n"
        self._index = {word: number for number, word in enumerate(SPECIAL_WORDS)}

    def __enter__(self) -> _EpisodeFile:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None):
        with self._file, self._zip:
            if error is None:
                words = json.dumps(list(self._index), ensure_ascii=False)
                self._text.write(f'\n], "instruction_vocab": {{"word_list": {words}}}}}\n')
            self._text.flush()
            self._text.detach()

    def add(self, episode: dict[str, object], text: str) -> None:
        """Append one episode, with its instruction."""
        numbers = [self._index.setdefault(word, len(self._index)) for word in words_of(text)[:TOKENS]]
        tokens = numbers + [0] * (TOKENS - len(numbers))
        episode = episode | {"instruction": {"instruction_text": text, "instruction_tokens": tokens}}
        self._text.write(self._between + json.dumps(episode, ensure_ascii=False, allow_nan=False))
        self._between = ",\n"


def episode_file(split: str) -> str:
    """Name of the file of a split."""
    return f"{split}.json.gz"


def words_of(text: str) -> list[str]:
    """The words of an instruction, lower case, without punctuation."""
    return _WORD.findall(text.lower())


def write(runs: Iterable[RunData], ledger: Ledger, options: VlnceOptions) -> None:
    """Write the episodes of all tours, one tour at a time."""
    splits = options.splits
    with ExitStack() as stack:
        files = {split: stack.enter_context(_EpisodeFile(ledger.out / episode_file(split))) for split in splits}
        ledger.counts.update({"episodes": 0, "paths": 0})
        for run in runs:
            floors: dict[str, float] = {}
            for way in collect_ways(run, ledger):
                if way.model.name not in floors:
                    floors[way.model.name] = floor_height(way.model, run.scene.id, ledger)
                ledger.counts["paths"] += 1
                episode = _episode(way, run.scene.id, floors[way.model.name], ledger.counts["paths"], options)
                for text in way.texts:
                    ledger.counts["episodes"] += 1
                    files[ledger.split].add({"episode_id": ledger.counts["episodes"], **episode}, text)


def _episode(way: Way, tour: str, floor_z: float, number: int, options: VlnceOptions) -> dict[str, object]:
    points = resample_by_distance(way.walk.points, options.step_m)
    places = [_on_floor(point, floor_z) for point in points]
    scan = f"{tour}_m{way.model.name}"
    return {
        "trajectory_id": number,
        "scene_id": f"{scan}/{scan}.glb",
        "start_position": places[0],
        "start_rotation": _rotation_xyzw(points[0].heading_deg),
        "reference_path": places,
        "goals": [{"position": places[-1], "radius": options.goal_radius_m}],
        "info": {"geodesic_distance": sum(floor_distance(a, b) for a, b in pairwise(points))},
    }


def _on_floor(point: TrajectoryPoint, floor_z: float) -> list[float]:
    x, y, _ = point.position
    return [float(value) for value in yup_from_zup([x, y, floor_z])]


def _rotation_xyzw(heading_deg: float) -> list[float]:
    """An agent looks along -z, which is our +y: heading 90 degrees is no turn."""
    half = math.radians(heading_deg - 90.0) / 2.0
    return [0.0, math.sin(half), 0.0, math.cos(half)]
