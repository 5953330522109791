"""Runs a program that somebody else wrote. The only module that imports `pydantic_monty`; there is no second way.

Monty is an interpreter of a part of Python without files, processes or network, in a worker process of its own. What it
does not refuse by itself (sleep, output, endless work) ends at the limits below, which are always given. Before any
other program runs, ten show that it holds here and now; one failure, and nothing runs.
"""

from __future__ import annotations

import atexit
import json
import os
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from instructions.errors import InstructionError
from instructions.language.quoting import clean
from instructions.programs.running.rewrite import rewrite
from instructions.programs.running.source_check import ENTRY, HOST, check_source
from instructions.programs.running.values import MAX_BYTES, PlainValue, ProgramError, Reason, check_value


@dataclass(frozen=True)
class Case:
    """One program, and what must become of it."""

    name: str
    source: str
    value: PlainValue | None = None
    reasons: tuple[Reason, ...] = ()
    """Any of these, where it must fail."""


def _func(*lines: str) -> str:
    return "def func(metadata):\n" + "\n".join(f"    {line}" for line in lines)


CASES = (
    Case("a good program", _func("return metadata[0]['size'] * 2"), value=3.0),
    Case(
        "an endless loop that catches all",
        _func("n = len(metadata)", "while True:", "  try:", "    while True: n += 1", "  except BaseException: pass"),
        reasons=("limit",),
    ),
    Case("memory without end", _func("n = [metadata]", "while True: n = n + n"), reasons=("limit",)),
    Case("recursion without end", "def func(metadata):\n    return func(metadata)", reasons=("limit",)),
    Case("sleep", "import time\n" + _func("time.sleep(8)", "return len(metadata)"), reasons=("source", "limit")),
    Case("a file", _func("return open('/etc/hostname').read() + metadata[0]['id']"), reasons=("source", "limit")),
    Case("os.system", "import os\n" + _func("os.system('true')", "return len(metadata)"), reasons=("source", "limit")),
    Case("a flood of output", _func("while metadata: print('x' * 100000)"), reasons=("limit",)),
    Case("a changed input", _func("metadata[0]['size'] = 99.0", "return metadata[0]['size']"), value=99.0),
    Case("a forged answer on the output", _func("print('{\"answer\": 7}')", "return metadata[0]['size']"), value=1.5),
)


if TYPE_CHECKING:
    from pydantic_monty import Monty, ResourceLimits

Metadata = Sequence[Mapping[str, Any]]
Camera = Mapping[str, Any] | Sequence[float] | None

LIMITS: ResourceLimits = {
    "max_feed_duration_secs": 2.0,
    "max_memory": 64 * 2**20,
    "max_recursion_depth": 200,
    "max_suspensions": 0,  # every file, name from outside, module from outside and sleep is a suspension
    "max_total_sleep_secs": 0.0,  # sleeping does not count as running
}
"""Of every run. Monty's own default is none; an unknown name raises, so that a renamed limit cannot pass unseen."""
_SMALL: ResourceLimits = {**LIMITS, "max_feed_duration_secs": 0.25, "max_memory": 8 * 2**20}
"""The same limits, smaller, so that the self-test takes less than three seconds."""
REQUEST_TIMEOUT_S = 6.0
GRACE_S = 0.4
"""After the 2 s a worker that does not stop by itself is killed: nobody waits longer than 2.5 s for another program."""
_OUTSIDE = "suspension limit"
_LIMIT_ERRORS = ("MemoryError", "TimeoutError", "RecursionError")


class Sandbox:
    """A pool of workers. Use as a context manager; thread-safe."""

    def __init__(self, workers: int = 1, limits: ResourceLimits = LIMITS):
        """Start the workers.

        Raises:
            InstructionError: Where Monty is not installed, or cannot start on this system.
        """
        try:
            from pydantic_monty import Monty
        except ImportError as error:
            raise InstructionError(
                f"programs run only in pydantic-monty, which cannot be imported ({clean(str(error), 120)}); install it "
                'with: pip install "roomtour[programs]". Questions with reference answers need none'
            ) from error
        self._limits = limits
        try:
            self._pool: Monty = Monty(
                max_processes=workers, request_timeout=REQUEST_TIMEOUT_S, feed_duration_limit_grace=GRACE_S
            )
            self._pool.__enter__()
        except Exception as error:
            raise InstructionError(f"the sandbox does not start here: {clean(str(error), 160)}") from error

    def close(self) -> None:
        """End the workers."""
        self._pool.__exit__(None, None, None)

    def __enter__(self) -> Sandbox:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def run(self, source: str, metadata: Metadata, camera: Camera = None) -> PlainValue:
        """See `run_program`."""
        code = _prepare(source)
        sent = _as_json(metadata, camera)
        told = self._feed(code, sent)
        if _as_json(metadata, camera) != sent:
            raise InstructionError("the scene changed while a program ran: no value of this run may be used")
        return _read_told(told)

    def run_unchecked(self, source: str) -> object:
        """The sandbox alone, without the source check and with an empty scene: for the self-test and hostile tests.

        Raises:
            ProgramError: If the program fails, as all of those should.
        """
        return self._feed(f"{source}\n{ENTRY}([{{'id': 'lamp', 'size': 1.5}}])", "[]")

    def require_sound(self) -> None:
        """Run the ten cases.

        Raises:
            InstructionError: For the first case that goes wrong. No program may run then.
        """
        for case in CASES:
            scene: list[dict[str, object]] = [{"id": "lamp", "size": 1.5}]
            seen = self._find_leak(case, scene)
            if scene != [{"id": "lamp", "size": 1.5}]:
                seen = "our own scene was changed"
            if seen is not None:
                raise InstructionError(
                    f"the sandbox failed its self-test ({case.name}: {seen}), so no program is run. Questions with "
                    "reference answers are still made; pydantic-monty 1.4.0 is the version that passes"
                )

    def _find_leak(self, case: Case, scene: Metadata) -> str | None:
        """What is wrong; None if nothing is. Neither wall may lean on the other."""
        try:
            value = self.run(case.source, scene)
        except ProgramError as error:
            if error.reason not in case.reasons:
                return f"it failed with {error}"
        else:
            return None if case.value is not None and value == case.value else f"it returned {str(value)[:60]}"
        try:
            self.run_unchecked(case.source)
        except ProgramError:
            return None
        return "the sandbox let it pass without the source check"

    def _feed(self, code: str, sent: str) -> object:
        """What the last line of the code gives, in a session of its own."""
        from pydantic_monty import CollectString, MontyCrashedError, MontyError, MontySyntaxError

        try:
            with self._pool.checkout(limits=self._limits) as session:
                return session.feed_run(code, inputs={f"{HOST}_sent": sent}, print_callback=CollectString())
        except MontyCrashedError as error:
            raise ProgramError("limit", _first_line(error)) from None
        except MontySyntaxError as error:
            raise ProgramError("parse", _first_line(error)) from None
        except MontyError as error:
            raise ProgramError(_reason(error), _first_line(error)) from None
        except ValueError as error:  # a whole number too long to be handed over
            raise ProgramError("value", clean(str(error), 160)) from None


def run_program(source: str, metadata: Metadata, camera: Camera = None) -> PlainValue:
    """Run a program over a scene's metadata, in the sandbox and nowhere else.

    Args:
        source: Python text with `func(metadata)` or `func(metadata, camera)`, as it was written.
        metadata: Things of one scene (`describe_things`); the program gets a copy, made anew for every run.
        camera: Of the question's view (`describe_camera`), or None.

    Returns:
        What `func` returned. What it printed is never looked at.

    Raises:
        ProgramError: The program's own failure, with its reason.
        InstructionError: If the sandbox cannot be used here, or does not pass its self-test.
    """
    return open_sandbox().run(source, metadata, camera)


_opened: dict[int, Sandbox] = {}
_lock = threading.Lock()


def open_sandbox(workers: int = 2) -> Sandbox:
    """The sandbox of this process: started and tested at its first use, ended with the process.

    Raises:
        InstructionError: If it cannot start or fails one case of the self-test. Then nothing runs.
    """
    with _lock:
        if os.getpid() not in _opened:
            with Sandbox(1, _SMALL) as tried:
                tried.require_sound()
            opened = Sandbox(workers)
            atexit.register(opened.close)
            _opened[os.getpid()] = opened
        return _opened[os.getpid()]


@lru_cache(maxsize=256)
def _prepare(source: str) -> str:
    """The checked and rewritten program, and the lines that call it and write its value as JSON.

    The value leaves the sandbox as text: what is no plain value fails inside, under the sandbox's limits, and nothing
    large is built on our side. Programs cannot use names that begin with `_host`, nor change a module.
    """
    program = check_source(source)
    camera = f", {HOST}_in[1]" if program.parameters == 2 else ""
    lines = [
        rewrite(program.tree),
        f"import json as {HOST}_json",
        f"{HOST}_in = {HOST}_json.loads({HOST}_sent)",
        f"{HOST}_out = {ENTRY}({HOST}_in[0]{camera})",
        f"try:\n    {HOST}_text = {HOST}_json.dumps({HOST}_out)",
        f"except Exception as {HOST}_why:\n    {HOST}_text = [str({HOST}_why)[:200]]",
        f"{HOST}_text if len({HOST}_text) <= {MAX_BYTES} else [f'it has {{len({HOST}_text)}} bytes']",
    ]
    return "\n".join(lines)


def _as_json(metadata: Metadata, camera: Camera) -> str:
    return json.dumps([metadata, camera], allow_nan=False)


def _read_told(told: object) -> PlainValue:
    """The value out of the text that left the sandbox; a list of one text says what is wrong with it.

    Raises:
        ProgramError: `value`.
    """
    if isinstance(told, list):
        raise ProgramError("value", clean(str(told[0]), 160))
    if not isinstance(told, str):
        raise ProgramError("value", "it is no plain value")
    try:
        return check_value(json.loads(told))
    except (ValueError, RecursionError) as error:
        raise ProgramError("value", f"it cannot be read ({type(error).__name__})") from None


def _reason(error: Exception) -> Reason:
    said = str(error)
    if said.startswith(_LIMIT_ERRORS) or _OUTSIDE in said:
        return "limit"
    return "parse" if said.startswith(("NotImplementedError: The monty syntax", "SyntaxError")) else "crash"


def _first_line(error: Exception) -> str:
    """The error in one line; a program chose its words, so they are cleaned."""
    said = str(error)
    if _OUTSIDE in said:
        said = "it asked for something outside the sandbox, or for a name that is not defined"
    return clean(said, 160)
