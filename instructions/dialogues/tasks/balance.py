"""Balance of a tour's tasks: answers that cannot be guessed by frequency, templates evenly, no thing too often."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256

from instructions.dialogues.options import MixOptions
from instructions.dialogues.records import Dialogue
from instructions.dialogues.tasks.tasks import Draft
from instructions.dialogues.templates import Pool, load_pool


@dataclass(frozen=True)
class Placed:
    """A draft of a view or cloud."""

    draft: Draft
    about: str
    """Frame or cloud."""

    @property
    def lot(self) -> str:
        """An order by chance that hangs on what the draft is about."""
        return sha256(f"{self.about}/{self.draft.task}/{self.draft.key}".encode()).hexdigest()


@dataclass(frozen=True)
class Numbers:
    """Which sentences a draft gets, and where its right option stands."""

    asked: int
    told: int
    place: int


def even_answers(drafts: Sequence[Placed], most_count_share: float) -> tuple[list[Placed], Counter[str]]:
    """As many `no` as `yes`, and no number of things above its share of the rows that count.

    Returns:
        What stays, in the same order, and how many went by reason.
    """
    gone: set[str] = set()
    reasons: Counter[str] = Counter()
    presence = {
        word: [one for one in drafts if one.draft.task == "presence" and one.draft.variant == word]
        for word in ("yes", "no")
    }
    least = min(len(found) for found in presence.values())
    for found in presence.values():
        for one in sorted(found, key=lambda one: one.lot)[least:]:
            gone.add(one.lot)
            reasons["yes_and_no"] += 1
    counts: dict[int, list[Placed]] = defaultdict(list)
    for one in drafts:
        if one.draft.task == "count" and one.draft.truth.number is not None:
            counts[one.draft.truth.number].append(one)
    for number, keep in cap_shares({number: len(found) for number, found in counts.items()}, most_count_share).items():
        for one in sorted(counts[number], key=lambda one: one.lot)[keep:]:
            gone.add(one.lot)
            reasons["same_number"] += 1
    return [one for one in drafts if one.lot not in gone], reasons


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
    """Sentences for every draft, by its lot: each of a pool as often as any other, give or take one.

    Args:
        drafts: Of a tour.
        pools: By task, where it is not our own.
    """
    out: dict[str, Numbers] = {}
    by_pool: dict[tuple[str, str], list[Placed]] = defaultdict(list)
    for one in drafts:
        by_pool[one.draft.task, one.draft.variant].append(one)
    for (task, variant), found in sorted(by_pool.items()):
        pool = (pools or {}).get(task) or load_pool(task)
        options = len(found[0].draft.wrong) + 1
        # Letters by a lot of their own: a wording must not tell where the right option stands.
        letters = {one.lot: place % options for place, one in enumerate(sorted(found, key=_letter_lot))}
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
    gone: set[str] = set()
    by_task: dict[str, list[Placed]] = defaultdict(list)
    for one in drafts:
        by_task[one.draft.task].append(one)
    for found in by_task.values():
        left = sorted(found, key=lambda one: one.lot)
        while True:
            # What goes makes the task smaller, and with it what its share is.
            cap = max(1, int(most * len(left)))
            told: Counter[tuple[str, str, str, int]] = Counter()
            stay = []
            for one in left:
                drawn, draft = numbers[one.lot], one.draft
                pairs = (
                    ("question", draft.names_class, draft.variant, drawn.asked),
                    ("answer", draft.names_class, draft.variant, drawn.told),
                )
                if all(told[pair] < cap for pair in pairs):
                    told.update(pairs)
                    stay.append(one)
            if len(stay) == len(left):
                break
            left = stay
        gone |= {one.lot for one in found} - {one.lot for one in left}
    return [one for one in drafts if one.lot not in gone], len(gone)


def keep_groups(rows: Sequence[Dialogue]) -> tuple[list[Dialogue], int]:
    """Rows of a group of which fewer than two are left say nothing that their group was made for.

    Returns:
        What stays, in the same order, and how many went.
    """
    count = Counter(row.group for row in rows if row.group is not None)
    kept = [row for row in rows if row.group is None or count[row.group] >= 2]
    return kept, len(rows) - len(kept)


def _letter_lot(one: Placed) -> str:
    return sha256(f"letter/{one.lot}".encode()).hexdigest()


def cap_things(rows: Sequence[Dialogue], most: int) -> tuple[list[Dialogue], int]:
    """Rows in which no thing is named by more than so many of one medium; talks and descriptions go before tasks.

    Returns:
        What stays, in the same order, and how many went.
    """
    named: Counter[tuple[str, str]] = Counter()
    kept: set[str] = set()
    for row in sorted(rows, key=lambda row: (_RANK[row.kind], sha256(row.id.encode()).digest())):
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
    by_answer: dict[str, list[Dialogue]] = {"yes": [], "no": []}
    for row in rows:
        if row.task == "presence" and row.truth is not None and row.truth.label is not None:
            by_answer[row.truth.label].append(row)
    least = min(len(found) for found in by_answer.values())
    gone = {
        row.id
        for found in by_answer.values()
        for row in sorted(found, key=lambda row: sha256(row.id.encode()).digest())[least:]
    }
    return [row for row in rows if row.id not in gone], len(gone)


_RANK = {"daily": 0, "description": 1, "factual": 2, "task": 3}


def tell_shares(rows: Sequence[Dialogue], mix: MixOptions) -> dict[str, dict[str, float]]:
    """By kind: the wanted and the real share of accepted rows."""
    kept = [row for row in rows if row.accepted]
    wanted = {"daily": mix.daily, "factual": mix.factual, "description": mix.description, "task": mix.task}
    whole = sum(wanted.values()) or 1.0
    got = Counter(row.kind for row in kept)
    return {
        kind: {"wanted": round(share / whole, 3), "got": round(got[kind] / max(len(kept), 1), 3)}  # type: ignore[index]
        for kind, share in wanted.items()
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
    wanted = {"daily": mix.daily, "factual": mix.factual, "description": mix.description, "task": mix.task}
    kept = [row for row in rows if row.accepted]
    got = Counter(row.kind for row in kept)
    here = {kind: share for kind, share in wanted.items() if got[kind] and share > 0}  # type: ignore[index]
    if not here:
        return list(rows), 0
    whole = min(got[kind] / share for kind, share in here.items())  # type: ignore[index]
    left = {kind: round(whole * share) if share > 0 else 0 for kind, share in wanted.items()}
    units: dict[str, list[Dialogue]] = defaultdict(list)
    for row in kept:
        units[_unit(row)].append(row)
    stays: set[str] = set()
    for _, unit in sorted(units.items(), key=lambda one: sha256(one[0].encode()).digest()):
        need = Counter(row.kind for row in unit)
        if all(count <= left[kind] for kind, count in need.items()):
            stays |= {row.id for row in unit}
            left |= {kind: left[kind] - count for kind, count in need.items()}
    told = [row for row in rows if not row.accepted or row.id in stays]
    told, _ = even_yes_no(told)
    return told, len(rows) - len(told)


def _unit(row: Dialogue) -> str:
    """What stays or goes with a row."""
    return f"group {row.group}" if row.group is not None else row.id


def find_uneven(shares: Mapping[str, Mapping[str, float]], within: float = 0.02) -> list[str]:
    """Kinds whose share is not as wanted: `daily 6.9 % (26.3 wanted)`.

    Args:
        shares: As `tell_shares` has them.
        within: What a share may be off by.
    """
    return [
        f"{kind} {100 * one['got']:.1f} % ({100 * one['wanted']:.1f} wanted)"
        for kind, one in shares.items()
        if abs(one["got"] - one["wanted"]) > within
    ]
