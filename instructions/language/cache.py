"""Replies kept by the key of their request: the same question to the same model is asked once."""

from __future__ import annotations

import itertools
import os
import threading
from contextlib import suppress
from pathlib import Path

from pydantic import TypeAdapter, ValidationError

from instructions.language.budget import Usage
from instructions.language.model import Reply

_REPLY = TypeAdapter(Reply)


class ReplyCache:
    """A folder of replies, one file each, written aside and renamed. Never holds a key or an address."""

    def __init__(self, folder: Path):
        self._folder = folder

    def get(self, key: str) -> Reply | None:
        """The reply kept under a key; None if there is none, or if its file was damaged."""
        return self._read(self._path(key))

    def put(self, key: str, reply: Reply) -> None:
        """Keep a reply. Two threads that keep the same one do not disturb each other."""
        path = self._path(key)
        path.parent.mkdir(parents=True, exist_ok=True)
        aside = path.with_name(f"{path.name}.{os.getpid()}.{threading.get_ident()}.part")
        with aside.open("wb") as file:
            file.write(_REPLY.dump_json(reply, indent=1))
            file.flush()
            os.fsync(file.fileno())
        aside.replace(path)

    def set_aside(self, key: str) -> None:
        """Keep a reply only for what it cost: the same question is asked again."""
        path = self._path(key)
        aside = (path.with_suffix(f".{number}.json") for number in itertools.count(1))
        with suppress(FileNotFoundError):  # another thread has done so
            path.rename(next(one for one in aside if not one.exists()))

    def sum_spent(self) -> Usage:
        """What all replies cost when they were asked for, with those set aside."""
        prompt_tokens = reply_tokens = requests = 0
        for path in self._folder.glob("??/*.json"):
            reply = self._read(path)
            if reply is not None:
                prompt_tokens += reply.prompt_tokens
                reply_tokens += reply.reply_tokens
                requests += 1
        return Usage(prompt_tokens=prompt_tokens, reply_tokens=reply_tokens, requests=requests)

    def _read(self, path: Path) -> Reply | None:
        try:
            return _REPLY.validate_json(path.read_bytes())
        except (FileNotFoundError, ValidationError):
            return None

    def _path(self, key: str) -> Path:
        return self._folder / key[:2] / f"{key}.json"
