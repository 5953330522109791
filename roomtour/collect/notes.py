"""What people should know of a collection besides which videos fell: what nobody said, and what nobody looked at."""

from __future__ import annotations

from collections.abc import Sequence

from recon.findings import Finding
from recon.numerals import count
from roomtour.collect.bars import advise
from roomtour.collect.records import Candidate, Judgement
from roomtour.collect.titles import ReadTitles
from roomtour.tour_facts import UNKNOWN

_NAMED = 3


def find_notes(
    kept: Sequence[Candidate],
    rejected: Sequence[Judgement],
    waiting: Sequence[str],
    titles: ReadTitles,
    stopped: str,
    *,
    is_looked_at: bool,
    unmeasured: Sequence[str] = (),
    alike: Sequence[Sequence[str]] = (),
) -> tuple[Finding, ...]:
    """The findings of a collection.

    Args:
        kept: Videos that no step rejected.
        rejected: Why the others fell.
        waiting: Ids of those without a file.
        titles: What came of reading them.
        stopped: Why fetching stopped; empty if it did not.
        is_looked_at: Whether networks looked for people, the open air and homes.
        unmeasured: Ids of those of which a recheck knew nothing.
        alike: Ids of videos that look like one home, by groups.
    """
    found: list[Finding] = []
    if len(kept) < len(rejected):
        told = count(len(kept) + len(rejected), "video")
        found.append(Finding("warning", "collect.few_kept", f"{len(kept)} of {told} kept", advise(rejected)))
    unsaid = [one.id for one in kept if one.licence == UNKNOWN]
    if unsaid:
        message = f"nobody says under what licence: {_name(unsaid)}. Exports warn of each; ask, or give --licences"
        found.append(Finding("warning", "collect.unknown_licence", count(len(unsaid), "video"), message))
    if stopped:
        found.append(Finding("warning", "collect.fetching_stopped", "download", stopped))
    if waiting:
        message = f"have no file: {_name(waiting)}. Fetch them yourself, or give --download"
        found.append(Finding("warning", "collect.without_file", count(len(waiting), "video"), message))
    if titles.unread:
        message = f"nothing was rejected of {_name(titles.unread)}: {titles.why}"
        found.append(Finding("info", "collect.unread_titles", count(len(titles.unread), "title"), message))
    if unmeasured:
        message = f"no earlier call looked at them: {_name(unmeasured)}. Run once without --recheck"
        found.append(Finding("warning", "collect.not_measured", count(len(unmeasured), "video"), message))
    for group in alike:
        message = (
            f"show one place, so they are one home, for splits: {_name(group)}. Say `home` in the list if they are not"
        )
        found.append(Finding("info", "collect.same_home", count(len(group), "video"), message))
    if kept and not is_looked_at:
        message = "nobody looked for people, the open air or a home: roomtour models pull light"
        found.append(Finding("info", "collect.not_looked_at", count(len(kept), "video"), message))
    return tuple(found)


def _name(ids: Sequence[str]) -> str:
    more = f" and {len(ids) - _NAMED} more" if len(ids) > _NAMED else ""
    return ", ".join(ids[:_NAMED]) + more
