"""Further templates of users: a folder of `TASK.toml`, as our own pools are written."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from instructions.dialogues.tasks.pool_check import join_pool
from instructions.dialogues.tasks.tasks import require_task
from instructions.dialogues.templates import Pool, load_pool
from instructions.errors import InstructionError
from recon.given_files import list_files, read_given_text

_Lines = Annotated[tuple[str, ...], Field(max_length=1000)]
_MOST_BYTES = 1024 * 1024


class PoolFile(BaseModel):
    """A file of a pool."""

    model_config = ConfigDict(extra="forbid")
    questions: _Lines = ()
    answers: _Lines = ()
    answers_yes: _Lines = ()
    answers_no: _Lines = ()
    answers_seen: _Lines = ()
    answers_unseen: _Lines = ()

    def by_variant(self) -> dict[str, tuple[str, ...]]:
        """Answers as pools have them."""
        named = {name: lines for name, lines in self.model_dump().items() if name.startswith("answers") and lines}
        return {name.removeprefix("answers").removeprefix("_"): tuple(lines) for name, lines in named.items()}


def read_pools(folder: Path) -> Mapping[str, Pool]:
    """Our pools with the sentences of a folder, by task; only of tasks that it has a file of.

    Raises:
        InstructionError: For a folder or file that cannot be read, a file of no task, and a sentence that may not join,
            with the reason.
    """
    where = f"--dialogues.pools {folder}"
    if not folder.is_dir():
        raise InstructionError(f"{where}: no such folder; write one with roomtour dialogues pool TASK --out {folder}")
    out = {}
    for path in (path for path in list_files(folder) if path.suffix == ".toml"):
        require_task(path.stem, f"{where}: {path.name}")
        file = _read(path)
        pool, left = join_pool(path.stem, file.questions, file.by_variant())
        if left:
            text, why = next(iter(left.items()))
            raise InstructionError(f"{path}: {text!r}: {why}; {len(left)} such; leave them out or mend them")
        out[path.stem] = pool
    if not out:
        raise InstructionError(
            f"{where}: holds no TASK.toml; write one with roomtour dialogues pool TASK --out {folder}"
        )
    return out


def _read(path: Path) -> PoolFile:
    try:
        if path.stat().st_size > _MOST_BYTES:
            raise InstructionError(f"{path}: {path.stat().st_size} bytes, need at most {_MOST_BYTES}")
        return PoolFile.model_validate(tomllib.loads(read_given_text(path)))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise InstructionError(f"{path}: cannot be read: {error}") from error
    except ValidationError as error:
        first = error.errors()[0]
        field = ".".join(str(part) for part in first["loc"])
        raise InstructionError(f"{path}: {field}: {first['msg'].lower()}") from error


def write_pool(pool: Pool, path: Path) -> int:
    """Write what a pool has besides our own sentences; returns how many that are."""
    own = load_pool(pool.name)
    more = {"questions": [one for one in pool.questions if one not in own.questions]}
    for variant, lines in pool.answers.items():
        more[f"answers_{variant}" if variant else "answers"] = [one for one in lines if one not in own.answers[variant]]
    parts = [
        f"{name} = [\n{''.join(f'  {json.dumps(line, ensure_ascii=False)},{chr(10)}' for line in lines)}]\n"
        for name, lines in more.items()
        if lines
    ]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(parts), encoding="utf-8")
    return sum(len(lines) for lines in more.values())
