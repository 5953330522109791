"""Many cases of one law as one test: collected, set up and counted once, and each case that fails is named."""

import functools
import inspect
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import pytest

Test = Callable[..., None]


def each_case(
    names: str | Sequence[str], cases: Iterable[Any], ids: Callable[[Any], object] | Iterable[str] = repr
) -> Callable[[Test], Test]:
    """Run a test for each case, as `pytest.mark.parametrize` does, with the fixtures of one test.

    So it is not for tests that fill a folder, patch something or read what was printed.

    Args:
        names: Of the arguments: `"a, b"`, or a sequence of them.
        cases: A value for each name, or the value itself for a single name.
        ids: What a case is called: by its values, or a name for each.
    """
    listed = [name.strip() for name in names.split(",")] if isinstance(names, str) else list(names)
    rows = [case if len(listed) > 1 else (case,) for case in cases]
    called = [", ".join(str(ids(value)) for value in row) for row in rows] if callable(ids) else list(ids)
    assert rows, "no cases"

    def wrap(test: Test) -> Test:
        signature = inspect.signature(test)
        asks = "subtests" in signature.parameters  # of an inner `each_case`

        @functools.wraps(test)
        def run(subtests: pytest.Subtests, **fixtures: Any) -> None:
            more = {"subtests": subtests} if asks else {}
            for name, row in zip(called, rows, strict=True):
                with subtests.test(name[:200]):
                    test(**fixtures, **more, **dict(zip(listed, row, strict=True)))

        kept = [parameter for name, parameter in signature.parameters.items() if name not in (*listed, "subtests")]
        own = inspect.Parameter("subtests", inspect.Parameter.KEYWORD_ONLY)
        kept = [parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY) for parameter in kept]
        run.__signature__ = signature.replace(parameters=[own, *kept])  # pyright: ignore[reportAttributeAccessIssue]
        return run

    return wrap
