"""Whether a sentence may join a pool: it names what it must, and the benchmark's readers find what it says."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import replace

from instructions.dialogues.filters import find_form_fault
from instructions.dialogues.records import CloudBox, TalkBox, TaskTruth
from instructions.dialogues.tasks.tasks import Draft, put_task
from instructions.dialogues.templates import Noun, Pool, kind_slots, load_pool
from instructions.records import Obb
from roomtour.scoring.dialogues import compat, reading
from roomtour.scoring.dialogues.right import read_quotation
from roomtour.scoring.dialogues.words import OwnWords

_SLOT = re.compile(r"\{(\w+)(?:\.(\w+))?\}")
_KINDS = ("chair", "office chair", "oven", "coffee table", "curtain", "bookshelf", "bench")
_SIZE = (640, 360)
_BOX, _OTHER = (64.0, 36.0, 320.0, 180.0), (400.0, 90.0, 560.0, 300.0)
_POINT = (320.0, 90.0)
_SHARES, _POINT_SHARES = (0.10, 0.10, 0.50, 0.50), (0.50, 0.25)
_SIX = (1.25, -2.5, 0.5, 0.8, 0.6, 1.0)
"""Middle and lengths of a box in a cloud."""
_WRONG = {
    "choice": ("a piano", "a bathtub", "a bed"),
    "vqa_cloud": ("a piano", "a bathtub", "a bed", "a lamp", "a sofa"),
}
_EYE = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
_WORDS = OwnWords()
_LEAST_LETTERS, _MOST_LETTERS = 2, 160
_SWORN = re.compile(
    r"\b(?:certain(?:ly)?|unique|obvious(?:ly)?|definite(?:ly)?|pattern|texture|typical|clearly|confident|probability)\b",
    re.I,
)
"""What an answer claims besides its placeholders."""


def find_template_fault(task: str, text: str, *, variant: str | None = None) -> str | None:
    """Why a sentence cannot join the pool of a task; None if it can.

    Args:
        task: Name of the task.
        text: With placeholders.
        variant: Of the pool's answers; None for a question.
    """
    pool = load_pool(task)
    own = pool.questions if variant is None else pool.answers[variant]
    if not _LEAST_LETTERS <= len(text) <= _MOST_LETTERS or text != " ".join(text.split()):
        return f"{len(text)} letters, need {_LEAST_LETTERS} to {_MOST_LETTERS} in one line without double blanks"
    if re.search(r"[\[\]<>|\\]", text) or _SLOT.sub("", text).count("{") or _SLOT.sub("", text).count("}"):
        return "it has a bracket that is no placeholder"
    if text.lower() in {one.lower() for one in own}:
        return "the pool has it"
    slots, *known = (
        {match.group() if "." in match.group() else match.group(1) for match in _SLOT.finditer(one)}
        for one in (text, *own)
    )
    foreign = {one for one in slots if "." not in one} - set.union(*known)
    if foreign:
        return f"{', '.join(sorted(foreign))} is no placeholder here"
    need = set.intersection(*known)
    if need - slots or (all(known) and not slots):
        return f"it lacks {', '.join(sorted(need - slots)) or 'every placeholder'}"
    plain = _SLOT.sub("x", text)
    if re.search(r"\d", plain):
        return "it has a number of its own"
    if find_form_fault(plain) == "leak" or _SWORN.search(plain):
        return "it speaks of given data, or claims more than its placeholders"
    if variant is None and task not in ("choice", "vqa_cloud") and not plain.rstrip().endswith(("?", ".")):
        return "it ends with neither a question mark nor a stop"
    return _read_back(task, text, variant)


def _read_back(task: str, text: str, variant: str | None) -> str | None:
    """Fill it for some classes and read it."""
    pool = load_pool(task)
    told = variant if variant is not None else next(iter(pool.answers))
    tried = replace(pool, questions=(text,)) if variant is None else replace(pool, answers={told: (text,)})
    for kind in _KINDS:
        try:
            turn, _, _ = put_task(_draft(task, kind, told), 0, 0, 1, None if task.endswith("_cloud") else _SIZE, tried)
        except KeyError as error:
            return f"{error.args[0]!r} cannot be filled"
        said = turn.question if variant is None else turn.answer
        if "{" in said:
            return "a placeholder is left"
        if re.search(r"\b[Aa] [aeiou]|\b[Aa]n [^aeiou\W]", said) and not re.search(r"\b[Aa]n? [A-Z]\b", said):
            return f"a or an before the wrong letter: {said!r}"
        if variant is not None and not _is_read(task, kind, told, said):
            return f"it is not read as what it says: {said!r}"
    return None


def _draft(task: str, kind: str, variant: str) -> Draft:
    """A draft of a task about a class."""
    six = CloudBox("0_0", kind, _SIX[:3], _SIX[3:], Obb(_SIX[:3], (0.4, 0.3, 0.5), _EYE))
    truth = TaskTruth(
        variant or kind, 3, (TalkBox("a", kind, _BOX), TalkBox("b", "rug", _OTHER)),
        (six, replace(six, name="rug"))[: 1 if task == "ground_cloud" else 2],
    )  # fmt: skip
    phrase = Noun(f"the {kind}") if task == "unseen" else "left elbow" if task == "keypoints" else f"the {kind}"
    told = "Mind the step" if task == "words" else "about two and a half metres"
    slots = {
        **kind_slots(kind, 3),
        "P": phrase,
        "kinds": f"{kind}s",
        "A": told,
        "side": "on the left",
        "Q": "Is it here?",
    }
    right = kind_slots(kind)["aC"] if task in _WRONG else ""
    spot = _POINT if task in ("locate", "keypoints") else _BOX
    return Draft(task, "x", truth, (), slots, _BOX, spot, (), _WRONG.get(task, ()), right, variant)


def _is_read(task: str, kind: str, variant: str, said: str) -> bool:
    """Whether an answer to the draft is read as its truth."""
    match task:
        case "classify_view" | "classify_thing" | "classify_cloud":
            return reading.names_label(kind, said, _WORDS)
        case "detect":
            found = reading.read_detections(said, [kind, "rug"], 4, _WORDS)
            return [one[0] for one in compat.read_detections(said)] == [one[0] for one in found] == [kind, "rug"]
        case "count":
            return compat.read_count(said) == reading.read_count(said) == 3
        case "ground":
            return reading.read_groups(said, 4) == [_SHARES]
        case "locate" | "keypoints":
            return reading.read_groups(said, 2) == [_POINT_SHARES]
        case "words":
            return read_quotation(said) == "Mind the step"
        case "presence":
            return reading.read_yes_no(said) == variant
        case "length":
            return reading.read_metres(said) == 2.5
        case "unseen":
            return reading.read_where(said) == ("left" if variant == "seen" else reading.NOT_IN_VIEW)
        case "choice" | "vqa_cloud":
            wrong = _WRONG[task]
            return reading.read_choice(said, (wrong[0], kind_slots(kind)["aC"], *wrong[1:])) == 1
    return reading.read_groups(said, 6) == [_SIX] * (1 if task == "ground_cloud" else 2)


def join_pool(
    task: str, questions: tuple[str, ...], answers: Mapping[str, tuple[str, ...]]
) -> tuple[Pool, dict[str, str]]:
    """Our pool with the sentences that may join it, and the others each with its reason.

    Args:
        task: Name of the task.
        questions: Further ones.
        answers: Further ones by variant.
    """
    own = load_pool(task)
    left: dict[str, str] = {}
    asked = _join(own.questions, questions, lambda text: find_template_fault(task, text), left)
    told = {
        variant: _join(
            lines, answers.get(variant, ()), lambda text, v=variant: find_template_fault(task, text, variant=v), left
        )
        for variant, lines in own.answers.items()
    }
    left |= {
        text: f"the task has no answers {variant!r}"
        for variant in answers
        if variant not in told
        for text in answers[variant]
    }
    return Pool(task, asked, told), left


def _join(
    own: tuple[str, ...], more: tuple[str, ...], fault: Callable[[str], str | None], left: dict[str, str]
) -> tuple[str, ...]:
    out = list(own)
    for text in more:
        why = "it is there twice" if text in out else fault(text)
        if why is None:
            out.append(text)
        else:
            left[text] = why
    return tuple(out)
