"""Further templates of a task by a language model; each passes the checks of our own or stays out."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from instructions.dialogues.tasks.pool_check import join_pool
from instructions.dialogues.tasks.tasks import require_task
from instructions.dialogues.templates import Pool, load_pool
from instructions.language.model import Message, TextModel, Unanswered
from instructions.language.options import LanguageOptions
from instructions.language.prompts import load
from instructions.language.quoting import clean
from instructions.language.requests import Request
from instructions.language.runner import ask_all

_Line = Annotated[str, Field(min_length=2, max_length=160)]


class Templates(BaseModel):
    """Sentences as a model gives them."""

    model_config = ConfigDict(extra="forbid")
    questions: Annotated[list[_Line], Field(max_length=40)] = Field(default_factory=list)
    answers: Annotated[dict[str, list[_Line]], Field(max_length=4)] = Field(default_factory=dict)


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
    prompt = load("instructions.dialogues", "pool")
    told = {"task": task, "questions": own.questions, "answers": own.answers}
    messages = (Message("system", prompt.text), Message("user", json.dumps(told, ensure_ascii=False)))
    request: Request[BaseModel] = Request(f"pool {task}", messages, Templates, seed, likely_tokens=900)
    found = ask_all([request], connect, replies, options)
    (answer,) = found.answers
    if not isinstance(answer.value, Templates):
        raise Unanswered(f"roomtour dialogues pool {task}: {found.open.tell(options)}")
    questions = tuple(clean(one, 160) for one in answer.value.questions)
    answers = {variant: tuple(clean(one, 160) for one in lines) for variant, lines in answer.value.answers.items()}
    return join_pool(task, questions, answers)
