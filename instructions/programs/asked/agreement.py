"""When two values say the same, and what form a value must have to answer a question."""

from __future__ import annotations

import re
from collections.abc import Sequence

from instructions.programs.running.program_error import ProgramError
from instructions.programs.running.values import PlainValue, find_refusal
from instructions.questions.core.types import Form
from instructions.questions.core.world import Value

RELATIVE = 0.01
ABSOLUTE = {"m": 0.01, "cm": 1.0}
"""Numbers agree within 1 % or 1 cm; areas and volumes within 1 %; counts exactly."""
_YES, _NO = ("yes", "true"), ("no", "false")


def read_value(raw: PlainValue, form: Form, labels: Sequence[str] = (), names: Sequence[str] = ()) -> Value:
    """The value as answers of this form are kept.

    Args:
        raw: What the program returned.
        form: Of the answer.
        labels: Words that may answer, where there are few.
        names: Things that the question names; any name if empty.

    Returns:
        True for yes, a number, a label, a name, or names (in order for `order`, sorted for `things`).

    Raises:
        ProgramError: `value`, if it is no answer or of another form. Text is not read as a number: it must be one.
    """
    refusal = find_refusal(raw)
    if refusal is not None:
        raise ProgramError("value", f"no answer: {refusal}")
    if form == "yes_no":
        return _read_yes_no(raw)
    if form == "number":
        if isinstance(raw, bool) or not isinstance(raw, int | float):
            raise ProgramError("value", f"need a number, got {_show(raw)}")
        return float(raw)
    if form in ("order", "things"):
        if not isinstance(raw, list) or not all(isinstance(one, str) for one in raw):
            raise ProgramError("value", f"need a list of names, got {_show(raw)}")
        found = tuple(_read_name(str(one), names) for one in raw)
        if len(set(found)) < len(found):
            raise ProgramError("value", "a name stands twice in the list")
        return found if form == "order" else tuple(sorted(found))
    if not isinstance(raw, str):
        raise ProgramError("value", f"need a text, got {_show(raw)}")
    return _read_label(raw, labels) if form == "label" else _read_name(raw, names)


def values_agree(one: Value, other: Value, form: Form, unit: str) -> bool:
    """Whether two read values of a form say the same."""
    if form != "number":
        return one == other
    if not isinstance(one, int | float) or not isinstance(other, int | float):
        return False
    bar = max(RELATIVE * abs(other), RELATIVE * abs(one), ABSOLUTE.get(unit, 0.0)) if unit else 1e-9
    return abs(one - other) <= bar


def all_agree(values: Sequence[Value], form: Form, unit: str) -> bool:
    """Whether every two say the same; at least one value."""
    return all(values_agree(one, other, form, unit) for one in values for other in values)


def _read_yes_no(raw: PlainValue) -> bool:
    if isinstance(raw, bool):
        return raw
    said = raw.strip().lower().rstrip(".") if isinstance(raw, str) else ""
    if said in _YES or said in _NO:
        return said in _YES
    raise ProgramError("value", f"need yes or no, got {_show(raw)}")


def _read_label(raw: str, labels: Sequence[str]) -> str:
    said = _plain_words(raw)
    for label in labels:
        if said == _plain_words(label):
            return label
    raise ProgramError("value", f"need one of {', '.join(labels)}, got {_show(raw)}")


def _plain_words(text: str) -> tuple[str, ...]:
    """Words of a label; the words of one place in any order (`left front` is `front-left`), of several in theirs."""
    places = [
        re.findall(r"[a-z]+", part)
        for part in text.lower().replace("behind", "back").replace("ahead", "front").split(",")
    ]
    return tuple(" ".join(sorted(words)) for words in places)


def _read_name(raw: str, names: Sequence[str]) -> str:
    said = raw.strip().casefold()
    for name in names:
        if said == name.casefold():
            return name
    if names:
        raise ProgramError("value", f"{_show(raw)} is none of the things asked about")
    return raw.strip()


def _show(raw: PlainValue) -> str:
    return repr(raw)[:60]
