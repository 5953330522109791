"""Further templates of a task, by users or a language model; each must be read back by the readers of answers."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter

from instructions.dialogues.filters import find_form_fault
from instructions.dialogues.given import check_given, read_given
from instructions.dialogues.records import CloudBox, TalkBox, TaskTruth
from instructions.dialogues.tasks.tasks import Draft, put_task, require_task
from instructions.dialogues.templates import Pool, kind_slots, load_pool
from instructions.errors import InstructionError
from instructions.language.model import Message, TextModel, Unanswered
from instructions.language.options import LanguageOptions
from instructions.language.prompts import load
from instructions.language.quoting import clean
from instructions.language.requests import Request
from instructions.language.runner import ask_all
from instructions.records import Obb
from recon.given_files import list_files
from roomtour.scoring.dialogues import compat, reading
from roomtour.scoring.dialogues.right import read_quotation
from roomtour.scoring.dialogues.words import OwnWords

_FILE = TypeAdapter(dict[str, Annotated[tuple[str, ...], Field(max_length=1000)]])
_MOST_BYTES = 1024 * 1024
_Line = Annotated[str, Field(min_length=2, max_length=160)]


class Templates(BaseModel):
    """Sentences as a model gives them."""

    model_config = ConfigDict(extra="forbid")
    questions: Annotated[list[_Line], Field(max_length=40)] = Field(default_factory=list)
    answers: Annotated[dict[str, list[_Line]], Field(max_length=4)] = Field(default_factory=dict)


def read_pools(folder: Path) -> Mapping[str, Pool]:
    """Our pools with the sentences of a folder, by task; only of tasks that it has a file of.

    Raises:
        InstructionError: For a folder or file that cannot be read, a file of no task, and a sentence that may not join,
            with the reason.
    """
    where, write = f"--dialogues.pools {folder}", f"write one with roomtour dialogues pool TASK --out {folder}"
    if not folder.is_dir():
        raise InstructionError(f"{where}: no such folder; {write}")
    out = {}
    for path in (path for path in list_files(folder) if path.suffix == ".toml"):
        require_task(path.stem, f"{where}: {path.name}")
        try:
            table = tomllib.loads(read_given(path, str(path), _MOST_BYTES))
        except tomllib.TOMLDecodeError as error:
            raise InstructionError(f"{path}: cannot be read: {error}") from error
        lines = dict(check_given(_FILE.validate_python, table, str(path)))
        questions = lines.pop("questions", ())
        strange = next((name for name in lines if not name.startswith("answers")), None)
        if strange is not None:
            raise InstructionError(f"{path}: unknown {strange!r}; a pool has questions, answers, and answers_VARIANT")
        answers = {name.removeprefix("answers").removeprefix("_"): told for name, told in lines.items() if told}
        out[path.stem], left = join_pool(path.stem, questions, answers)
        if left:
            text, why = next(iter(left.items()))
            raise InstructionError(f"{path}: {text!r}: {why}; {len(left)} such; leave them out or mend them")
    if not out:
        raise InstructionError(f"{where}: holds no TASK.toml; {write}")
    return out


def ask_templates(
    task: str, *, replies: Path, options: LanguageOptions, connect: Callable[[], TextModel], seed: int = 0
) -> tuple[Pool, dict[str, str]]:
    """Our pool with what a model wrote and may join, and what stays out with its reason.

    Raises:
        InstructionError: For an unknown task.
        Unanswered: If the model gave no usable reply.
    """
    require_task(task, "roomtour dialogues pool")
    own = load_pool(task)
    told = {"task": task, "questions": own.questions, "answers": own.answers}
    prompt = load("instructions.dialogues", "pool").text
    messages = (Message("system", prompt), Message("user", json.dumps(told, ensure_ascii=False)))
    request: Request[BaseModel] = Request(f"pool {task}", messages, Templates, seed, likely_tokens=900)
    found = ask_all([request], connect, replies, options)
    (answer,) = found.answers
    if not isinstance(answer.value, Templates):
        raise Unanswered(f"roomtour dialogues pool {task}: {found.open.tell(options)}")
    questions = tuple(clean(question, 160) for question in answer.value.questions)
    answers = {variant: tuple(clean(line, 160) for line in lines) for variant, lines in answer.value.answers.items()}
    return join_pool(task, questions, answers)


def write_pool(pool: Pool, path: Path) -> int:
    """Write what a pool has besides our own sentences; returns how many that are."""
    own = load_pool(pool.name)
    more = {"questions": [question for question in pool.questions if question not in own.questions]}
    for variant, lines in pool.answers.items():
        more[f"answers_{variant}" if variant else "answers"] = [one for one in lines if one not in own.answers[variant]]
    parts = []
    for name, lines in more.items():
        if lines:
            parts += [f"{name} = [", *(f"  {json.dumps(line, ensure_ascii=False)}," for line in lines), "]"]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(f"{part}\n" for part in parts), encoding="utf-8")
    return sum(len(lines) for lines in more.values())


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
    """Why a sentence cannot join the pool of a task; None if it can."""
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
    foreign = {slot for slot in slots if "." not in slot} - set.union(*known)
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
    phrase = "left elbow" if task == "keypoints" else f"the {kind}"
    told = "Mind the step" if task == "words" else "about two and a half meters"
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
            return (
                [detection[0] for detection in compat.read_detections(said)]
                == [one[0] for one in found]
                == [kind, "rug"]
            )
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
    """Our pool with the sentences that may join it, and the others each with its reason."""
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
