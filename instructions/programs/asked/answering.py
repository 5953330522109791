"""A question of a person about a run: read by rules, answered by the reference, and by programs if a model is there."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Container, Iterable
from dataclasses import replace
from pathlib import Path

from instructions.asking.english import capital, head_noun, join_list, pluralize
from instructions.asking.gates import REASONS as SHARED_REASONS
from instructions.asking.names import Naming
from instructions.errors import InstructionError
from instructions.language.model import TextModel
from instructions.language.options import LanguageOptions
from instructions.language.quoting import clean
from instructions.language.runner import ask_all
from instructions.perception.frames.tags import category_of
from instructions.programs.asked.asking import AskedQuestion, FreeAsker, FreeQuestion
from instructions.programs.asked.believing import Belief
from instructions.programs.asked.judging import judge, run_written
from instructions.programs.asked.programming import make_requests
from instructions.programs.asked.wording import read_given, types_asked
from instructions.programs.judge.families import judge_question
from instructions.programs.judge.truths import REASONS, NotAsked
from instructions.programs.options import ProgramOptions
from instructions.programs.words import say_number
from instructions.programs.world import Given

_COUNTS = re.compile(r"how many|number of", re.I)
_READING = {
    "bad_wording": "its wording asks for something else, or leaves open what it asks",
    "open_meaning": "it does not say which way it is meant",
    "other_thing": "it speaks of one more thing",
    "unknown_thing": "it names a thing that these views do not know",
    "not_named": "it does not say the name of its thing",
    "wrong_count": "it names too few or too many things",
    "wrong_order": "it names its things in another order",
}
_GATES = {**SHARED_REASONS, **REASONS}
_WORDS = {**_GATES, **_READING}
ROUGH_SIGMA = 0.5
"""Relative standard deviation up to which a person is told a number with its interval; rows need far less. From there
on the interval reaches down to nothing."""
ROUGH_NEAREST_M, ROUGH_FURTHEST_M = 0.3, 15.0
"""Range of the things of such a number: as near as anything is asked about, and half as far again as for rows."""
UNSAID = {"absolute_distance": "from center to center"}
"""What a person means who does not say which way it is meant; the question is told back with it."""
_PLAINLY = (
    (
        r"is it (?:on |to )?(?:the )?(?:left|right)(?: side)? of it",
        "in this view, is {0} to the left or to the right of {1}?",
    ),
    (r"is it (?:in front of|behind) it", "in this view, is {0} in front of or behind {1}?"),
    (r"is it (?:taller|higher up than|shorter) than it", "which is taller: {0} or {1}?"),
    (r"is it (?:wider|narrower) than it", "which is wider: {0} or {1}?"),
    (r"is it (?:nearer|closer|further|farther)(?: away)? than it", "which is nearer to the camera: {0} or {1}?"),
)
"""Questions for yes or no as people ask them, with things as `it`, and the question of ours that answers them."""


def read_question(text: str, askers: Iterable[FreeAsker]) -> tuple[FreeAsker, FreeQuestion]:
    """The question as one of our types, about the first views that can answer it.

    Things are those whose names stand in the text, in its order; the type is the one that fits words and things.

    Args:
        text: As a person typed it.
        askers: Of the views, in the order in which they are tried.

    Raises:
        InstructionError: If no views can answer it: which names are known, and what was in the way.
    """
    dropped: NotAsked = NotAsked()
    known: set[Naming] = set()
    nameless: Counter[tuple[str, str]] = Counter()
    for asker in askers:
        known |= set(asker.names.values())
        nameless.update(_find_nameless(text, asker))
        for asked in _guess(use_own_words(clean(text, 400), _heads(asker), _list_names(asker)), asker):
            question = asker.read(asked, dropped)
            if question is not None:
                return asker, question
    if not known:
        raise InstructionError("ask: no thing of this run has a name of its own; make it with --perception light")
    # What gates say is about the question as it was meant; the rest tells which readings of it were none.
    gates = {(kind, reason): count for (kind, reason), count in dropped.items() if reason in _GATES}
    often = sorted(gates or dropped, key=lambda one: -dropped[one])
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
    names = ", ".join(name.text for name in sorted(known, key=lambda one: (one.clause is not None, one.text))[:12])
    raise InstructionError(
        f"ask: {clean(text, 80)!r} cannot be answered ({why or 'no type of question fits its words and things'}). "
        f"Name things as they are called here: {names}"
    )


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

    def speak(found: re.Match[str]) -> str:
        word = found[0].casefold()
        noun = category_of(word)
        if found["name"] or noun not in heads or noun in word or word in heads:
            return found[0]
        is_plural = any(word.endswith(end) and category_of(word.removesuffix(end)) == noun for end in ("s", "es"))
        return pluralize(noun) if is_plural else noun

    whole = "|".join(re.escape(name) for name in sorted(names, key=len, reverse=True) if " " in name)
    return re.sub(rf"\b(?P<name>{whole or '(?!)'})\b|[A-Za-z]+", speak, text, flags=re.I)


def allow_rough(options: ProgramOptions) -> ProgramOptions:
    """The options with which a number may be told that is too rough for a row; only with its interval is it honest.

    Names, what is seen, and what compares things stay as strict as for rows.
    """
    gates = replace(
        options.gates, most_relative_sigma=ROUGH_SIGMA, nearest_m=ROUGH_NEAREST_M, furthest_m=ROUGH_FURTHEST_M
    )
    return replace(options, gates=gates)


def tell_doubt(question: FreeQuestion, askers: Iterable[FreeAsker]) -> str | None:
    """Why no row asks a question that rough options let through; None if it is as good as a row.

    Args:
        question: As it was read.
        askers: With the bars of rows.
    """
    truth = question.truth
    for one in askers:
        if (one.asker.views.medium, one.asker.views.frames) == (truth.views.medium, truth.views.frames):
            judged = judge_question(one.asker, truth.kind.name, truth.things, truth.given)
            return _WORDS.get(judged, judged) if isinstance(judged, str) else None
    return None


def tell_interval(question: FreeQuestion) -> str | None:
    """Where the number lies in 19 of 20 cases, two standard deviations to either side; None without an error."""
    measured = question.truth.measured
    if measured is None or not measured.sigma:
        return None
    low, high = max(measured.value - 2 * measured.sigma, 0.0), measured.value + 2 * measured.sigma
    unit = question.truth.kind.unit
    return f"between {say_number(low, unit)} and {say_number(high, unit)}"


def _find_nameless(text: str, asker: FreeAsker) -> list[tuple[str, str]]:
    """Nouns of a text that views show and that have no name in them, each with the reason."""
    named = _heads(asker)
    out = set[tuple[str, str]]()
    for thing, reason in asker.asker.hidden.items():
        noun = asker.asker.known(thing).head
        if noun and noun not in named and re.search(rf"\b{re.escape(noun)}s?\b", text, re.I):
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
        InstructionError: If the server or the sandbox cannot be used.
    """
    requests = make_requests(question, asker.seed)
    answers = ask_all(requests, connect, replies, language).answers
    ran = run_written(asker.asker, question, answers, language.model)
    return judge(asker.asker, question, ran), ran.texts


def _guess(text: str, asker: FreeAsker) -> list[AskedQuestion]:
    """The question with its things, once for every type that its words and things fit, the more particular first."""
    text, names = _find_names(text, asker)
    plain = text.casefold()
    for name in names:
        plain = plain.replace(name.casefold(), "it")
    for pattern, said in _PLAINLY if len(names) == 2 else ():
        if re.fullmatch(pattern, plain.strip(" ?.!")):
            text = capital(said.format(*names))
            plain = said.format("it", "it")
    scene = asker.asker.scene
    categories = sorted({thing.category for thing in scene.things.values()}, key=len, reverse=True)
    counted = [one for one in categories if re.search(rf"\b{re.escape(one)}(s|es)?\b", text.casefold())][:1]
    fitting: list[tuple[bool, AskedQuestion]] = []
    for kind in types_asked(asker.asker.views.medium):
        least, most = kind.things
        objects, of = (names, [""] * len(names)) if most else ([], counted)
        if not least <= len(objects) <= most or (kind.name == "counting" and not (counted and _COUNTS.search(text))):
            continue
        given, said = read_given(kind, plain, of), text
        if isinstance(given, str) and kind.name in UNSAID:
            given, said = read_given(kind, f"{plain} {UNSAID[kind.name]}", of), _say_so(text, UNSAID[kind.name])
        if not isinstance(given, str):
            asked = AskedQuestion(instruction=said, objects=objects, objects_category=of, category=kind.name)
            fitting.append((given == Given(), asked))
    return [asked for _, asked in sorted(fitting, key=lambda one: one[0])]


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
