"""Further templates of a task: a folder of `TASK.toml`, as our own pools are written, by users or a language model."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter

from instructions.dialogues.given import check_given, read_given
from instructions.dialogues.tasks.tasks import require_task
from instructions.dialogues.templates import Pool, load_pool
from instructions.errors import InstructionError
from instructions.language.model import Message, TextModel, Unanswered
from instructions.language.options import LanguageOptions
from instructions.language.prompts import load
from instructions.language.quoting import clean
from instructions.language.requests import Request
from instructions.language.runner import ask_all
from recon.given_files import list_files
from roomtour.scoring.dialogues.pool_check import join_pool

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
    questions = tuple(clean(one, 160) for one in answer.value.questions)
    answers = {variant: tuple(clean(one, 160) for one in lines) for variant, lines in answer.value.answers.items()}
    return join_pool(task, questions, answers)


def write_pool(pool: Pool, path: Path) -> int:
    """Write what a pool has besides our own sentences; returns how many that are."""
    own = load_pool(pool.name)
    more = {"questions": [one for one in pool.questions if one not in own.questions]}
    for variant, lines in pool.answers.items():
        more[f"answers_{variant}" if variant else "answers"] = [one for one in lines if one not in own.answers[variant]]
    parts = []
    for name, lines in more.items():
        if lines:
            parts += [f"{name} = [", *(f"  {json.dumps(line, ensure_ascii=False)}," for line in lines), "]"]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(f"{part}\n" for part in parts), encoding="utf-8")
    return sum(len(lines) for lines in more.values())
