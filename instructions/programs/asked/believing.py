"""Runs the programs of one question and decides whether they are believed: agreement, the reference, the laws."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from typing import Any

from instructions.programs.asked.agreement import all_agree, read_value, values_agree
from instructions.programs.asked.laws import Law, applicable_laws
from instructions.programs.records import LawCheck, ProgramRun
from instructions.programs.running.program_error import ProgramError
from instructions.programs.running.sandbox import run_program
from instructions.programs.running.values import PlainValue
from instructions.programs.types import Form, ProgramType, labels_of
from instructions.programs.world import Given, Value


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
    def of(cls, kind: ProgramType, given: Given, names: Mapping[str, str]) -> Answerable:
        """Of a question of a type; `names` of the things it names."""
        return cls(kind.form, kind.unit, labels_of(kind, given), names, given.within_m > 0)

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


def believe(
    sources: Sequence[WrittenSource],
    metadata: Sequence[Mapping[str, Any]],
    camera: Mapping[str, Any] | None,
    answerable: Answerable,
    truth: Value,
) -> Belief:
    """Run the programs of one question and believe them or not.

    Args:
        sources: Programs, three of them by default.
        metadata: Of the question's views.
        camera: Of an image, else None.
        answerable: What a value must be.
        truth: The reference's answer, with which believed programs agree.

    Returns:
        Believed only if every program gives an answer, all agree with each other and with the reference, and none
        breaks a law. Otherwise the first of these that fails is the reason; all values are kept.
    """
    sought = tuple(sorted(truth)) if isinstance(truth, tuple) and answerable.form == "things" else truth
    runs = tuple(_run(one, metadata, camera, answerable, sought) for one in sources)
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
    laws = check_laws([one.source for one in sources], metadata, camera, answerable)
    broken = [law for law in laws if not law.holds]
    if broken:
        told = f"{broken[0].law}: a program says {_list([broken[0].value])} of the changed world"
        return Belief(runs, laws, values[0], "breaks_a_law", told)
    return Belief(runs, laws, values[0])


def check_laws(
    sources: Sequence[str],
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
        found = [check for one in sources if (check := _check_law(law, one, metadata, camera, answerable))]
        if found:
            checks.append(next((check for check in found if not check.holds), found[0]))
    return tuple(checks)


def _check_law(
    law: Law,
    source: str,
    metadata: Sequence[Mapping[str, Any]],
    camera: Mapping[str, Any] | None,
    answerable: Answerable,
) -> LawCheck | None:
    changed, seen = law.change([dict(one) for one in metadata], None if camera is None else dict(camera))
    wanted: Value | None = None
    try:
        expected = law.expect(run_program(source, metadata, camera), answerable.form, answerable.unit)
        if expected is None:
            return None
        wanted = answerable.read(expected)
        value = answerable.read(run_program(source, changed, seen))
    except ProgramError:
        return LawCheck(law.name, False, None)
    return LawCheck(law.name, values_agree(value, wanted, answerable.form, answerable.unit), value)


def _run(
    written: WrittenSource,
    metadata: Sequence[Mapping[str, Any]],
    camera: Mapping[str, Any] | None,
    answerable: Answerable,
    truth: Value,
) -> ProgramRun:
    digest = sha256(written.source.encode("utf-8", "surrogatepass")).hexdigest()
    begun = time.monotonic()
    run = ProgramRun(digest, written.model, written.prompt, None, None, 0.0, None)
    try:
        value = answerable.read(run_program(written.source, metadata, camera))
        agrees = values_agree(value, truth, answerable.form, answerable.unit)
        run = replace(run, value=value, agrees_with_reference=agrees)
    except ProgramError as error:
        run = replace(run, error=str(error), agrees_with_reference=False)
    # Whole seconds: the same replies must give the same bytes, and only what ran into a limit takes one.
    return replace(run, seconds=float(int(time.monotonic() - begun)))


def _list(values: Sequence[Value | None]) -> str:
    return " / ".join(", ".join(one) if isinstance(one, tuple) else str(one) for one in values)
