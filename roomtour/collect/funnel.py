"""The funnel: candidates through the steps, cheap ones first, with every verdict and its figures in a ledger."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, replace
from functools import lru_cache
from pathlib import Path
from typing import Any, Protocol

import cv2
import numpy as np
from numpy.typing import NDArray

from recon.errors import ReconError
from recon.pictures import read_picture_file
from roomtour.artifacts import FRAMES
from roomtour.collect.download import BlockedError
from roomtour.collect.homes import PicturePoints, count_common, find_points, group_homes, list_alike, pick_pictures
from roomtour.collect.look import Embeds, Looks, embed_video, judge_look, look_at_video
from roomtour.collect.probe import VideoHashes, find_duplicates, hash_video, judge_probe, probe_video
from roomtour.collect.records import Candidate, CollectOptions, Judgement, Step, call_unreadable
from roomtour.collect.shots import judge_shots, sample_video
from roomtour.config import Config
from roomtour.errors import USER_ERRORS
from roomtour.files.appended import append_record, read_records
from roomtour.files.records import from_plain
from roomtour.sources import source_key
from roomtour.stages.table import STAGES
from roomtour.store import result_key

LEDGER, RUNS = "judgements.jsonl", "runs"
HASHES, VECTORS, PLACES = "hashes", "vectors", "places.jsonl"
_POINTS_KEPT = 500
"""Pictures whose points are held in memory, half a megabyte each."""
_AFTER_ALL = "\U0010ffff"
"""A character that sorts behind all others."""


class Fetches(Protocol):
    """Knows what a platform tells of a video, and fetches it; `Downloader` is one.

    Both raise BlockedError if the platform wants to be asked no more.
    """

    def describe(self, candidate: Candidate) -> tuple[Candidate, Judgement]:
        """The video with what is told of it, and the verdict."""
        ...

    def fetch(self, candidate: Candidate) -> tuple[Candidate, Judgement]:
        """The video with where it lies, and the verdict."""
        ...


class Funnel:
    """The steps, with what earlier calls measured."""

    def __init__(
        self,
        out: Path,
        options: CollectOptions,
        config: Config,
        tell: Callable[[Judgement], None],
        *,
        is_recheck: bool = False,
    ):
        """Go on in a folder with what earlier calls measured; with `is_recheck` by that alone."""
        self._out, self._options, self._config, self._tell = out, options, config, tell
        self._is_recheck = is_recheck
        self.rejected: list[Judgement] = []
        self.unmeasured: list[str] = []
        """Videos of which a step knows nothing, in a recheck."""
        self._known: dict[str, Candidate] = {}
        self._probed: dict[str, Judgement] = {}
        self._measured: dict[tuple[str, str, str], Judgement] = {}
        self._last: dict[tuple[str, str], Judgement] = {}
        self._find_points = lru_cache(maxsize=_POINTS_KEPT)(self._read_points)
        self._hashes, self._vectors = KeptArrays(out / HASHES), KeptArrays(out / VECTORS)
        for where, value in read_records(out / LEDGER):
            key = str(value.pop("key", "")) if isinstance(value, dict) else ""
            judgement = from_plain(value, Judgement, where)
            self._measured[judgement.id, judgement.step, key] = judgement
            if judgement.figures:
                self._last[judgement.id, judgement.step] = judgement

    def pass_on(
        self, candidates: Iterable[Candidate], judge: Callable[[Candidate], Judgement | None]
    ) -> list[Candidate]:
        """Those that a step does not reject. `judge` gives None for a video of which it knows nothing."""
        left = []
        for candidate in candidates:
            judgement = judge(self.note(candidate))
            if judgement is None:
                self.unmeasured.append(candidate.id)
            elif not self._is_rejected(judgement):
                left.append(candidate)
        return left

    def was_looked_at(self, candidates: Iterable[Candidate]) -> bool:
        """Whether networks looked at any of them in an earlier call."""
        return any((candidate.id, "look") in self._last for candidate in candidates)

    def complete(self, candidate: Candidate) -> Candidate:
        """A candidate with all that was learnt of it on its way: described, fetched, read."""
        known, probed = self._known.get(candidate.id, candidate), self._probed.get(candidate.id)
        if probed is None or not probed.figures:
            return known
        seconds, width, height = (probed.figures[name] for name in ("seconds", "width", "height"))
        return replace(known, seconds=known.seconds or round(seconds, 3), width=known.width or int(width),
                       height=known.height or int(height), sha256=probed.sha256)  # fmt: skip

    def note(self, candidate: Candidate) -> Candidate:
        """Remember what is known of a candidate by now."""
        self._known[candidate.id] = candidate
        return candidate

    def ask_each(
        self, candidates: Iterable[Candidate], ask: Callable[[Candidate], tuple[Candidate, Judgement]] | None,
        stopped: str = "",
    ) -> tuple[list[Candidate], list[str], str]:  # fmt: skip
        """Those that have a file or of which `ask` knows more, the ids of the others, and why asking stopped, which it
        may have before.
        """
        left, waiting = [], []
        for candidate in candidates:
            if candidate.path:
                left.append(candidate)
                continue
            answer: tuple[Candidate, Judgement] | None = None
            if ask is not None and not stopped:
                try:
                    answer = ask(candidate)
                except BlockedError as error:
                    stopped = str(error)
            if answer is None:
                waiting.append(candidate.id)
            elif not self._is_rejected(answer[1]):
                left.append(self.note(answer[0]))
        return left, waiting, stopped

    def probe(self, candidate: Candidate) -> Judgement | None:
        """Out of its key frames, or what they gave before."""
        judgement = self._measure(
            candidate, "probe", source_key, lambda: probe_video(candidate, self._options), judge_probe
        )
        if judgement is not None:
            self._probed[candidate.id] = judgement
        return judgement

    def sample(self, candidate: Candidate) -> Judgement | None:
        """Out of the pipeline's first stage."""
        look = lambda: sample_video(candidate, self._out / RUNS / candidate.id, self._config, self._options)  # noqa: E731
        return self._measure(candidate, "sample", self._name_sample, look, judge_shots)

    def look(self, candidate: Candidate, networks: Looks | None) -> Judgement | None:
        """By networks, on frames of the pipeline's first stage; by what was seen before where there are none."""
        run = self._out / RUNS / candidate.id
        if networks is None:
            seen = self._last.get((candidate.id, "look"))
            return judge_look(seen, self._options) if seen is not None else None
        kind = type(networks).__name__  # what one kind saw is not what another would

        def name(path: Path) -> str:
            return self._name_sample(path) if kind == "LightLook" else f"{self._name_sample(path)}-{kind}"

        return self._measure(
            candidate, "look", name, lambda: look_at_video(candidate, run, networks, self._options), judge_look
        )

    def drop_duplicates(self, candidates: Sequence[Candidate]) -> list[Candidate]:
        """Of the same footage only the largest and longest; the others name it."""
        hashes: dict[str, VideoHashes] = {}
        gone: set[str] = set()
        for candidate in sorted(candidates, key=self._worth, reverse=True):
            try:
                hashed = self._hash(candidate)
            except (ReconError, OSError, ValueError, EOFError) as error:
                self._is_rejected(call_unreadable(candidate.id, "duplicates", error, "a whole video"))
                gone.add(candidate.id)
                continue
            if hashed is None:
                self.unmeasured.append(candidate.id)
                gone.add(candidate.id)
            else:
                hashes[candidate.id] = hashed
        for better, worse in find_duplicates(hashes):
            if not gone.intersection((better, worse)):
                gone.add(worse)
                self._is_rejected(Judgement(worse, "duplicates", "duplicate", better, "footage of its own"))
        return [candidate for candidate in candidates if candidate.id not in gone]

    def _hash(self, candidate: Candidate) -> VideoHashes | None:
        """Of a video's pictures; None where none were kept and no video is to be read."""
        if self._is_recheck:
            kept = self._hashes.get_last(candidate.id)
        else:
            path = Path(candidate.path)
            kept = self._hashes.get_or_make(candidate.id, source_key(path), lambda: asdict(hash_video(path)))
        return VideoHashes(kept["plain"], kept["mirrored"]) if kept is not None else None

    def find_homes(self, candidates: Iterable[Candidate], embeds: Embeds | None) -> list[tuple[str, ...]]:
        """Ids of videos that show one home, by groups; those that earlier calls compared are not compared again."""
        embedded = {
            candidate.id: arrays for candidate in candidates if (arrays := self._embed(candidate, embeds)) is not None
        }
        vectors = {name: arrays["vectors"] for name, arrays in embedded.items()}
        known = {
            (row["one"], row["other"], row["made_of"]): row["points"] for _, row in read_records(self._out / PLACES)
        }

        def count_points(first: str, other: str) -> int:
            made_of = f"{embedded[first]['key']} {embedded[other]['key']}"
            if (first, other, made_of) in known or self._is_recheck:
                return int(known.get((first, other, made_of), 0))
            points = 0
            for i, j in pick_pictures(vectors[first], vectors[other]):
                places = ((first, i), (other, j))
                here, there = (self._find_points(name, str(embedded[name]["names"][at])) for name, at in places)
                points = max(points, count_common(here, there))
            row = {"one": first, "other": other, "points": points, "made_of": made_of}
            append_record(self._out / PLACES, row, "ledger of the collection")
            return points

        homes = {candidate.id: candidate.home for candidate in self._known.values()}
        pairs = list_alike(vectors, self._options.same_home)
        return group_homes(pairs, homes, count_points, self._options.same_place_points)

    def _embed(self, candidate: Candidate, embeds: Embeds | None) -> Arrays | None:
        """Vectors of a video's pictures, or those that an earlier call kept; none of one that cannot be read."""
        if self._is_recheck or embeds is None:
            return self._vectors.get_last(candidate.id)
        run, key = self._out / RUNS / candidate.id, f"{self._name_sample(Path(candidate.path))} {type(embeds).__name__}"
        return self._vectors.get_or_make(candidate.id, key, lambda: embed_video(run, embeds))

    def _read_points(self, name: str, image: str) -> PicturePoints:
        picture = read_picture_file(self._out / RUNS / name / FRAMES.path / image)
        gray = np.zeros((1, 1), np.uint8) if picture is None else cv2.cvtColor(picture, cv2.COLOR_BGR2GRAY)
        return find_points(gray.astype(np.uint8))

    def _worth(self, candidate: Candidate) -> tuple[float, float, str]:
        """Of equal ones a name is kept before the same with an addition, as copies are called; else the last of all."""
        figures = self._probed[candidate.id].figures
        return figures["width"] * figures["height"], figures["seconds"], candidate.id + _AFTER_ALL

    def _name_sample(self, path: Path) -> str:
        """The key of what the pipeline's first stage makes of a video."""
        first = STAGES[0]
        return result_key(first.name, first.code, [source_key(path)], first.identify(self._config))

    def _measure(
        self,
        candidate: Candidate,
        step: Step,
        name: Callable[[Path], str],
        look: Callable[[], Judgement],
        judge: Callable[[Judgement, CollectOptions], Judgement],
    ) -> Judgement | None:
        if self._is_recheck:
            last = self._last.get((candidate.id, step))
            return judge(last, self._options) if last is not None else None
        try:
            key = name(Path(candidate.path))
        except USER_ERRORS as error:
            return call_unreadable(candidate.id, step, error, "a file that can be read")
        kept = self._measured.get((candidate.id, step, key))
        if kept is not None and kept.figures:
            return judge(kept, self._options)
        judgement = look()
        self._measured[candidate.id, step, key] = judgement
        if judgement.figures:
            self._last[candidate.id, step] = judgement
        append_record(self._out / LEDGER, {**asdict(judgement), "key": key}, "ledger of the collection")
        return judgement

    def _is_rejected(self, judgement: Judgement) -> bool:
        if judgement.code:
            self.rejected.append(judgement)
            self._tell(judgement)
        return bool(judgement.code)


Arrays = Mapping[str, NDArray]
_KEY = "key"


class KeptArrays:
    """A file per video, made under a key that names what it was made of."""

    def __init__(self, folder: Path):
        """Files lie in `folder`, which is made with the first."""
        self._folder = folder

    def get_or_make(self, name: str, key: str, make: Callable[[], Arrays]) -> Arrays:
        """Those that were kept under this key, or new ones, which are kept; with the key as `key`."""
        kept = self.get_last(name)
        if kept is not None and str(kept[_KEY]) == key:
            return kept
        made = make()
        self._folder.mkdir(parents=True, exist_ok=True)
        part = self._folder / f".{name}.npz"
        arrays: dict[str, Any] = {_KEY: np.array(key), **made}
        np.savez(part, **arrays)
        part.replace(self._folder / f"{name}.npz")
        return arrays

    def get_last(self, name: str) -> Arrays | None:
        """Those that were kept last, whatever they were made of; None if none were."""
        try:
            with np.load(self._folder / f"{name}.npz", allow_pickle=False) as file:
                return {array: file[array] for array in file.files}
        except (OSError, ValueError, KeyError, EOFError):
            return None
