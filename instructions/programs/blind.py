"""A row as somebody sees it who has the text and no picture: what the blind test guesses from."""

from __future__ import annotations

from instructions.asking.blind import BlindItem
from instructions.programs.records import ProgramQuestion


def blind_item(row: ProgramQuestion) -> BlindItem:
    """A row without its picture: the answer is the letter of the right option, the word, or the number."""
    # The words of the question only: those of the answer (`yes/3`) are told by the template too.
    asked, _, number = row.template.partition("/questions/")
    features: dict[str, str | float] = {
        "template": f"{asked}/{number.partition('/')[0]}",
        "names": " and ".join(one.category or one.phrase for one in row.references),
        "options": " ".join(row.choices),
        "given": " ".join(value for _, value in row.given),
        "words": float(len(row.question.split())),
    }
    for place, one in enumerate(row.references):
        features[f"name {place}"] = one.category or one.phrase
        features[f"phrase {place}"] = one.phrase
    kind = f"{row.medium} {row.type}"
    if row.correct is not None:
        offered = f"{len(row.choices)} options"
        return BlindItem(row.tour, f"{kind} with options", features, str(row.correct), offered)
    if isinstance(row.truth, float | int) and not isinstance(row.truth, bool):
        return BlindItem(row.tour, kind, features, float(row.truth))
    # A thing is the place where the question names it: ids differ from home to home.
    place = {one.object: str(at) for at, one in enumerate(row.references)}
    told = tuple(place.get(str(one), str(one)) for one in (row.truth if isinstance(row.truth, tuple) else (row.truth,)))
    return BlindItem(row.tour, kind, features, say_value(told), _tell_offered(row))


def _tell_offered(row: ProgramQuestion) -> str:
    """What a question itself says about its answers: which two labels, or of how many things one."""
    if row.form == "label":
        return dict(row.given).get("word", "")
    return f"{len(row.references)} things" if row.form in ("thing", "order") else ""


def say_value(value: object) -> str:
    """A value as a text that can be compared: several ones joined by commas, in their order."""
    return ", ".join(str(one) for one in value) if isinstance(value, tuple) else str(value)
