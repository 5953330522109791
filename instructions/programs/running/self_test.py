"""Ten programs that show, before any other runs, that the sandbox holds here and now. One failure: nothing runs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from instructions.errors import InstructionError
from instructions.programs.running.values import PlainValue, ProgramError, Reason


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


def require_sound(
    run: Callable[[str, list[dict[str, object]]], PlainValue], run_unchecked: Callable[[str], object]
) -> None:
    """Run the ten cases.

    Args:
        run: Runs a text over a scene, as every program is run.
        run_unchecked: Runs a text in the sandbox without the source check: neither wall may lean on the other.

    Raises:
        InstructionError: For the first case that goes wrong. No program may run then.
    """
    scene: list[dict[str, object]] = [{"id": "lamp", "size": 1.5}]
    for case in CASES:
        seen = _judge(case, scene, run, run_unchecked)
        if scene != [{"id": "lamp", "size": 1.5}]:
            seen = "our own scene was changed"
        if seen is not None:
            raise InstructionError(
                f"the sandbox failed its self-test ({case.name}: {seen}), so no program is run. Questions with "
                "reference answers are still made; pydantic-monty 1.4.0 is the version that passes"
            )


def _judge(
    case: Case,
    scene: list[dict[str, object]],
    run: Callable[[str, list[dict[str, object]]], PlainValue],
    run_unchecked: Callable[[str], object],
) -> str | None:
    """What is wrong; None if nothing is."""
    try:
        value = run(case.source, scene)
    except ProgramError as error:
        if error.reason not in case.reasons:
            return f"it failed with {error}"
    else:
        return None if case.value is not None and value == case.value else f"it returned {str(value)[:60]}"
    if case.value is not None:
        return "it has no value"
    try:
        run_unchecked(case.source)
    except ProgramError:
        return None
    return "the sandbox let it pass without the source check"
