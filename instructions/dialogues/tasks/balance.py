"""Balance of a tour's tasks: answers that cannot be guessed by frequency, templates evenly, no thing too often."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from typing import TypeVar

from instructions.dialogues.options import MixOptions
from instructions.dialogues.records import Dialogue
from instructions.dialogues.tasks.tasks import Draft
from instructions.dialogues.templates import Pool, load_pool

UNEVEN_SHARE = 0.02
"""Of all rows: how far the share of a kind may lie from the wanted one without being told."""


@dataclass(frozen=True)
class Placed:
    """A draft of a view or cloud."""

    draft: Draft
    about: str
    """Frame or cloud."""

    @cached_property
    def lot(self) -> str:
        """An order by chance that hangs on what the draft is about."""
        return _lot(f"{self.about}/{self.draft.task}/{self.draft.key}")


def _lot(text: str) -> str:
    return sha256(text.encode()).hexdigest()


@dataclass(frozen=True)
class Numbers:
    """Which sentences a draft gets, and where its right option stands."""

    asked: int
    told: int
    place: int


_Item = TypeVar("_Item", Placed, Dialogue)


def _even(items: Sequence[_Item], answers: Sequence[str | None], lots: Sequence[str]) -> tuple[list[_Item], int]:
    """Items of which as many answer `no` as `yes`, in the same order, and how many went; which, says the lot."""
    places = {word: [at for at, one in enumerate(answers) if one == word] for word in ("yes", "no")}
    least = min(map(len, places.values()))
    gone = {at for members in places.values() for at in sorted(members, key=lambda at: lots[at])[least:]}
    return [one for at, one in enumerate(items) if at not in gone], len(gone)


def even_answers(drafts: Sequence[Placed], most_count_share: float) -> tuple[list[Placed], Counter[str]]:
    """As many `no` as `yes`, and no number of things above its share of the rows that count.

    Returns:
        What stays, in the same order, and how many went by reason.
    """
    answers = [one.draft.variant if one.draft.task == "presence" else None for one in drafts]
    even, uneven = _even(drafts, answers, [one.lot for one in drafts])
    counts: dict[int, list[str]] = defaultdict(list)
    for one in drafts:
        if one.draft.task == "count" and one.draft.truth.number is not None:
            counts[one.draft.truth.number].append(one.lot)
    caps = cap_shares({number: len(found) for number, found in counts.items()}, most_count_share)
    gone = {lot for number, keep in caps.items() for lot in sorted(counts[number])[keep:]}
    reasons = Counter({"yes_and_no": uneven, "same_number": len(gone)})
    return [one for one in even if one.lot not in gone], +reasons


def cap_shares(counts: Mapping[int, int], most: float) -> dict[int, int]:
    """How many of each may stay so that none is more than a share of all that stay.

    Where there are too few different ones for that, the most frequent comes down to the next.
    """
    if not counts:
        return {}
    if len(counts) * most < 1:
        cap = sorted(counts.values())[-2] if len(counts) > 1 else 1
    else:
        caps = range(max(counts.values()), 0, -1)
        cap = next((cap for cap in caps if cap <= most * sum(min(count, cap) for count in counts.values())), 1)
    return {key: min(count, cap) for key, count in counts.items()}


def draw_templates(drafts: Sequence[Placed], pools: Mapping[str, Pool] | None = None) -> dict[str, Numbers]:
    """Sentences for every draft, by its lot: each of a pool as often as any other, give or take one."""
    out: dict[str, Numbers] = {}
    by_pool: dict[tuple[str, str], list[Placed]] = defaultdict(list)
    for one in drafts:
        by_pool[one.draft.task, one.draft.variant].append(one)
    for (task, variant), found in sorted(by_pool.items()):
        pool = (pools or {}).get(task) or load_pool(task)
        options = len(found[0].draft.wrong) + 1
        # Letters by a lot of their own: a wording must not tell where the right option stands.
        by_letter = sorted(found, key=lambda one: _lot(f"letter/{one.lot}"))
        letters = {one.lot: place % options for place, one in enumerate(by_letter)}
        # Sentences in the order of classes, so that those of one class get different ones.
        for place, one in enumerate(sorted(found, key=lambda one: (one.draft.names_class, one.lot))):
            out[one.lot] = Numbers(place % len(pool.questions), place % len(pool.answers[variant]), letters[one.lot])
    return out


def cap_wordings(drafts: Sequence[Placed], numbers: Mapping[str, Numbers], most: float) -> tuple[list[Placed], int]:
    """No class in one wording, of question or answer, above its share of the rows of a task.

    Of few rows one alone is more than the share: one of each pair is always let in.

    Returns:
        What stays, in the same order, and how many went.
    """
    stays: set[str] = set()
    by_task: dict[str, list[Placed]] = defaultdict(list)
    for one in sorted(drafts, key=lambda one: one.lot):
        by_task[one.draft.task].append(one)
    for left in by_task.values():
        before = len(left) + 1
        while len(left) < before:
            # What goes makes the task smaller, and with it what its share is.
            before, cap, told = len(left), max(1, int(most * len(left))), Counter[tuple[str, str, str, int]]()
            stay = []
            for one in left:
                drawn, about = numbers[one.lot], (one.draft.names_class, one.draft.variant)
                pairs = (("question", *about, drawn.asked), ("answer", *about, drawn.told))
                if all(told[pair] < cap for pair in pairs):
                    told.update(pairs)
                    stay.append(one)
            left = stay
        stays |= {one.lot for one in left}
    return [draft for draft in drafts if draft.lot in stays], sum(draft.lot not in stays for draft in drafts)


def keep_groups(rows: Sequence[Dialogue]) -> tuple[list[Dialogue], int]:
    """Rows of a group of which fewer than two are left say nothing that their group was made for.

    Returns:
        What stays, in the same order, and how many went.
    """
    count = Counter(row.group for row in rows if row.group is not None)
    kept = [row for row in rows if row.group is None or count[row.group] >= 2]
    return kept, len(rows) - len(kept)


_RANK = {"daily": 0, "description": 1, "factual": 2, "task": 3}


def cap_things(rows: Sequence[Dialogue], most: int) -> tuple[list[Dialogue], int]:
    """Rows in which no thing is named by more than so many of one medium; talks and descriptions go before tasks.

    Returns:
        What stays, in the same order, and how many went.
    """
    named: Counter[tuple[str, str]] = Counter()
    kept: set[str] = set()
    for row in sorted(rows, key=lambda row: (_RANK[row.kind], _lot(row.id))):
        things = {name for one in row.evidence for name in one.objects}
        if all(named[row.medium, name] < most for name in things):
            kept.add(row.id)
            named.update((row.medium, name) for name in things)
    return [row for row in rows if row.id in kept], len(rows) - len(kept)


def even_yes_no(rows: Sequence[Dialogue]) -> tuple[list[Dialogue], int]:
    """As many `no` as `yes` among the rows that ask whether something is there; what goes hangs on its id.

    Returns:
        What stays, in the same order, and how many went.
    """
    answers = [row.truth.label if row.task == "presence" and row.truth is not None else None for row in rows]
    return _even(rows, answers, [_lot(row.id) for row in rows])


def tell_shares(rows: Sequence[Dialogue], mix: MixOptions) -> dict[str, dict[str, float]]:
    """By kind: the wanted and the real share of accepted rows."""
    got = Counter(row.kind for row in rows if row.accepted)
    whole, count = sum(mix.shares.values()) or 1.0, max(got.total(), 1)
    return {
        kind: {"wanted": round(share / whole, 3), "got": round(got[kind] / count, 3)}
        for kind, share in mix.shares.items()
    }


def cut_surplus(rows: Sequence[Dialogue], mix: MixOptions) -> tuple[list[Dialogue], int]:
    """Rows of which no kind is above its share of what stays; kinds that are not there at all are not waited for.

    Rows of a group stay or go together, and so do as many `yes` as `no`.

    Args:
        rows: Accepted and rejected ones; the latter stay, and count for nothing.
        mix: Wanted shares.

    Returns:
        What stays, in the same order, and how many went.
    """
    got = Counter(row.kind for row in rows if row.accepted)
    here = {kind: share for kind, share in mix.shares.items() if got[kind] and share > 0}
    if not here:
        return list(rows), 0
    whole = min(got[kind] / share for kind, share in here.items())
    left = Counter({kind: round(whole * share) for kind, share in mix.shares.items() if share > 0})
    units: dict[str, list[Dialogue]] = defaultdict(list)
    for row in rows:
        if row.accepted:
            units[f"group {row.group}" if row.group is not None else row.id].append(row)
    stays: set[str] = set()
    for name in sorted(units, key=_lot):
        need = Counter(row.kind for row in units[name])
        if need <= left:
            stays |= {row.id for row in units[name]}
            left -= need
    told, _ = even_yes_no([row for row in rows if not row.accepted or row.id in stays])
    return told, len(rows) - len(told)


def find_uneven(shares: Mapping[str, Mapping[str, float]]) -> list[str]:
    """Kinds whose share is not as wanted: `daily 6.9 % (26.3 wanted)`."""
    return [
        f"{kind} {100 * one['got']:.1f} % ({100 * one['wanted']:.1f} wanted)"
        for kind, one in shares.items()
        if abs(one["got"] - one["wanted"]) > UNEVEN_SHARE
    ]
