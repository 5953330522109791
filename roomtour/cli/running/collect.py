"""`roomtour collect`: from lists of videos to a list of tours worth processing."""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import tyro

from recon.numerals import count
from roomtour.cli.console import complain, tell
from roomtour.cli.parsing.settings import build_config
from roomtour.collect.records import STEPS, CollectOptions, Step
from roomtour.drawing.text import printable
from roomtour.errors import UsageError

if TYPE_CHECKING:
    from instructions.language.options import LanguageOptions
    from instructions.perception.models.options import VisionOptions
    from roomtour.collect.gather import ReadTitlesOf
    from roomtour.collect.look import Embeds, Looks
    from roomtour.collect.records import Judgement


def collect(
    lists: tyro.conf.Positional[tuple[Path, ...]] = (),
    /,
    out: Path | None = None,
    download: bool = False,
    sound: bool = False,
    per_hour: float = 100.0,
    titles: Literal["words", "llm", "none"] = "words",
    until: Step = STEPS[-1],
    dry_run: bool = False,
    recheck: bool = False,
    config: Path | None = None,
    perception: Literal["auto", "light", "models", "none"] = "auto",
    bars: tyro.conf.OmitArgPrefixes[CollectOptions] = CollectOptions(),
) -> int:
    """Judge the videos of lists, and write those worth processing as a list of tours.

    Cheap checks come first; `roomtour batch run SET/tours.jsonl --out JOB` takes what is left. Nothing is searched:
    only what a list names is looked at. The same command with other bars looks at no video again. You need the right
    to use what you collect: see the documentation, Collecting tours.

    Args:
        lists: Text (a path or address per line), CSV, *.jsonl, *.info.json of a downloader, videos, folders.
        out: Folder: tours.jsonl, rejected.jsonl with reasons, candidates.jsonl, findings.jsonl, judgements.jsonl,
            collect.html.
        download: Fetch videos that have an address and no file, with yt-dlp, one at a time, once what the platform
            tells of them passes.
        sound: Fetch sound too.
        per_hour: So many videos are fetched at most.
        titles: `words`: titles and descriptions are read by a keyword rule; `llm`: by a language model (language.* of
            --config).
        until: Last step.
        dry_run: Only say what the lists themselves say against their videos; nothing is read or written.
        recheck: Hold what earlier calls measured against the bars of now: reads no video, and no list if none is given.
        config: Options of the pipeline's first stage, as `roomtour process` takes them.
        perception: `light`: small networks look for people and the open air (roomtour models pull light); `models`:
            large ones (vision.tags and vision.boxes of --config) look for text too; `auto`: light where they are.
        bars: What makes a video worth processing.
    """
    from roomtour.config import options_from_dict

    said = {name: f"--{name.replace('_', '-')} {value}" for name, value in vars(bars).items()}
    options = options_from_dict(CollectOptions(), vars(bars), "collect", said)
    if out is None:
        raise UsageError("collect: no --out given: --out SET, the folder to make; see roomtour collect --help")
    if not lists and not recheck:
        raise UsageError("collect: no list given; see roomtour collect --help")
    if not 0 < per_hour < float("inf"):
        raise UsageError(f"collect: --per-hour is {per_hour:g}, need a number above 0")
    if recheck and (download or dry_run or titles == "llm"):
        raise UsageError("collect: --recheck asks nobody and fetches nothing; leave out the other flag")
    from roomtour.collect.bars import describe_rejection

    def say(judgement: Judgement) -> None:
        tell(f"{judgement.id}: {describe_rejection(judgement)}")

    if dry_run:
        return _tell_facts(lists, options, say, reads_words=titles == "words")
    from roomtour.collect.download import Downloader
    from roomtour.collect.gather import PAGE, TOURS, write_page
    from roomtour.collect.gather import collect as run_funnel

    downloader = Downloader(out / "videos", per_hour, sound) if download else None
    settings = build_config(config)
    looks = not recheck and until == "look"  # else by what networks saw before
    networks, embeds = _find_networks(perception, settings.vision) if looks else (None, None)
    collected = run_funnel(
        lists, out, options, settings, until=until, networks=networks, downloader=downloader, embeds=embeds,
        is_recheck=recheck, read_titles=_read_titles(titles, settings.language), tell=say,
    )  # fmt: skip
    write_page(out, collected)
    reasons = Counter(judgement.code for judgement in collected.rejected)
    why = ", ".join(f"{number} {code}" for code, number in reasons.most_common())
    tell(f"{len(collected.kept)} of {count(len(collected.candidates), 'video')} kept; rejected: {why or 'none'}")
    for finding in collected.findings:
        is_bad = collected.stopped and finding.code == "collect.fetching_stopped"
        (complain if is_bad else tell)(printable(str(finding)))
    tell(f"tours: {out / TOURS}, page: {out / PAGE}")
    if collected.kept:
        tell(f"next: roomtour batch run {shlex.quote(str(out / TOURS))} --out JOB")
    return 1 if collected.stopped else 0


def _find_networks(perception: str, vision: VisionOptions) -> tuple[Looks | None, Embeds | None]:
    """What looks at videos, and what compares their pictures, as far as it is here."""
    from instructions.perception.models.light.embedding import PictureEmbedding
    from instructions.perception.models.light.folder import find_light_file, light_folder
    from roomtour.collect.look import LightLook, why_no_look

    vectors = find_light_file("embedding", light_folder(vision.folder)) if perception != "none" else None
    embeds = PictureEmbedding(vectors) if vectors is not None else None
    if perception == "models":
        from roomtour.collect.look import LargeLook

        return LargeLook(vision), embeds
    is_light = perception == "light" or (perception == "auto" and not why_no_look())
    return LightLook(vision.folder) if is_light else None, embeds


def _read_titles(by: str, language: LanguageOptions) -> ReadTitlesOf | None:
    from instructions.language.connect import connect_server
    from roomtour.collect.titles import judge_titles, judge_titles_by_words

    if by == "llm":
        return lambda candidates, replies: judge_titles(candidates, lambda: connect_server(language), replies, language)
    return judge_titles_by_words if by == "words" else None


def _tell_facts(
    lists: Sequence[Path], options: CollectOptions, say: Callable[[Judgement], None], *, reads_words: bool
) -> int:
    from roomtour.collect.bars import judge_facts
    from roomtour.collect.lists import read_candidates
    from roomtour.collect.titles import judge_titles_by_words

    candidates = read_candidates(lists)
    judged = [judge_facts(candidate, options) for candidate in candidates]
    if reads_words:
        by_words = judge_titles_by_words(candidates).judgements
        judged = [fact if fact.code else word for fact, word in zip(judged, by_words, strict=True)]
    for judgement in judged:
        if judgement.code:
            say(judgement)
    fetch = sum(not candidate.path for candidate in candidates)
    kept = sum(not judgement.code for judgement in judged)
    tell(f"{kept} of {count(len(candidates), 'video')} would be looked at; {count(fetch, 'video')} without a file")
    return 0
