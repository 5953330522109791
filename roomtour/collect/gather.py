"""From lists of videos to a list of tours worth processing, with a page on what fell and why."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from pathlib import Path

import numpy as np

from recon.errors import ReconError
from recon.findings import Finding
from recon.numerals import count
from recon.video.container import choose_stream, open_video
from roomtour.collect.bars import advise, describe_rejection, judge_facts
from roomtour.collect.funnel import Fetches, Funnel
from roomtour.collect.homes import name_homes_by_pictures, with_home, without_guess
from roomtour.collect.lists import read_candidates
from roomtour.collect.look import Embeds, Looks
from roomtour.collect.records import STEPS, Candidate, CollectOptions, Judgement, Step
from roomtour.collect.titles import ReadTitles, judge_titles_by_words
from roomtour.config import Config
from roomtour.drawing.pages import render
from roomtour.drawing.thumbnails import data_address, shrink, to_jpeg
from roomtour.errors import RoomtourError
from roomtour.files.records import read_jsonl, write_jsonl, write_text
from roomtour.tour_facts import UNKNOWN

CANDIDATES, TOURS, REJECTED, FINDINGS = "candidates.jsonl", "tours.jsonl", "rejected.jsonl", "findings.jsonl"
REPLIES = "replies"
_NAMED = 3
"""Ids that a finding names."""
ReadTitlesOf = Callable[[Sequence[Candidate], Path], ReadTitles]


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
    titles: ReadTitles = ReadTitles(())
    """What their words say of them; where a language model said nothing of use, that rejects nothing."""
    is_looked_at: bool = False
    """Whether networks looked at those that were kept."""
    unmeasured: tuple[str, ...] = ()
    """Videos of which a step knows nothing, where no video was to be read."""
    alike: tuple[tuple[str, ...], ...] = ()
    """Videos that look like one home, by groups."""

    @property
    def kept(self) -> tuple[Candidate, ...]:
        """Worth processing."""
        gone = {judgement.id for judgement in self.rejected} | {*self.waiting, *self.unmeasured}
        return tuple(candidate for candidate in self.candidates if candidate.id not in gone)

    @property
    def findings(self) -> tuple[Finding, ...]:
        """What people should know besides."""
        findings: list[Finding] = []
        if len(self.kept) < len(self.rejected):
            few = f"{len(self.kept)} of {_count([*self.kept, *self.rejected])} kept"
            findings.append(Finding("warning", "collect.few_kept", few, advise(self.rejected)))
        if unsaid := [candidate.id for candidate in self.kept if candidate.licence == UNKNOWN]:
            ask = f"nobody says under what licence: {_name(unsaid)}. Exports warn of each; ask, or give --licences"
            findings.append(Finding("warning", "collect.unknown_licence", _count(unsaid), ask))
        if self.stopped:
            findings.append(Finding("warning", "collect.fetching_stopped", "download", self.stopped))
        if self.waiting:
            fetch = f"have no file: {_name(self.waiting)}. Fetch them yourself, or give --download"
            findings.append(Finding("warning", "collect.without_file", _count(self.waiting), fetch))
        if unread := self.titles.unread:
            why = f"nothing was rejected of {_name(unread)}: {self.titles.why}"
            findings.append(Finding("info", "collect.unread_titles", count(len(unread), "title"), why))
        if self.unmeasured:
            again = f"no earlier call looked at them: {_name(self.unmeasured)}. Run once without --recheck"
            findings.append(Finding("warning", "collect.not_measured", _count(self.unmeasured), again))
        for group in self.alike:
            same = f"show one place, so they are one home, for splits: {_name(group)}. Say `home` if they are not"
            findings.append(Finding("info", "collect.same_home", _count(group), same))
        if not self.is_looked_at and self.kept:
            pull = "nobody looked for people, the open air or a home: roomtour models pull light"
            findings.append(Finding("info", "collect.not_looked_at", _count(self.kept), pull))
        return tuple(findings)


def collect(
    lists: Sequence[Path],
    out: Path,
    options: CollectOptions = CollectOptions(),
    config: Config = Config(),
    *,
    until: Step = STEPS[-1],
    networks: Looks | None = None,
    downloader: Fetches | None = None,
    read_titles: ReadTitlesOf | None = judge_titles_by_words,
    embeds: Embeds | None = None,
    is_recheck: bool = False,
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
        read_titles: Judges videos by their titles, with a folder for kept replies: by keywords, or by a language model
            (`judge_titles`). With None titles reject nothing.
        embeds: Gives vectors of pictures, by which videos of one home are found; without it none are.
        is_recheck: Read figures of earlier calls alone, no video and no list: those of `lists` and, without one, all
            that this folder knows.
        tell: Called with each rejection.

    Raises:
        RoomtourError: If a list cannot be read, or the folder not be written.
    """
    candidates = _recall(lists, out) if is_recheck else read_candidates(lists)
    out.mkdir(parents=True, exist_ok=True)
    funnel = Funnel(out, options, config, tell, is_recheck=is_recheck)
    steps = STEPS[: STEPS.index(until) + 1]
    waiting: list[str] = []
    stopped = ""
    fetches = downloader is not None and "download" in steps
    lenient = replace(options, licences=()) if fetches else options  # whoever describes it may know its licence
    left = funnel.pass_on(candidates, lambda candidate: judge_facts(candidate, options if candidate.path else lenient))
    if downloader is not None and fetches:
        left, waiting, stopped = funnel.ask_each(left, downloader.describe)
        left = funnel.pass_on(left, lambda candidate: judge_facts(candidate, options))
    left = [funnel.note(with_home(candidate)) for candidate in left]
    read = ReadTitles(())
    if "titles" in steps and read_titles is not None:
        read = read_titles(left, out / REPLIES)
        verdicts = {judgement.id: judgement for judgement in read.judgements}
        left = funnel.pass_on(left, lambda candidate: verdicts.get(candidate.id, Judgement(candidate.id, "titles", "")))
    if "download" in steps:
        left, unfetched, stopped = funnel.ask_each(left, downloader.fetch if downloader is not None else None, stopped)
        waiting += unfetched
    if "probe" in steps:
        left = funnel.pass_on(left, funnel.probe)
    if "duplicates" in steps:
        left = funnel.drop_duplicates(left)
    if "sample" in steps:
        left = funnel.pass_on(left, funnel.sample)
    is_looked_at = "look" in steps and (networks is not None or (is_recheck and funnel.was_looked_at(left)))
    if is_looked_at:
        left = funnel.pass_on(left, lambda candidate: funnel.look(candidate, networks))
    alike: list[tuple[str, ...]] = []
    if "look" in steps and (embeds is not None or is_recheck):
        alike = funnel.find_homes(left, embeds)
        left = name_homes_by_pictures(left, alike)
        for candidate in left:
            funnel.note(candidate)
    known = tuple(funnel.complete(candidate) for candidate in candidates)
    rejected, unmeasured = tuple(funnel.rejected), tuple(funnel.unmeasured)
    collected = Collected(known, rejected, tuple(waiting), stopped, read, is_looked_at, unmeasured, tuple(alike))
    _write(out, collected)
    return collected


def _recall(lists: Sequence[Path], out: Path) -> tuple[Candidate, ...]:
    """The candidates as an earlier call described them: those of lists, or all."""
    if not (out / CANDIDATES).is_file():
        raise RoomtourError(f"{out}: nothing was collected here; --recheck reads what an earlier call found out")
    known = {candidate.id: without_guess(candidate) for candidate in read_jsonl(out / CANDIDATES, Candidate)}
    return (
        tuple(known.get(candidate.id, candidate) for candidate in read_candidates(lists))
        if lists
        else tuple(known.values())
    )


def _write(out: Path, collected: Collected) -> None:
    write_jsonl(out / CANDIDATES, collected.candidates, Candidate)
    write_jsonl(out / REJECTED, collected.rejected, Judgement)
    write_jsonl(out / FINDINGS, collected.findings, Finding)
    facts = ("licence", "title", "author", "url", "consent", "retrieved", "home")
    lines = []
    for candidate in collected.kept:
        if candidate.path:
            values = {name: value for name in facts if (value := getattr(candidate, name)) and value != "unknown"}
            lines.append(
                json.dumps({"name": candidate.id, "source": candidate.path, **values}, ensure_ascii=False) + "\n"
            )
    write_text(out / TOURS, "".join(lines))


def _count(videos: Sequence[object]) -> str:
    return count(len(videos), "video")


def _name(ids: Sequence[str]) -> str:
    more = f" and {len(ids) - _NAMED} more" if len(ids) > _NAMED else ""
    return ", ".join(ids[:_NAMED]) + more


PAGE = "collect.html"
_EXAMPLES = 3
_PICTURE_PX = 112


def write_page(out: Path, collected: Collected) -> None:
    """Write the page into the folder of the collection."""
    paths = {candidate.id: candidate for candidate in collected.candidates}
    ordered = sorted(collected.rejected, key=lambda judgement: (STEPS.index(judgement.step), judgement.code))
    rows = []
    for (step, code), group in groupby(ordered, key=lambda judgement: (judgement.step, judgement.code)):
        fallen = list(group)
        rows.append({"step": step, "code": code, "number": len(fallen), "examples": _examples(fallen, paths)})
    page = render(
        "collect/collect.html",
        title="Collected tours – roomtour",
        script="",
        kept=len(collected.kept),
        total=len(collected.candidates),
        waiting=len(collected.waiting),
        findings=collected.findings,
        rows=rows,
        tours=collected.kept,
    )
    write_text(out / PAGE, page)


def _examples(fallen: Sequence[Judgement], candidates: dict[str, Candidate]) -> list[dict[str, object]]:
    return [
        {"id": judgement.id, "why": describe_rejection(judgement), "picture": _draw(candidates[judgement.id].path)}
        for judgement in fallen[:_EXAMPLES]
    ]


def _draw(path: str) -> str:
    """Address of a small picture from the middle of a video; empty if there is none."""
    if not path:
        return ""
    try:
        with open_video(Path(path)) as container:
            stream, _ = choose_stream(Path(path), container)
            container.seek((container.duration or 0) // 2)
            frame = next(container.decode(stream))
            picture = frame.to_ndarray(format="bgr24").astype(np.uint8, copy=False)
    except (ReconError, OSError, ValueError, EOFError, StopIteration):
        return ""
    return data_address(to_jpeg(shrink(picture, _PICTURE_PX)))
