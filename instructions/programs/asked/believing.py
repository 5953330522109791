"""Decides whether the programs of a question, run once each, are believed: agreement, the reference, the laws; and how
often programs are right, by who wrote them, by which prompt, for which type of question.
"""

from __future__ import annotations

import re
import time
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from itertools import combinations
from typing import Any

from instructions.programs.asked.laws import Law, applicable_laws
from instructions.programs.running.sandbox import run_program
from instructions.programs.running.values import PlainValue, ProgramError, find_refusal
from instructions.questions.core.records import REJECTIONS, LawCheck, ProgramRun, Question
from instructions.questions.core.types import Form, QuestionType
from instructions.questions.core.world import Given, Value

RELATIVE = 0.01
ABSOLUTE = {"m": 0.01, "cm": 1.0}
"""Numbers agree within 1 % or 1 cm; areas and volumes within 1 %; counts exactly."""
_YES, _NO = ("yes", "true"), ("no", "false")


@dataclass(frozen=True)
class Answerable:
    """What a value must be to answer a question."""

    form: Form
    unit: str
    labels: tuple[str, ...]
    names: Mapping[str, str]
    """Names that a program may return, to the ids that rows keep."""
    has_length: bool
    """The question itself names a length."""

    @classmethod
    def of(cls, kind: QuestionType, given: Given, names: Mapping[str, str]) -> Answerable:
        """Of a question of a type; `names` of the things it names."""
        return cls(kind.form, kind.unit, kind.labels_of(given), names, given.within_m > 0)

    def read(self, raw: PlainValue) -> Value:
        """The value as rows keep it: true for yes, a number, a label, an id, ids (in order for `order`, else sorted).

        Raises:
            ProgramError: `value`, if it answers nothing or in another form. Text is not read as a number.
        """
        refusal = find_refusal(raw)
        if refusal is not None:
            raise ProgramError("value", f"no answer: {refusal}")
        if self.form == "number" and not isinstance(raw, bool) and isinstance(raw, int | float):
            return float(raw)
        if self.form == "yes_no" and isinstance(raw, bool):
            return raw
        if self.form in ("order", "things") and isinstance(raw, list) and all(isinstance(one, str) for one in raw):
            found = tuple(self._read_name(str(one)) for one in raw)
            if len(set(found)) < len(found):
                raise ProgramError("value", "a name stands twice in the list")
            return found if self.form == "order" else tuple(sorted(found))
        if self.form in ("yes_no", "label", "thing", "text") and isinstance(raw, str):
            return self._read_text(raw)
        needed = {"number": "a number", "yes_no": "yes or no", "order": "a list of names", "things": "a list of names"}
        raise ProgramError("value", f"need {needed.get(self.form, 'a text')}, got {_show(raw)}")

    def _read_text(self, raw: str) -> Value:
        if self.form in ("thing", "text"):
            return self._read_name(raw)
        if self.form == "label":
            said = _plain_words(raw)
            found = next((label for label in self.labels if said == _plain_words(label)), None)
            if found is None:
                raise ProgramError("value", f"need one of {', '.join(self.labels)}, got {_show(raw)}")
            return found
        said_yes = raw.strip().lower().rstrip(".")
        if said_yes not in _YES + _NO:
            raise ProgramError("value", f"need yes or no, got {_show(raw)}")
        return said_yes in _YES

    def _read_name(self, raw: str) -> str:
        """The id of a thing that the question names; the name itself where it names none."""
        said = raw.strip().casefold()
        found = next((one for name, one in self.names.items() if said == name.casefold()), None)
        if found is None and self.names:
            raise ProgramError("value", f"{_show(raw)} is none of the things asked about")
        return found or raw.strip()

    def agree(self, first: Value, second: Value) -> bool:
        """Whether two values say the same."""
        if self.form != "number":
            return first == second
        if not isinstance(first, int | float) or not isinstance(second, int | float):
            return False
        bar = max(RELATIVE * max(abs(second), abs(first)), ABSOLUTE.get(self.unit, 0.0)) if self.unit else 1e-9
        return abs(first - second) <= bar


@dataclass(frozen=True)
class World:
    """What the programs of one question see, and what answers it."""

    things: Sequence[Mapping[str, Any]]
    """Metadata of the question's views."""
    camera: Mapping[str, Any] | None
    """Of an image."""
    answerable: Answerable


@dataclass(frozen=True)
class Program:
    """One program, who wrote it by which prompt, and what it gave in the world as it is."""

    source: str
    model: str
    prompt: str
    raw: PlainValue | None = None
    error: ProgramError | None = None
    seconds: float = 0.0

    @property
    def digest(self) -> str:
        """The name of its file: the sha256 of its text, of which a reply may hold halves of characters."""
        return sha256(self.source.encode("utf-8", "surrogatepass")).hexdigest()

    def run(self, world: World) -> Program:
        """The program with what it gives; no failure of its own raises."""
        begun = time.monotonic()
        raw: PlainValue | None = None
        failure: ProgramError | None = None
        try:
            raw = run_program(self.source, world.things, world.camera)
        except ProgramError as error:
            failure = error
        # Whole seconds: the same replies must give the same bytes, and only what ran into a limit takes one.
        return replace(self, raw=raw, error=failure, seconds=float(int(time.monotonic() - begun)))

    def read(self, answerable: Answerable, truth: Value) -> ProgramRun:
        """What a row keeps of it."""
        run = ProgramRun(self.digest, self.model, self.prompt, None, None, self.seconds, False)
        if self.raw is None:
            return replace(run, error=str(self.error))
        try:
            value = answerable.read(self.raw)
        except ProgramError as error:
            return replace(run, error=str(error))
        return replace(run, value=value, agrees_with_reference=answerable.agree(value, truth))


@dataclass(frozen=True)
class Belief:
    """What became of the programs of one question."""

    runs: tuple[ProgramRun, ...]
    laws: tuple[LawCheck, ...]
    value: Value | None
    """On which all agree."""
    rejected_because: str | None = None
    """A code of `REJECTIONS`."""
    rejection: str | None = None

    def reject(self, code: str, why: str = "") -> Belief:
        """The belief, lost for a reason of `REJECTIONS`, with the figures of this question."""
        told = f"{REJECTIONS[code]}: {why}" if why else REJECTIONS[code]
        return replace(self, rejected_because=code, rejection=told)


def believe(programs: Sequence[Program], world: World, truth: Value) -> Belief:
    """Believe the programs of one question or not.

    Returns:
        Believed only if every program gives an answer, all agree with each other and with the reference, and none
        breaks a law. Otherwise the first of these that fails is the reason; all values are kept.
    """
    answerable = world.answerable
    sought = tuple(sorted(truth)) if isinstance(truth, tuple) and answerable.form == "things" else truth
    runs = tuple(program.read(answerable, sought) for program in programs)
    values = [run.value for run in runs if run.value is not None]
    failed = [run for run in runs if run.value is None]
    if failed or not runs:
        error = failed[0].error if failed else "no program was written"
        code = "bad_value" if error and error.startswith("value") else "bad_program"
        return Belief(runs, (), None, code, f"{len(failed)} of {len(runs)} programs have no answer: {error}")
    if not all(answerable.agree(one, other) for one, other in combinations(values, 2)):
        return Belief(runs, (), None, "programs_disagree", f"the programs answer {_list(values)}")
    if not answerable.agree(values[0], sought):
        told = f"the programs agree on {_list(values[:1])}, the reference says {_list([sought])}"
        return Belief(runs, (), values[0], "reference_disagrees", told)
    laws = check_laws(programs, world)
    broken = [law for law in laws if not law.holds]
    if broken:
        told = f"{broken[0].law}: a program says {_list([broken[0].value])} of the changed world"
        return Belief(runs, laws, values[0], "breaks_a_law", told)
    return Belief(runs, laws, values[0])


def check_laws(programs: Sequence[Program], world: World) -> tuple[LawCheck, ...]:
    """Run programs in changed worlds: one check per law, of the first program that breaks it, else of the first.

    A program that fails here although it answered before breaks the law. What it answers in the world as it is decides
    what it must answer in the changed one.
    """
    checks = []
    for law in applicable_laws(has_length_in_question=world.answerable.has_length):
        found = [check for program in programs if (check := _check_law(law, program, world))]
        if found:
            checks.append(next((check for check in found if not check.holds), found[0]))
    return tuple(checks)


def _check_law(law: Law, program: Program, world: World) -> LawCheck | None:
    answerable = world.answerable
    if program.raw is None:
        return LawCheck(law.name, False, None)
    expected = law.expect(program.raw, answerable.form, answerable.unit)
    if expected is None:
        return None
    changed, seen = law.change(
        [dict(thing) for thing in world.things], None if world.camera is None else dict(world.camera)
    )
    try:
        wanted = answerable.read(expected)
        value = answerable.read(run_program(program.source, changed, seen))
    except ProgramError:
        return LawCheck(law.name, False, None)
    return LawCheck(law.name, answerable.agree(value, wanted), value)


def _list(values: Sequence[Value | None]) -> str:
    return " / ".join(", ".join(value) if isinstance(value, tuple) else str(value) for value in values)


def _plain_words(text: str) -> tuple[str, ...]:
    """Words of a label; the words of one place in any order (`left front` is `front-left`), of several in theirs."""
    places = [
        re.findall(r"[a-z]+", part)
        for part in text.lower().replace("behind", "back").replace("ahead", "front").split(",")
    ]
    return tuple(" ".join(sorted(words)) for words in places)


def _show(raw: PlainValue) -> str:
    return repr(raw)[:60]


ALL = "all"


@dataclass(frozen=True)
class ProgramScore:
    """One line of the leaderboard."""

    model: str
    prompt: str
    """Name and version, or `all`."""
    type: str
    """Of the question, or `all`."""
    programs: int
    ran: int
    """Of those: gave an answer of the asked form."""
    right: int
    """Of those: the reference's."""

    @property
    def share_right(self) -> float:
        """Of all programs, 0 to 1."""
        return self.right / self.programs


def score_programs(rows: Iterable[Question]) -> tuple[ProgramScore, ...]:
    """Score the programs of rows, kept and rejected, against the references.

    Returns:
        Per model: first all programs, then by prompt, then by type; best first. Empty where no row has programs.
    """
    count: Counter[tuple[str, str, str]] = Counter()
    ran: Counter[tuple[str, str, str]] = Counter()
    right: Counter[tuple[str, str, str]] = Counter()
    for row in rows:
        for run in row.programs:
            for key in ((run.model, ALL, ALL), (run.model, run.prompt, ALL), (run.model, ALL, row.type)):
                count[key] += 1
                ran[key] += run.value is not None
                right[key] += bool(run.agrees_with_reference)
    scores = [ProgramScore(*key, count[key], ran[key], right[key]) for key in count]

    def place(score: ProgramScore) -> tuple[object, ...]:
        kind = 0 if score.prompt == score.type == ALL else 1 if score.type == ALL else 2
        return score.model, kind, -score.share_right, score.prompt, score.type

    return tuple(sorted(scores, key=place))
