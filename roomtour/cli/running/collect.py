"""`roomtour collect`: from lists of videos to a list of tours worth processing."""

from __future__ import annotations

import argparse
import shlex
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING

from recon.numerals import count
from roomtour.cli.console import complain, tell
from roomtour.cli.parsing.settings import build_config
from roomtour.drawing.text import printable
from roomtour.errors import UsageError

if TYPE_CHECKING:
    from instructions.language.options import LanguageOptions
    from roomtour.collect.gather import ReadTitlesOf
    from roomtour.collect.looking.look import Embeds, Looks
    from roomtour.collect.records import CollectOptions, Judgement

_HELP = """usage: roomtour collect LIST... --out SET [--config FILE] [--download] [--until STEP] [--dry-run] [bars]
       roomtour collect [LIST...] --out SET --recheck [bars]

Judge the videos of lists, cheap checks first, and write those worth processing as SET/tours.jsonl, which
`roomtour batch run SET/tours.jsonl --out JOB` takes. Nothing is searched; only what a list names is looked at.

  LIST...               Text (a path or address per line), CSV, *.jsonl, *.info.json of a downloader, videos, folders.
  --out SET             Folder: tours.jsonl, rejected.jsonl with reasons, candidates.jsonl, findings.jsonl,
                        judgements.jsonl, collect.html. Needed.
  --download            Fetch videos that have an address and no file, with yt-dlp, one at a time (--per-hour 100), once
                        what the platform tells of them passes. --sound fetches sound too.
  --titles WHAT         words, by default: titles and descriptions are read by a keyword rule; llm: by a language model
                        (language.* of --config); none.
  --until STEP          facts, titles, download, probe, duplicates, sample or look; the last by default.
  --dry-run             Only say what the lists themselves say against their videos; nothing is read or written.
  --recheck             Hold what earlier calls measured against the bars of now: reads no video, and no list if none
                        is given.
  --config FILE         Options of the pipeline's first stage, as `roomtour process` takes them.
  --perception WHAT     light: small networks look for people and the open air (roomtour models pull light); models:
                        large ones (vision.tags and vision.boxes of --config) look for text too; none; auto, by
                        default: light where they are.

bars, with their defaults:
  --min-seconds 5  --max-seconds 3600  --min-short-side 240 (pixels)  --max-age-limit 0
  --max-black-share 0.2  --max-still-share 0.5  --max-bars-share 0.35  --max-overlay-share 0.35
  --shots-count 9  --shots-share 0.8   the longest shots hold at least so much of the time
  --min-sharpness 6  --max-standing-share 0.9  --max-flat-share 0.8
  --max-people-share 0.4  --max-outdoors-share 0.5  --min-indoors-share 0.3   by networks alone
  --max-text-share 0.5   by large models alone
  --same-home 0.65  --same-place-points 20   videos that look so much alike, by a small network, and share so many
                        points in two pictures show one home, for splits; --same-home 1 for none
  --licences A,B        Only these, word for word. --forbidden-words A,B reject by title or description.

The same command with other bars looks at no video again. You need the right to use what you collect: see the
documentation, Collecting tours.
"""


def main(args: Sequence[str]) -> int:
    """Judge the videos of lists, and write those worth processing as a list of tours."""
    if not args or args[0] in ("-h", "--help"):
        print(_HELP, end="")
        return 0
    from instructions.perception.models.light.embedding import PictureEmbedding
    from instructions.perception.models.light.folder import find_picture_embedding, light_folder
    from roomtour.collect.bars import describe_rejection
    from roomtour.collect.download import Downloader, DownloadOptions
    from roomtour.collect.gather import TOURS, collect
    from roomtour.collect.looking.look import LightLook, why_no_look
    from roomtour.collect.page import PAGE, write_page
    from roomtour.collect.records import STEPS, CollectOptions

    words = _Words(prog="roomtour collect", add_help=False, allow_abbrev=False)
    words.add_argument("lists", nargs="*", type=Path)
    words.add_argument("--out", type=Path, required=True)
    words.add_argument("--download", action="store_true")
    words.add_argument("--sound", action="store_true")
    words.add_argument("--dry-run", action="store_true")
    words.add_argument("--recheck", action="store_true")
    words.add_argument("--config", type=Path)
    words.add_argument("--per-hour", type=_positive, default=100.0)
    words.add_argument("--perception", choices=("auto", "light", "models", "none"), default="auto")
    words.add_argument("--titles", choices=("words", "llm", "none"), default="words")
    words.add_argument("--until", choices=STEPS, default=STEPS[-1])
    defaults = CollectOptions()
    numbers = [field.name for field in fields(CollectOptions) if isinstance(getattr(defaults, field.name), float)]
    for name in numbers:
        words.add_argument(f"--{name.replace('_', '-')}", type=_number, default=getattr(defaults, name))
    for name in ("licences", "forbidden_words"):
        words.add_argument(f"--{name.replace('_', '-')}", type=_split, default=())
    given = words.parse_args(list(args))
    chosen = {field.name: getattr(given, field.name) for field in fields(CollectOptions)}
    for name in numbers:
        if (name.endswith("share") or name == "same_home") and chosen[name] > 1:
            raise UsageError(f"collect: --{name.replace('_', '-')} is {chosen[name]:g}, need 0 to 1")

    def say(one: Judgement) -> None:
        tell(f"{one.id}: {describe_rejection(one)}")

    options = CollectOptions(**chosen)
    if not given.lists and not given.recheck:
        raise UsageError("collect: no list given; see roomtour collect --help")
    if given.recheck and (given.download or given.dry_run or given.titles == "llm"):
        raise UsageError("collect: --recheck asks nobody and fetches nothing; leave out the other flag")
    if given.dry_run:
        return _tell_facts(given.lists, options, say, reads_words=given.titles == "words")
    fetching = DownloadOptions(per_hour=given.per_hour, sound=given.sound)
    downloader = Downloader(given.out / "videos", fetching) if given.download else None
    config = build_config(given.config)
    networks: Looks | None = None
    embeds: Embeds | None = None
    if given.recheck:
        pass  # by what they saw before
    elif given.until == "look" and given.perception == "models":
        from roomtour.collect.looking.large_look import LargeLook

        networks = LargeLook(config.vision)
    elif given.until == "look" and (given.perception == "light" or (given.perception == "auto" and not why_no_look())):
        networks = LightLook(config.vision.folder)
    vectors = find_picture_embedding(light_folder(config.vision.folder))
    if not given.recheck and given.until == "look" and given.perception != "none" and vectors is not None:
        embeds = PictureEmbedding(vectors)
    found = collect(
        given.lists,
        given.out,
        options,
        config,
        until=given.until,
        networks=networks,
        downloader=downloader,
        embeds=embeds,
        is_recheck=given.recheck,
        read_titles=_read_titles(given.titles, config.language),
        tell=say,
    )
    write_page(given.out, found)
    reasons = Counter(one.code for one in found.rejected)
    why = ", ".join(f"{number} {code}" for code, number in reasons.most_common())
    tell(f"{len(found.kept)} of {count(len(found.candidates), 'video')} kept; rejected: {why or 'none'}")
    for finding in found.findings:
        (complain if found.stopped and finding.code == "collect.fetching_stopped" else tell)(printable(str(finding)))
    tell(f"tours: {given.out / TOURS}, page: {given.out / PAGE}")
    if found.kept:
        tell(f"next: roomtour batch run {shlex.quote(str(given.out / TOURS))} --out JOB")
    return 1 if found.stopped else 0


def _read_titles(by: str, language: LanguageOptions) -> ReadTitlesOf | None:
    from instructions.language.connect import connect_server
    from roomtour.collect.titles import judge_titles, judge_titles_by_words

    if by == "llm":
        return lambda candidates, replies: judge_titles(candidates, lambda: connect_server(language), replies, language)
    return judge_titles_by_words if by == "words" else None


def _tell_facts(
    lists: Sequence[Path], options: CollectOptions, say: Callable[[Judgement], None], *, reads_words: bool
) -> int:
    from roomtour.collect.facts import judge_facts
    from roomtour.collect.lists import read_candidates
    from roomtour.collect.titles import judge_titles_by_words

    candidates = read_candidates(lists)
    judged = [judge_facts(one, options) for one in candidates]
    if reads_words:
        by_words = judge_titles_by_words(candidates).judgements
        judged = [fact if fact.code else word for fact, word in zip(judged, by_words, strict=True)]
    for one in judged:
        if one.code:
            say(one)
    fetch = sum(not one.path for one in candidates)
    kept = sum(not one.code for one in judged)
    tell(f"{kept} of {count(len(candidates), 'video')} would be looked at; {count(fetch, 'video')} without a file")
    return 0


class _Words(argparse.ArgumentParser):
    def error(self, message: str) -> None:  # type: ignore[override]
        raise UsageError(f"collect: {message}; see roomtour collect --help")


def _number(words: str) -> float:
    value = float(words)
    if not 0 <= value < float("inf"):
        raise argparse.ArgumentTypeError(f"{words}: need a number, 0 or more")
    return value


def _positive(words: str) -> float:
    if _number(words) == 0:
        raise argparse.ArgumentTypeError(f"{words}: need a number above 0")
    return float(words)


def _split(words: str) -> tuple[str, ...]:
    return tuple(word.strip() for word in words.split(",") if word.strip())
