"""A row as somebody sees it who has the text and no picture: what the blind test guesses from."""

from __future__ import annotations

from sys import intern

from instructions.asking.blind import BlindItem
from instructions.questions.core.records import Question
from instructions.questions.quality.unseen import cut_answer
from instructions.questions.registry import ALL_TYPES
from instructions.questions.wording.words import plain_value


def unseen_items(row: Question, answered: Question) -> tuple[BlindItem, BlindItem]:
    """A row whose thing is out of view beside the row that has the same question answered: texts alone tell neither."""

    def item(one: Question, answer: str) -> BlindItem:
        words = one.question.lower().strip("?.").split()
        return BlindItem(row.tour, "unseen", {f"word {word}": 1.0 for word in words}, answer)

    return item(row, str(row.truth)), item(answered, "visible")


def blind_item(row: Question) -> BlindItem:
    """A row without its picture: the answer is the letter or place of the right option, the word, or the number."""
    names = [one.category or one.phrase for one in row.references]
    features: dict[str, str | float] = {
        "template": intern(cut_answer(row.template)),
        "names": intern(" and ".join(names)),
        "sorted": intern(" and ".join(sorted(names))),
        "options": intern(" ".join(row.choices)),
        "given": intern(" ".join(value for _, value in row.given)),
        "words": float(len(row.question.split())),
        "marks": float(sum(one.mark is not None for one in row.references)),
    }
    for place, one in enumerate(row.references):
        features[intern(f"name {place}")] = intern(one.category or one.phrase)
        features[intern(f"phrase {place}")] = intern(one.phrase)
    kind = ALL_TYPES.get(row.type)
    name = row.type if kind is not None and len(kind.media) == 1 else f"{row.medium} {row.type}"
    tour = intern(row.tour)
    if row.is_choice:
        return BlindItem(tour, f"{name} with options", features, str(row.correct), f"{len(row.choices)} options")
    if row.form == "number":
        return BlindItem(tour, intern(name), features, float(row.truth))  # type: ignore[arg-type]  # a number
    is_offered = row.correct is not None and (kind is None or kind.comparison is None)
    if is_offered:
        for at, option in enumerate(row.choices):
            features[f"option {at}"] = intern(option)
        return BlindItem(tour, intern(name), features, str(row.correct), f"{len(row.choices)} options")
    # A thing is the place where the question names it: ids differ from home to home.
    place = {one.object: str(at) for at, one in enumerate(row.references)}
    told = tuple(place.get(one, one) for one in (row.truth if isinstance(row.truth, tuple) else (str(row.truth),)))
    return BlindItem(tour, intern(name), features, plain_value(told), _tell_offered(row))


def _tell_offered(row: Question) -> str:
    """What a question itself says about its answers: which two labels, or of how many things one."""
    if row.form == "label":
        return dict(row.given).get("word", "")
    return f"{len(row.references)} things" if row.form in ("thing", "order") else ""
