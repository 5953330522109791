"""A question of a person about a run: read by rules, answered by the reference, and by programs if a model is there."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Container, Iterable, Sequence
from dataclasses import replace
from math import exp
from pathlib import Path

from instructions.asking.counts import NotAsked
from instructions.asking.gates import REASONS
from instructions.asking.names import Naming
from instructions.errors import InstructionError
from instructions.facts.verdict import Measured
from instructions.language.model import TextModel, Unanswered
from instructions.language.options import LanguageOptions
from instructions.language.quoting import clean
from instructions.language.runner import ask_all
from instructions.perception.frames.tags import category_of
from instructions.programs.ask.plainly import say_plainly
from instructions.programs.ask.tour_questions import REASONS as TOUR_REASONS
from instructions.programs.ask.tour_questions import (
    Called,
    RoughCount,
    count_roughly,
    find_overreach,
    list_names,
    read_about_tour,
    say_view,
)
from instructions.programs.asked.asking import FreeAsker, FreeQuestion, hide_names
from instructions.programs.asked.believing import Belief
from instructions.programs.asked.programming import judge, write_programs
from instructions.programs.asked.wording import read_given, types_asked
from instructions.questions.core.options import ProgramOptions
from instructions.questions.core.world import Given, Ids
from instructions.questions.sets.judging import judge_question
from instructions.questions.wording.words import say_number
from instructions.wording.english import head_noun, is_plural, join_list, pluralize
from recon.numerals import format_measured

_COUNTS = re.compile(r"how many|number of", re.I)
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


def read_question(text: str, askers: Iterable[FreeAsker]) -> tuple[FreeAsker, FreeQuestion]:
    """The question as one of our types, about the first views that can answer it.

    Things are those whose names stand in the text, in its order; the type is the one that fits words and things.

    Raises:
        InstructionError: If no views can answer it: which names are known, what was in the way, and what can be asked.
    """
    askers = list(askers)
    about_tour = read_about_tour(clean(text, 400), askers)
    if isinstance(about_tour, tuple):
        return about_tour
    dropped: NotAsked = NotAsked()
    known: set[Naming] = set()
    nameless: Counter[tuple[str, str]] = Counter()
    called = list_names(askers)
    for asker in askers if about_tour is None else ():
        known |= set(asker.names.values())
        nameless.update(_find_nameless(text, asker))
        question = _read(use_own_words(clean(text, 400), _heads(asker), _list_names(asker)), asker, called, dropped)
        if question is not None:
            return asker, question
    if about_tour is not None:
        raise InstructionError(
            f"ask: {clean(text, 80)!r} cannot be answered ({_WORDS.get(about_tour, about_tour)})" + _suggest("", askers)
        )
    if not known:
        raise InstructionError("ask: no thing of this run has a name of its own" + _lacks_names(askers))
    # What gates say is about the question as it was meant; the rest tells which readings of it were none.
    gates = {(kind, reason): count for (kind, reason), count in dropped.items() if reason in _GATES}
    if all(reason == "bad_wording" for _, reason in dropped):
        dropped.clear()  # words and things fit no type at all, so nothing is to be said of single ones
    often = sorted(gates or dropped, key=lambda gate: -dropped[gate])
    why = "; ".join(f"{kind.replace('_', ' ')}: {_WORDS.get(reason, reason)}" for kind, reason in often[:2])
    heads = {head_noun(name.phrase) for name in known}
    missing = {one: count for one, count in nameless.items() if one[0] not in heads}
    said = sorted(head for head in heads if re.search(rf"\b{re.escape(head)}s?\b", text, re.I))
    if missing:
        noun, reason = max(missing, key=lambda one: missing[one])
        why = f"no view can ask about the {noun}, mostly because {_WORDS.get(reason, reason)}"
    elif len(said) > 1 and not gates:
        why = f"no view has names of their own for {join_list(said)} together"
    elif not said and not gates:
        why = "none of its words is the name of a thing of this run"
        why += _lacks_names(askers)
    names = ", ".join(name.text for name in sorted(known, key=lambda one: one.text)[:12])
    raise InstructionError(
        f"ask: {clean(text, 80)!r} cannot be answered ({why or 'no type of question fits its words and things'}). "
        f"Name things as they are called here: {names}" + _suggest(text, askers)
    )


def _lacks_names(askers: Iterable[FreeAsker]) -> str:
    """What helps where things were found without names."""
    has_names = any(thing.category for asker in askers for thing in asker.asker.views.known.values())
    return "" if has_names else ": things were found without names such as chair, which --perception light gives"


def read_count(text: str, askers: Iterable[FreeAsker]) -> RoughCount | None:
    """How many there are at least, where a question asks for a number or whether there is any that no row can tell."""
    askers = list(askers)
    categories = {
        thing.category
        for asker in askers
        for name, thing in asker.asker.scene.things.items()
        if asker.asker.known(name).thing.category
    }
    return count_roughly(use_own_words(clean(text, 400), categories, categories), askers)


_SUGGESTED = (
    "How tall is {0}?",
    "How wide is {0}?",
    "How far is {0} from {1}?",
    "Which is nearest to {0}: {1} or {2}?",
)
MOST_SUGGESTED = 3


def _suggest(text: str, askers: Iterable[FreeAsker]) -> str:
    """Questions that can be answered, about the things of the text first; empty where there is none."""
    found: list[str] = []
    dropped: NotAsked = NotAsked()
    askers = list(askers)
    called = list_names(askers)
    whole = read_about_tour("How long is the walk?", askers)
    for asker in askers:
        names = sorted(
            asker.names.values(),
            key=lambda one: (not re.search(rf"\b{re.escape(head_noun(one.phrase))}s?\b", text, re.I), one.text),
        )
        for pattern in _SUGGESTED:
            count = pattern.count("{")
            said = pattern.format(*(name.text for name in names[:count])) if len(names) >= count else ""
            if said and said not in found and _read(said, asker, called, dropped):
                found.append(said)
        if len(found) >= MOST_SUGGESTED:
            break
    if not isinstance(whole, str | None):
        found = [*found[: MOST_SUGGESTED - 1], "How long is the walk?"]
    return f". What can be asked: {' '.join(found[:MOST_SUGGESTED])}" if found else ""


def _heads(asker: FreeAsker) -> set[str]:
    return {head_noun(naming.phrase) for naming in asker.names.values()}


def _list_names(asker: FreeAsker) -> set[str]:
    names = {naming.phrase for naming in asker.names.values()}
    return names | {thing.category for thing in asker.asker.scene.things.values()}


def use_own_words(text: str, heads: Container[str], names: Collection[str] = ()) -> str:
    """The text with other words for a thing (`couch`) as the word that a thing has here (`sofa`); plurals stay plural.

    Args:
        text: As a person typed it.
        heads: Nouns of the names that things have here.
        names: Full names that things have here; no word of one is taken for another thing (`TV stand` for a screen).
    """

    def speak(match: re.Match[str]) -> str:
        word = match[0].casefold()
        noun = category_of(word)
        if match["name"] or noun not in heads or noun in word or word in heads:
            return match[0]
        return pluralize(noun) if is_plural(word) else noun

    whole = "|".join(re.escape(name) for name in sorted(names, key=len, reverse=True) if " " in name)
    return re.sub(rf"\b(?P<name>{whole or '(?!)'})\b|[A-Za-z]+", speak, text, flags=re.I)


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
        low, high = value * exp(-2 * one.sigma), value * exp(2 * one.sigma)
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

    It is tried as every type that its words and things fit, the more particular first.
    """
    said, names = say_plainly(*_find_names(say_view(text), asker), asker)
    ids = {naming.text: one for one, naming in asker.names.items()}
    things = tuple(ids[name] for name in names)
    plain = hide_names(said, names)
    categories = sorted({thing.category for thing in asker.asker.scene.things.values()}, key=len, reverse=True)
    counted = [kind for kind in categories if re.search(rf"\b{re.escape(kind)}(s|es)?\b", said.casefold())][:1]
    fitting: list[tuple[str, Ids, Given, str]] = []
    for kind in types_asked(asker.asker.views.medium):
        least, most = kind.things
        of = things if most else ()
        if not least <= len(of) <= most or (kind.name == "counting" and not (counted and _COUNTS.search(said))):
            continue
        given, told = read_given(kind, plain, counted), said
        if isinstance(given, str) and kind.name in UNSAID:
            given, told = read_given(kind, f"{plain} {UNSAID[kind.name]}", counted), _say_so(said, UNSAID[kind.name])
        if not isinstance(given, str):
            fitting.append((kind.name, of, given, told))
    for one in sorted(fitting, key=lambda one: one[2] == Given()):
        question = asker.take(*one, dropped)
        reason = None if question is None else find_overreach(text, asker, question, called)
        if question is not None and reason is None:
            return question
        if reason is not None:
            dropped[one[0], reason] += 1
    return None


def _say_so(text: str, meant: str) -> str:
    """The question with what it means, before its unit."""
    question, comma, rest = text.rstrip(" ?.").partition(", in ")
    return f"{question}, {meant}{comma}{rest}?"


def _find_names(text: str, asker: FreeAsker) -> tuple[str, list[str]]:
    """The text with every thing under the name it goes by here, and these names in the order of the text."""
    known: list[tuple[str, str]] = []
    for thing, naming in asker.names.items():
        ways = asker.asker.find_names(thing, "none")
        known += [(way.text, naming.text) for way in ways if not isinstance(way, str)]
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
