"""The gate of a job, for the children of one machine: they reach it through a socket that only their user can open.

On a cluster each machine's socket hands the words on to the one gate that all share.
"""

from __future__ import annotations

import json
import os
import secrets
import shutil
import tempfile
import threading
import time
from contextlib import suppress
from dataclasses import asdict
from multiprocessing.connection import Client, Connection, Listener
from typing import Any

from instructions.language.budget import Usage
from instructions.language.gate import SharedGate, Word
from instructions.language.model import ServerUnusable

VARIABLE = "ROOMTOUR_GATE"
"""Environment variable by which a child is told where the gate of its job is."""
_MOST_BYTES = 4096
_TRIES, _PAUSE_S = 20, 0.5
"""Of asking an actor that may be started anew."""


class RayGate:
    """The gate of a job, as an actor that all machines reach."""

    def __init__(self, handle: Any):
        self.handle = handle

    def ask(self, tokens: int, ticket: int, holder: str) -> Word:
        """See `SharedGate`."""
        return self._get("ask", tokens, ticket, holder)

    def settle(self, tokens: int, prompt_tokens: int, reply_tokens: int, holder: str) -> None:
        """See `SharedGate`."""
        self._get("settle", tokens, prompt_tokens, reply_tokens, holder)

    def pause(self, seconds: float) -> None:
        """See `SharedGate`."""
        self._get("pause", seconds)

    def drop(self, holder: str) -> None:
        """See `SharedGate`."""
        self._get("drop", holder)

    def count(self) -> tuple[Usage, float]:
        """See `SharedGate`."""
        return self._get("count")

    def _get(self, what: str, *words: object) -> Any:
        """Ask, and again while a dead gate is started anew: it holds its limits again from empty.

        Raises:
            OSError: If it does not come back.
        """
        import ray
        from ray.exceptions import RayError

        for _ in range(_TRIES):
            try:
                return ray.get(getattr(self.handle, what).remote(*words))
            except RayError:
                time.sleep(_PAUSE_S)
        raise OSError("the gate of the job does not answer")


HeldGate = SharedGate | RayGate
"""The gate that all share."""


class GateSocket:
    """Lets children of this machine reach a gate; each connection is a holder, and dropped when it breaks."""

    def __init__(self, gate: HeldGate):
        """Open the socket."""
        self._gate = gate
        self._folder = tempfile.mkdtemp(prefix="roomtour-gate-")  # of this user alone
        self.address = os.path.join(self._folder, "socket")
        self._listener = Listener(self.address, family="AF_UNIX", backlog=64)
        self._is_open = True
        threading.Thread(target=self._accept, name="gate", daemon=True).start()

    def close(self) -> None:
        """Let nobody in any more."""
        self._is_open = False
        self._listener.close()
        shutil.rmtree(self._folder, ignore_errors=True)

    def _accept(self) -> None:
        while self._is_open:
            try:
                connection = self._listener.accept()
            except (OSError, EOFError):
                continue
            threading.Thread(target=self._serve, args=(connection,), name="gate", daemon=True).start()

    def _serve(self, connection: Connection) -> None:
        holder = secrets.token_hex(8)
        with connection, suppress(OSError, EOFError, ValueError, KeyError, TypeError):
            while True:
                asked = json.loads(connection.recv_bytes(_MOST_BYTES))
                connection.send_bytes(json.dumps(self._answer(asked, holder)).encode())
        self._gate.drop(holder)

    def _answer(self, asked: dict[str, Any], holder: str) -> dict[str, Any]:
        what = asked.pop("what")
        if what == "ask":
            return asdict(self._gate.ask(**asked, holder=holder))
        if what == "settle":
            self._gate.settle(**asked, holder=holder)
        elif what == "pause":
            self._gate.pause(**asked)
        return {}


class GateAt:
    """The gate behind a socket, for the process that asks. Thread-safe."""

    def __init__(self, address: str):
        """Connect.

        Raises:
            OSError: If nobody listens there.
        """
        self._connection = Client(address, family="AF_UNIX")
        self._lock = threading.Lock()

    def ask(self, tokens: int, ticket: int = 0) -> Word:
        """See `instructions.language.gate.Gate`.

        Raises:
            ServerUnusable: If the gate is gone, with the job.
        """
        return Word(**self._say(what="ask", tokens=tokens, ticket=ticket))

    def settle(self, tokens: int, prompt_tokens: int, reply_tokens: int) -> None:
        """See `instructions.language.gate.Gate`."""
        self._say(what="settle", tokens=tokens, prompt_tokens=prompt_tokens, reply_tokens=reply_tokens)

    def pause(self, seconds: float) -> None:
        """See `instructions.language.gate.Gate`."""
        self._say(what="pause", seconds=seconds)

    def _say(self, **words: str | float) -> dict[str, Any]:
        try:
            with self._lock:
                self._connection.send_bytes(json.dumps(words).encode())
                return json.loads(self._connection.recv_bytes(_MOST_BYTES))
        except (OSError, EOFError) as error:
            raise ServerUnusable("the gate of the job is gone; run the same command again") from error
