"""Decides whether the programs of a question, run once each, are believed: agreement, the reference, the laws."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from typing import Any

from instructions.programs.asked.agreement import all_agree, read_value, values_agree
from instructions.programs.asked.laws import Law, applicable_laws
from instructions.programs.running.program_error import ProgramError
from instructions.programs.running.sandbox import run_program
from instructions.programs.running.values import PlainValue
from instructions.questions.core.records import LawCheck, ProgramRun
from instructions.questions.core.types import Form, QuestionType
from instructions.questions.core.world import Given, Value


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
        """The value as rows keep it, with ids for names.

        Raises:
            ProgramError: `value`, if it answers nothing.
        """
        value = read_value(raw, self.form, self.labels, tuple(self.names))
        if self.form == "thing":
            return self.names.get(str(value), str(value))
        if isinstance(value, tuple):
            ids = tuple(self.names.get(one, one) for one in value)
            return ids if self.form == "order" else tuple(sorted(ids))
        return value


@dataclass(frozen=True)
class WrittenSource:
    """One program and who wrote it by which prompt."""

    source: str
    model: str
    prompt: str


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


@dataclass(frozen=True)
class Outcome:
    """What one program did in the world as it is: a value, or why there is none."""

    raw: PlainValue | None
    error: ProgramError | None
    seconds: float


def digest_of(source: str) -> str:
    """The name of a program's file: the sha256 of its text, of which a reply may hold halves of characters."""
    return sha256(source.encode("utf-8", "surrogatepass")).hexdigest()


def run_all(
    sources: Sequence[str], metadata: Sequence[Mapping[str, Any]], camera: Mapping[str, Any] | None
) -> tuple[Outcome, ...]:
    """Run every program once in the world as it is; no failure of theirs raises."""
    return tuple(_run(one, metadata, camera) for one in sources)


def believe(
    sources: Sequence[WrittenSource],
    outcomes: Sequence[Outcome],
    metadata: Sequence[Mapping[str, Any]],
    camera: Mapping[str, Any] | None,
    answerable: Answerable,
    truth: Value,
) -> Belief:
    """Believe the programs of one question or not.

    Args:
        sources: Programs, three of them by default.
        outcomes: What `run_all` found of each.
        metadata: Of the question's views.
        camera: Of an image, else None.
        answerable: What a value must be.
        truth: The reference's answer, with which believed programs agree.

    Returns:
        Believed only if every program gives an answer, all agree with each other and with the reference, and none
        breaks a law. Otherwise the first of these that fails is the reason; all values are kept.
    """
    sought = tuple(sorted(truth)) if isinstance(truth, tuple) and answerable.form == "things" else truth
    runs = tuple(_judge(one, ran, answerable, sought) for one, ran in zip(sources, outcomes, strict=True))
    values = [run.value for run in runs if run.value is not None]
    failed = [run for run in runs if run.value is None]
    if failed or not runs:
        error = failed[0].error if failed else "no program was written"
        code = "bad_value" if error and error.startswith("value") else "bad_program"
        return Belief(runs, (), None, code, f"{len(failed)} of {len(runs)} programs have no answer: {error}")
    if not all_agree(values, answerable.form, answerable.unit):
        return Belief(runs, (), None, "programs_disagree", f"the programs answer {_list(values)}")
    if not values_agree(values[0], sought, answerable.form, answerable.unit):
        told = f"the programs agree on {_list(values[:1])}, the reference says {_list([sought])}"
        return Belief(runs, (), values[0], "reference_disagrees", told)
    laws = check_laws([one.source for one in sources], outcomes, metadata, camera, answerable)
    broken = [law for law in laws if not law.holds]
    if broken:
        told = f"{broken[0].law}: a program says {_list([broken[0].value])} of the changed world"
        return Belief(runs, laws, values[0], "breaks_a_law", told)
    return Belief(runs, laws, values[0])


def check_laws(
    sources: Sequence[str],
    outcomes: Sequence[Outcome],
    metadata: Sequence[Mapping[str, Any]],
    camera: Mapping[str, Any] | None,
    answerable: Answerable,
) -> tuple[LawCheck, ...]:
    """Run programs in changed worlds: one check per law, of the first program that breaks it, else of the first.

    A program that fails here although it answered before breaks the law. What it answers in the world as it is decides
    what it must answer in the changed one.
    """
    checks = []
    for law in applicable_laws(has_length_in_question=answerable.has_length):
        found = [
            check
            for one, ran in zip(sources, outcomes, strict=True)
            if (check := _check_law(law, one, ran, metadata, camera, answerable))
        ]
        if found:
            checks.append(next((check for check in found if not check.holds), found[0]))
    return tuple(checks)


def _check_law(
    law: Law,
    source: str,
    before: Outcome,
    metadata: Sequence[Mapping[str, Any]],
    camera: Mapping[str, Any] | None,
    answerable: Answerable,
) -> LawCheck | None:
    if before.raw is None:
        return LawCheck(law.name, False, None)
    expected = law.expect(before.raw, answerable.form, answerable.unit)
    if expected is None:
        return None
    changed, seen = law.change([dict(one) for one in metadata], None if camera is None else dict(camera))
    try:
        wanted = answerable.read(expected)
        value = answerable.read(run_program(source, changed, seen))
    except ProgramError:
        return LawCheck(law.name, False, None)
    return LawCheck(law.name, values_agree(value, wanted, answerable.form, answerable.unit), value)


def _run(source: str, metadata: Sequence[Mapping[str, Any]], camera: Mapping[str, Any] | None) -> Outcome:
    begun = time.monotonic()
    raw: PlainValue | None = None
    failure: ProgramError | None = None
    try:
        raw = run_program(source, metadata, camera)
    except ProgramError as error:
        failure = error
    # Whole seconds: the same replies must give the same bytes, and only what ran into a limit takes one.
    return Outcome(raw, failure, float(int(time.monotonic() - begun)))


def _judge(written: WrittenSource, ran: Outcome, answerable: Answerable, truth: Value) -> ProgramRun:
    run = ProgramRun(digest_of(written.source), written.model, written.prompt, None, None, ran.seconds, False)
    if ran.raw is None:
        return replace(run, error=str(ran.error))
    try:
        value = answerable.read(ran.raw)
    except ProgramError as error:
        return replace(run, error=str(error))
    return replace(run, value=value, agrees_with_reference=values_agree(value, truth, answerable.form, answerable.unit))


def _list(values: Sequence[Value | None]) -> str:
    return " / ".join(", ".join(one) if isinstance(one, tuple) else str(one) for one in values)
