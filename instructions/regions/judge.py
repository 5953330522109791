"""What becomes of a written row: every filter in its order, then kept or rejected with its reason."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import islice

from instructions.regions.dedup import find_meant_repeat, find_repeat
from instructions.regions.interfaces import SentenceEncoder
from instructions.regions.options import RegionOptions
from instructions.regions.records import MentionedRegion, Mode, Qar
from instructions.regions.rules import (
    MENTION,
    Fault,
    Parts,
    find_echo,
    find_id_fault,
    find_mentions,
    find_stutter,
    find_text_fault,
)
from instructions.truth.view_claims import Verdict
from instructions.truth.views import (
    check_view_answer,
    check_view_text,
    find_unread,
    has_false,
    measure_checked_share,
    read_view,
)
from instructions.view import View


def judge_row(
    row: Qar,
    view: View,
    earlier: Sequence[str],
    options: RegionOptions = RegionOptions(),
    encoder: SentenceEncoder | None = None,
) -> Qar:
    """The row with its mentions and verdicts, rejected by the first filter that it fails.

    Args:
        row: As written, accepted so far.
        view: With its numbered things.
        earlier: Texts of probes and of rows of the view before it.
        options: Bars.
        encoder: Finds repeats in other words too, among texts about the same things.
    """
    if not row.accepted:
        return row
    parts = Parts(row.question, row.answer, row.rationale)
    named = _find_named(parts, row.mode, view)
    verdicts = check_row(parts, view, options)
    row = replace(
        row,
        mentioned=tuple(number for number, _ in named),
        regions=tuple(
            MentionedRegion(number, name if view.has_pose else None, thing.box)
            for number, name in named
            if (thing := view.find_thing(name)) is not None
        ),
        verdicts=verdicts,
        checked_share=measure_checked_share(verdicts),
    )
    called = [view.find_thing(name) for _, name in named]
    names = tuple(thing.category or thing.alias for thing in called if thing is not None)
    fault = find_id_fault(parts, row.mode, len(view.numbers))
    if fault is None and row.mode == "id" and (words := _find_worded(parts, view)) is not None:
        fault = Fault("has_words", f"names {words!r}, which has a number")
    fault = fault or find_text_fault(parts, names=names) or find_stutter(parts) or find_echo(parts)
    if fault is not None:
        return row.reject(fault.code, fault.words)
    if (
        words := next((one for text in parts.all for one in read_view(view).find_self_relations(text)), None)
    ) is not None:
        return row.reject("self_relation", f"{words!r} relates a thing to itself")
    if row.mode == "description" and (words := _find_ambiguous(parts, view)) is not None:
        return row.reject("ambiguous", f"{words!r} fits more than one thing of the view")
    repeat = find_repeat(row.text, earlier, options.repeat_cosine)
    if repeat is None and encoder is not None:
        about = _find_about(row.text, view)
        alike = [place for place, text in enumerate(earlier) if _find_about(text, view) == about]
        repeat = find_meant_repeat(row.text, earlier, alike, options.repeat_cosine, encoder)
    if repeat is not None:
        return row.reject("repeat", f"cosine {repeat[1]:.2f} to {earlier[repeat[0]][:80]!r}")
    false = has_false(verdicts)
    if false is not None:
        return row.reject("false_claim", f"{false.claim.words!r}: {false.reason}")
    unread = find_unread(parts.all, view)
    return row if unread is None else row.reject("unread", f"{unread!r} is not understood")


def check_row(parts: Parts, view: View, options: RegionOptions = RegionOptions()) -> tuple[Verdict, ...]:
    """Verdicts on all claims of a row: the answer read with its question, then the rationale."""
    told = check_view_answer(parts.question, parts.answer, view, options.bars)
    reader = read_view(view)
    # Each part was read before, so it is not read again; the first thing of the answer, else of the question.
    named = (name for text in (parts.answer, parts.question) for names in reader.find_things(text) for name in names)
    reasons = check_view_text(parts.rationale, view, options.bars, about=tuple(islice(named, 1)))
    return (*told, *(one for one in reasons if one not in told))


def _find_named(parts: Parts, mode: Mode, view: View) -> list[tuple[int, str]]:
    """Number and id of what a row names, in order of first mention."""
    if mode == "id":
        return [(number, view.numbers[number]) for number in find_mentions(parts) if number in view.numbers]
    numbers = {name: number for number, name in view.numbers.items()}
    reader = read_view(view)
    names = [ids[0] for text in parts.all for ids in reader.find_things(text) if len(ids) == 1]
    return [(numbers[name], name) for name in dict.fromkeys(names) if name in numbers]


def _find_worded(parts: Parts, view: View) -> str | None:
    """Words for one thing that has a number, as `the red chair`; `[0] is a chair` names it by its number."""
    numbered = set(view.numbers.values())
    reader = read_view(view)
    for text in parts.all:
        for words, ids in reader.find_definite(text):
            if len(ids) == 1 and ids[0] in numbered:
                return words
    return None


def _find_about(text: str, view: View) -> frozenset[str]:
    """Ids of all things that a text names, by number or by words."""
    numbered = {view.numbers[number] for number in map(int, MENTION.findall(text)) if number in view.numbers}
    return frozenset(numbered | {ids[0] for ids in read_view(view).find_things(text) if len(ids) == 1})


def _find_ambiguous(parts: Parts, view: View) -> str | None:
    """Words of the question that may mean two things, though they speak of one."""
    reader = read_view(view)
    for words, ids in reader.find_definite(parts.question):
        if len(ids) > 1:
            return words
    return None
