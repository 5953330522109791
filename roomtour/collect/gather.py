"""The funnel: candidates through the steps, cheap ones first, with every verdict and its figures in a ledger."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Protocol

from recon.findings import Finding
from roomtour.collect.download import BlockedError
from roomtour.collect.duplicates import find_duplicates
from roomtour.collect.facts import judge_facts
from roomtour.collect.homes import name_home
from roomtour.collect.lists import read_candidates
from roomtour.collect.look import Looks, judge_look, look_at_video
from roomtour.collect.notes import find_notes
from roomtour.collect.probe import VideoHashes, hash_video, judge_probe, probe_video
from roomtour.collect.records import STEPS, Candidate, CollectOptions, Judgement, Step
from roomtour.collect.shots import judge_shots, sample_video
from roomtour.collect.titles import ReadTitles
from roomtour.config import Config
from roomtour.errors import USER_ERRORS
from roomtour.files.appended import append_record, read_records
from roomtour.files.records import from_plain, write_jsonl, write_text
from roomtour.sources import source_key
from roomtour.stages.table import STAGES
from roomtour.store import result_key

LEDGER, CANDIDATES, TOURS, REJECTED = "judgements.jsonl", "candidates.jsonl", "tours.jsonl", "rejected.jsonl"
FINDINGS = "findings.jsonl"
RUNS, VIDEOS, REPLIES = "runs", "videos", "replies"
ReadTitlesOf = Callable[[Sequence[Candidate], Path], ReadTitles]
_AFTER_ALL = "\U0010ffff"
"""A character that sorts behind all others."""


class Fetches(Protocol):
    """Knows what a platform tells of a video, and fetches it; `Downloader` is one.

    Both raise BlockedError if the platform wants to be asked no more.
    """

    def describe(self, one: Candidate) -> tuple[Candidate, Judgement]:
        """The video with what is told of it, and the verdict."""
        ...

    def fetch(self, one: Candidate) -> tuple[str, Judgement]:
        """Where it lies, and the verdict."""
        ...


@dataclass(frozen=True)
class Collected:
    """What came of a list."""

    candidates: tuple[Candidate, ...]
    rejected: tuple[Judgement, ...]
    """In the order of the steps."""
    waiting: tuple[str, ...]
    """Videos that have no file yet."""
    stopped: str = ""
    """Why fetching was stopped; empty if it was not."""
    unread: tuple[str, ...] = ()
    """Videos whose title a language model was asked about in vain; that rejects nothing."""
    is_looked_at: bool = False
    """Whether networks looked at those that were kept."""

    @property
    def kept(self) -> tuple[Candidate, ...]:
        """Worth processing."""
        gone = {one.id for one in self.rejected} | set(self.waiting)
        return tuple(one for one in self.candidates if one.id not in gone)

    @property
    def findings(self) -> tuple[Finding, ...]:
        """What people should know besides."""
        return find_notes(self.kept, self.waiting, self.unread, self.stopped, is_looked_at=self.is_looked_at)


def collect(
    lists: Sequence[Path],
    out: Path,
    options: CollectOptions = CollectOptions(),
    config: Config = Config(),
    *,
    until: Step = STEPS[-1],
    networks: Looks | None = None,
    downloader: Fetches | None = None,
    read_titles: ReadTitlesOf | None = None,
    tell: Callable[[Judgement], None] = lambda judgement: None,
) -> Collected:
    """Judge the videos of lists, and write what is worth processing as a list of tours.

    The same call again looks at no video that it has looked at: figures are kept, and held against the bars of now.
    What the pipeline's first stage said is kept for the options that it was said with.

    Args:
        lists: As `read_candidates` takes them.
        out: Folder, made if absent.
        options: What makes a video worth processing.
        config: Of the pipeline's first stage.
        until: Last step.
        networks: Look at what videos show; without them that is unknown, and rejects nothing.
        downloader: Fetches videos that have an address and no file; without it they wait.
        read_titles: Judges videos by their titles, see `judge_titles`, with a folder for kept replies; without it
            titles reject nothing.
        tell: Called with each rejection.

    Raises:
        RoomtourError: If a list cannot be read, or the folder not be written.
    """
    candidates = read_candidates(lists)
    out.mkdir(parents=True, exist_ok=True)
    funnel = _Funnel(out, options, config, tell)
    steps = STEPS[: STEPS.index(until) + 1]
    waiting: list[str] = []
    stopped = ""
    fetches = downloader is not None and "download" in steps
    told = replace(options, licences=()) if fetches else options  # whoever describes it may know its licence
    left = funnel.pass_on(candidates, lambda one: judge_facts(one, options if one.path else told))
    if downloader is not None and fetches:
        left, waiting, stopped = funnel.describe(left, downloader)
        left = funnel.pass_on(left, lambda one: judge_facts(one, options))
    left = [funnel.note(replace(one, home=name_home(one))) for one in left]
    unread: tuple[str, ...] = ()
    if "titles" in steps and read_titles is not None:
        read = read_titles(left, out / REPLIES)
        verdicts = {one.id: one for one in read.judgements}
        left = funnel.pass_on(left, lambda one: verdicts.get(one.id, Judgement(one.id, "titles", "")))
        unread = read.unread
    if "download" in steps:
        left, unfetched, stopped = funnel.fetch(left, downloader, stopped)
        waiting += unfetched
    if "probe" in steps:
        left = funnel.pass_on(left, funnel.probe)
    if "duplicates" in steps:
        left = funnel.drop_duplicates(left)
    if "sample" in steps:
        left = funnel.pass_on(left, funnel.sample)
    is_looked_at = "look" in steps and networks is not None
    if is_looked_at and networks is not None:
        left = funnel.pass_on(left, lambda one: funnel.look(one, networks))
    known = tuple(funnel.complete(one) for one in candidates)
    found = Collected(known, tuple(funnel.rejected), tuple(waiting), stopped, unread, is_looked_at)
    _write(out, found)
    return found


class _Funnel:
    """The steps, with what earlier calls measured."""

    def __init__(self, out: Path, options: CollectOptions, config: Config, tell: Callable[[Judgement], None]):
        self._out, self._options, self._config, self._tell = out, options, config, tell
        self.rejected: list[Judgement] = []
        self._known: dict[str, Candidate] = {}
        self._probed: dict[str, Judgement] = {}
        self._measured: dict[tuple[str, str, str], Judgement] = {}
        for where, value in read_records(out / LEDGER):
            key = str(value.pop("key", "")) if isinstance(value, dict) else ""
            one = from_plain(value, Judgement, where)
            self._measured[one.id, one.step, key] = one

    def pass_on(self, candidates: Iterable[Candidate], judge: Callable[[Candidate], Judgement]) -> list[Candidate]:
        """Those that a step does not reject."""
        return [one for one in candidates if not self._is_rejected(judge(self.note(one)))]

    def complete(self, one: Candidate) -> Candidate:
        """A candidate with all that was learnt of it on its way: described, fetched, read."""
        known = self._known.get(one.id, one)
        found = self._probed.get(one.id)
        if found is None or not found.figures:
            return known
        figures = found.figures
        return replace(
            known,
            seconds=known.seconds or round(figures["seconds"], 3),
            width=known.width or int(figures["width"]),
            height=known.height or int(figures["height"]),
            sha256=found.sha256,
        )

    def note(self, one: Candidate) -> Candidate:
        """Remember what is known of a candidate by now."""
        self._known[one.id] = one
        return one

    def describe(self, candidates: Iterable[Candidate], downloader: Fetches) -> tuple[list[Candidate], list[str], str]:
        """Those of which the platform told, or that have a file; the ids of those without; why asking stopped."""
        left, waiting, stopped = [], [], ""
        for one in candidates:
            if one.path:
                left.append(one)
            elif stopped:
                waiting.append(one.id)
            else:
                try:
                    described, judgement = downloader.describe(one)
                except BlockedError as error:
                    stopped = str(error)
                    waiting.append(one.id)
                    continue
                if not self._is_rejected(judgement):
                    left.append(described)
        return left, waiting, stopped

    def fetch(
        self, candidates: Iterable[Candidate], downloader: Fetches | None, stopped: str
    ) -> tuple[list[Candidate], list[str], str]:
        """Those with a file, the ids of those without, and why fetching stopped, which it may have before."""
        left, waiting = [], []
        for one in candidates:
            if one.path:
                left.append(one)
            elif downloader is None or stopped:
                waiting.append(one.id)
            else:
                try:
                    path, judgement = downloader.fetch(one)
                except BlockedError as error:
                    stopped = str(error)
                    waiting.append(one.id)
                    continue
                if not self._is_rejected(judgement):
                    left.append(self.note(replace(one, path=path)))
        return left, waiting, stopped

    def probe(self, one: Candidate) -> Judgement:
        """Out of its key frames, or what they gave before."""
        self._probed[one.id] = self._measure(
            one, "probe", source_key, lambda: probe_video(one, self._options), judge_probe
        )
        return self._probed[one.id]

    def sample(self, one: Candidate) -> Judgement:
        """Out of the pipeline's first stage."""
        run = self._out / RUNS / one.id
        return self._measure(
            one, "sample", self._name_sample, lambda: sample_video(one, run, self._config, self._options), judge_shots
        )

    def look(self, one: Candidate, networks: Looks) -> Judgement:
        """By networks, on frames of the pipeline's first stage."""
        run = self._out / RUNS / one.id
        kind = type(networks).__name__  # what one kind saw is not what another would

        def name(path: Path) -> str:
            return self._name_sample(path) if kind == "LightLook" else f"{self._name_sample(path)}-{kind}"

        return self._measure(one, "look", name, lambda: look_at_video(one, run, networks, self._options), judge_look)

    def drop_duplicates(self, candidates: Sequence[Candidate]) -> list[Candidate]:
        """Of the same footage only the largest and longest; the others name it."""
        by_worth = sorted(candidates, key=self._worth, reverse=True)
        hashes: dict[str, VideoHashes] = {}
        gone: set[str] = set()
        for one in by_worth:
            try:
                hashes[one.id] = hash_video(Path(one.path))
            except (OSError, ValueError, EOFError) as error:
                self._is_rejected(Judgement(one.id, "duplicates", "unreadable", str(error)[:200], "a whole video"))
                gone.add(one.id)
        for better, worse in find_duplicates(hashes):
            if not gone.intersection((better, worse)):
                gone.add(worse)
                self._is_rejected(Judgement(worse, "duplicates", "duplicate", better, "footage of its own"))
        return [one for one in candidates if one.id not in gone]

    def _worth(self, one: Candidate) -> tuple[float, float, str]:
        """Of equal ones a name is kept before the same with an addition, as copies are called; else the last of all."""
        figures = self.probe(one).figures
        return figures["width"] * figures["height"], figures["seconds"], one.id + _AFTER_ALL

    def _name_sample(self, path: Path) -> str:
        """The key of what the pipeline's first stage makes of a video."""
        first = STAGES[0]
        return result_key(first.name, first.version, [source_key(path)], first.options(self._config))

    def _measure(
        self,
        one: Candidate,
        step: Step,
        name: Callable[[Path], str],
        look: Callable[[], Judgement],
        judge: Callable[[Judgement, CollectOptions], Judgement],
    ) -> Judgement:
        try:
            key = name(Path(one.path))
        except USER_ERRORS as error:
            return Judgement(one.id, step, "unreadable", str(error)[:200], "a file that can be read")
        kept = self._measured.get((one.id, step, key))
        if kept is not None and kept.figures:
            return judge(kept, self._options)
        found = look()
        self._measured[one.id, step, key] = found
        append_record(self._out / LEDGER, {**asdict(found), "key": key}, "ledger of the collection")
        return found

    def _is_rejected(self, judgement: Judgement) -> bool:
        if judgement.code:
            self.rejected.append(judgement)
            self._tell(judgement)
        return bool(judgement.code)


def _write(out: Path, found: Collected) -> None:
    write_jsonl(out / CANDIDATES, found.candidates, Candidate)
    write_jsonl(out / REJECTED, found.rejected, Judgement)
    write_jsonl(out / FINDINGS, found.findings, Finding)
    facts = ("licence", "title", "author", "url", "consent", "retrieved", "home")
    lines = []
    for one in found.kept:
        if one.path:
            told = {name: value for name in facts if (value := getattr(one, name)) and value != "unknown"}
            lines.append(json.dumps({"name": one.id, "source": one.path, **told}, ensure_ascii=False) + "\n")
    write_text(out / TOURS, "".join(lines))
