"""A question of a person about a run: read by rules, answered by the reference, and by programs if a model is there."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from instructions.asking.counts import NotAsked
from instructions.asking.gates import REASONS
from instructions.errors import InstructionError
from instructions.facts.verdict import Measured, spread_ratio
from instructions.language.model import TextModel, Unanswered
from instructions.language.options import LanguageOptions
from instructions.language.quoting import clean
from instructions.language.runner import ask_all
from instructions.programs.ask.forms import Reading, read_form, use_own_words
from instructions.programs.ask.tour_questions import REASONS as TOUR_REASONS
from instructions.programs.ask.tour_questions import (
    Called,
    RoughCount,
    find_overreach,
    list_names,
    say_view,
)
from instructions.programs.asked.asking import FreeAsker, FreeQuestion, hide_names
from instructions.programs.asked.believing import Belief
from instructions.programs.asked.programming import judge, write_programs
from instructions.programs.asked.wording import MUST_SAY, read_given, types_asked
from instructions.questions.core.options import ProgramOptions
from instructions.questions.core.world import Given
from instructions.questions.sets.judging import SET_TYPES, judge_question
from instructions.questions.wording.words import say_number
from instructions.wording.english import head_noun, join_list
from recon.numerals import format_measured

_READING = {
    "bad_wording": "its wording asks for something else, or leaves open what it asks",
    "other_thing": "it speaks of one more thing",
}
_GATES = {**REASONS, **TOUR_REASONS}
_WORDS = {**_GATES, **_READING}
ROUGH_SIGMA = 0.5
"""Relative standard deviation up to which a person is told a number with its interval; rows need far less. From there
on the interval reaches down to nothing."""
ROUGH_NEAREST_M, ROUGH_FURTHEST_M = 0.3, 15.0
"""Range of the things of such a number: as near as anything is asked about, and half as far again as for rows."""
UNSAID = {"absolute_distance": "from center to center"}
"""What a person means who does not say which way it is meant; the question is told back with it."""


def read_question(text: str, askers: Sequence[FreeAsker]) -> tuple[FreeAsker, FreeQuestion]:
    """The question as one of our types, about the first views that can answer it.

    Things are those whose names stand in the text, in its order; the type is the one that fits words and things.

    Raises:
        InstructionError: If no views can answer it: which names are known, what was in the way, and what can be asked.
    """
    dropped: NotAsked = NotAsked()
    called = list_names(askers)
    for asker in askers:
        question = _read(use_own_words(clean(text, 400), _heads(asker), _list_names(asker)), asker, called, dropped)
        if question is not None:
            return asker, question
    names = sorted({naming.text for asker in askers for naming in asker.names.values()})[:12]
    raise InstructionError(
        f"ask: {clean(text, 80)!r} cannot be answered ({_explain(text, askers, dropped)})"
        + (f". Name things as they are called here: {', '.join(names)}" if names else "")
        + _suggest(text, askers, called)
    )


def _explain(text: str, askers: Sequence[FreeAsker], dropped: NotAsked) -> str:
    """What is in the way of a question that no views can answer, given what each reading of it failed by."""
    # What gates say is about the question as it was meant; the rest tells which readings of it were none.
    gates = NotAsked({(kind, reason): count for (kind, reason), count in dropped.items() if reason in _GATES})
    heads = {head for asker in askers for head in _heads(asker)}
    if not heads and not gates:
        return "no thing of this run has a name of its own" + _lacks_names(askers)
    nameless = NotAsked(one for asker in askers for one in _find_nameless(text, asker) if one[0] not in heads)
    said = sorted(head for head in heads if _mentions(text, head))
    if nameless:
        ((noun, reason), _), *_ = nameless.most_common(1)
        return f"no view can ask about the {noun}, mostly because {_WORDS.get(reason, reason)}"
    if len(said) > 1 and not gates:
        return f"no view has names of their own for {join_list(said)} together"
    if not said and not gates:
        return "none of its words is the name of a thing of this run" + _lacks_names(askers)
    if all(reason == "bad_wording" for _, reason in dropped):
        return "no type of question fits its words and things"
    often = (gates or dropped).most_common(2)
    return "; ".join(f"{kind.replace('_', ' ')}: {_WORDS.get(reason, reason)}" for (kind, reason), _ in often)


def _lacks_names(askers: Iterable[FreeAsker]) -> str:
    """What helps where things were found without names."""
    has_names = any(thing.category for asker in askers for thing in asker.asker.views.known.values())
    return "" if has_names else ": things were found without names such as chair, which --perception light gives"


def _mentions(text: str, noun: str) -> bool:
    return re.search(rf"\b{re.escape(noun)}s?\b", text, re.I) is not None


_SUGGESTED = (
    "How tall is {0}?",
    "How wide is {0}?",
    "How far is {0} from {1}?",
    "Which is nearest to {0}: {1} or {2}?",
)
_OF_WALK = "How long is the walk?"
MOST_SUGGESTED = 3


def _suggest(text: str, askers: Sequence[FreeAsker], called: Called) -> str:
    """Questions that can be answered, about the things of the text first; empty where there is none."""
    found: list[str] = []
    of_walk = [_OF_WALK] if any(_read(_OF_WALK, asker, called, NotAsked()) for asker in askers) else []
    for asker in askers:
        names = sorted(asker.names.values(), key=lambda one: (not _mentions(text, head_noun(one.phrase)), one.text))
        for pattern in _SUGGESTED:
            count = pattern.count("{")
            said = pattern.format(*(name.text for name in names[:count])) if len(names) >= count else ""
            if said and said not in found and _read(said, asker, called, NotAsked()):
                found.append(said)
        if len(found) >= MOST_SUGGESTED:
            break
    told = [*found[: MOST_SUGGESTED - len(of_walk)], *of_walk]
    return f". What can be asked: {' '.join(told)}" if told else ""


def _heads(asker: FreeAsker) -> set[str]:
    return {head_noun(naming.phrase) for naming in asker.names.values()}


def _list_names(asker: FreeAsker) -> set[str]:
    names = {naming.phrase for naming in asker.names.values()}
    return names | {thing.category for thing in asker.asker.scene.things.values()}


def allow_rough(options: ProgramOptions) -> ProgramOptions:
    """The options with which a number may be told that is too rough for a row; only with its interval is it honest.

    What is seen, and what compares things, stay as strict as for rows.
    """
    gates = replace(
        options.gates, most_relative_sigma=ROUGH_SIGMA, nearest_m=ROUGH_NEAREST_M, furthest_m=ROUGH_FURTHEST_M
    )
    return replace(options, gates=gates)


def tell_doubt(question: FreeQuestion, askers: Iterable[FreeAsker]) -> str | None:
    """Why no row asks a question that rough options let through; None if it is as good as a row."""
    truth = question.truth
    for one in askers:
        if (one.asker.views.medium, one.asker.views.frames) == (truth.views.medium, truth.views.frames):
            judged = judge_question(one.asker, truth.kind.name, truth.things, truth.given)
            if isinstance(judged, str):
                return _WORDS.get(judged, judged)
            return None if set(truth.things) <= one.names.keys() else "another of its kind may have been missed"
    return None


def tell_count(counted: RoughCount) -> tuple[str, ...]:
    """Between which numbers a count lies, and why no row counts."""
    return (
        f"{counted.least} are sure; {counted.most} with what is unsure or was found once, and what the detector missed",
        f"rough: no row is made of this answer, because {_WORDS.get(counted.reason, counted.reason)}",
    )


def tell_interval(question: FreeQuestion) -> str | None:
    """Where the number, or what decides a comparison, lies in 19 of 20 cases: two standard deviations to either side.

    None without an error.
    """
    measured = question.truth.measured
    if measured is not None and measured.sigma:
        low, high = max(measured.value - 2 * measured.sigma, 0.0), measured.value + 2 * measured.sigma
        unit = question.truth.kind.unit
        return "between " + " and ".join(say_number(end, unit, measured.sigma) for end in (low, high))
    told = [_tell_apart(one) for one in _list_deciding(question.truth.evidence)]
    return "; ".join(told) or None


def _list_deciding(evidence: Sequence[Measured]) -> list[Measured]:
    """What must be clear of nothing for a comparison to hold: differences, or what the best is ahead of the next by."""
    by_name = {one.name: one for one in evidence}
    out = [one for one in evidence if one.name in _DECIDING and one.sigma and one.unit != "unit"]
    if "best" in by_name and "second" in by_name and by_name["best"].sigma:
        best, second = by_name["best"], by_name["second"]
        lead = Measured("lead", abs(best.value - second.value), best.unit, 2**0.5 * best.sigma)
        out += [lead] if best.unit != "unit" else []
    return out


_DECIDING = {
    "difference": "the difference",
    "lead": "the lead of the best over the second",
    "space between them": "the height between the two",
    "ratio": "one is the other times a number that",
    "bearing": "the direction",
    "ahead": "the difference in depth",
    "right": "the distance to the side",
}
"""Names of evidence that decides a comparison, as a person is told them."""


def _tell_apart(one: Measured) -> str:
    value = abs(one.value)
    low, high = value - 2 * one.sigma, value + 2 * one.sigma
    if one.unit == "ratio":  # gates take its error by logarithms
        off = spread_ratio(2 * one.sigma)
        low, high = value / off, value * off
    unit = {"m": " meters", "deg": " degrees", "m3": " cubic meters"}.get(one.unit, "")
    sigma = value * one.sigma if one.unit == "ratio" else one.sigma
    ends = " and ".join(format_measured(end, sigma) for end in (low, high))
    return f"{_DECIDING[one.name]} is between {ends}{unit}"


def _find_nameless(text: str, asker: FreeAsker) -> list[tuple[str, str]]:
    """Nouns of a text that views show and that have no name in them, each with the reason."""
    named = _heads(asker)
    out = set[tuple[str, str]]()
    for thing in asker.asker.views.seen:
        found = asker.asker.hidden.get(thing) or asker.asker.find_names(thing, "none")
        reason, noun = found if isinstance(found, str) else "", asker.asker.known(thing).head
        if reason and noun and noun not in named and re.search(rf"\b{re.escape(noun)}s?\b", text, re.I):
            out.add((noun, reason))
    return sorted(out)


def believe_reference(question: FreeQuestion) -> Belief:
    """What is believed where no program was asked for: the reference alone."""
    return Belief((), (), question.truth.value)


def answer_by_programs(
    asker: FreeAsker,
    question: FreeQuestion,
    language: LanguageOptions,
    replies: Path,
    connect: Callable[[], TextModel],
) -> tuple[Belief, dict[str, str]]:
    """Have three programs written for the question, run and judge them; their texts by sha256.

    Raises:
        InstructionError: If the server or the sandbox cannot be used, or a program is missing.
    """
    written, told = write_programs(
        [(asker, question)],
        lambda requests: ask_all(requests, connect, replies, language),
        language.model,
        asker.seed,
    )
    if written[0] is None:
        raise Unanswered(f"ask: {told.open.tell(language)}")
    return judge(asker, question, written[0]), {one.digest: one.source for one in written[0]}


def _read(text: str, asker: FreeAsker, called: Called, dropped: NotAsked) -> FreeQuestion | None:
    """The question, if these views can answer it; why not is counted by type and reason.

    One in no plain form is tried as every type that its words and things fit, the more particular first.
    """
    said, names = _find_names(say_view(text), asker)
    form = read_form(said, names, asker)
    if form and form.things and asker.asker.views.medium not in SET_TYPES[form.type].media:
        return None
    tried = [(form, asker.state(*form, dropped))] if form else _try_types(said, names, asker, dropped)
    for reading, question in tried:
        reason = None if question is None else find_overreach(text, asker, question, called)
        if question is not None and reason is None:
            return question
        if reason is not None:
            dropped[reading.type, reason] += 1
    return None


def _try_types(
    said: str, names: Sequence[str], asker: FreeAsker, dropped: NotAsked
) -> Iterator[tuple[Reading, FreeQuestion | None]]:
    ids = {naming.text: thing for thing, naming in asker.names.items()}
    things = tuple(ids[name] for name in names)
    plain = hide_names(said, names)
    categories = sorted({thing.category for thing in asker.asker.scene.things.values()}, key=len, reverse=True)
    counted = [kind for kind in categories if re.search(rf"\b{re.escape(kind)}(s|es)?\b", said.casefold())][:1]
    fitting: list[Reading] = []
    for kind in types_asked(asker.asker.views.medium):
        least, most = kind.things
        of = things if most else ()
        if not least <= len(of) <= most or not re.search(MUST_SAY.get(kind.name, ""), plain):
            continue
        given, told = read_given(kind, plain, counted), said
        if given is None and kind.name in UNSAID:
            given, told = read_given(kind, f"{plain} {UNSAID[kind.name]}", counted), _say_so(said, UNSAID[kind.name])
        if given is not None:
            fitting.append(Reading(kind.name, of, given, told))
    for one in sorted(fitting, key=lambda one: one.given == Given()):
        yield one, asker.take(*one, dropped)


def _say_so(text: str, meant: str) -> str:
    """The question with what it means, before its unit."""
    question, comma, rest = text.rstrip(" ?.").partition(", in ")
    return f"{question}, {meant}{comma}{rest}?"


def _find_names(text: str, asker: FreeAsker) -> tuple[str, list[str]]:
    """The text with every thing under the name it goes by here, and these names in the order of the text."""
    known = [(way.text, naming.text) for thing, naming in asker.names.items() for way in asker.list_ways(thing)]
    places: dict[int, str] = {}
    for way, name in sorted(known, key=lambda pair: -len(pair[0])):
        found = re.search(rf"(?<![\w\0]){re.escape(way)}(?![\w\0])", text, re.I)
        if found is not None and name not in places.values():
            text = text[: found.start()] + "\0" * len(way) + text[found.end() :]
            places[found.start()] = name
    names = [places[at] for at in sorted(places)]
    for name in names:
        text = re.sub("\0+", lambda _, name=name: name, text, count=1)
    return text, names
