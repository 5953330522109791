"""CPU seconds of each test, its fixtures and the processes it started; the dearest are listed after the run."""

import os
from collections import defaultdict
from collections.abc import Iterator

import pytest

_PROPERTY = "cpu_s"
_LISTED = 10


def _spent_s() -> float:
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system


class CpuTime:
    """A plugin of pytest. Under xdist each worker measures its own tests and the controller adds up."""

    def __init__(self) -> None:
        self._by_test: defaultdict[str, float] = defaultdict(float)

    @pytest.hookimpl(hookwrapper=True)
    def pytest_runtest_makereport(self, item: pytest.Item, call: pytest.CallInfo[None]) -> Iterator[None]:
        """Attach what a phase of a test took to its report."""
        outcome = yield
        now_s = _spent_s()
        outcome.get_result().user_properties.append((_PROPERTY, now_s - self._before_s))  # pyright: ignore
        self._before_s = now_s

    def pytest_runtest_logstart(self) -> None:
        """Start the clock of a test."""
        self._before_s = _spent_s()

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Add up the phases of a test."""
        for name, value in report.user_properties:
            if name == _PROPERTY:
                self._by_test[report.nodeid] += float(str(value))

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """List the dearest tests."""
        total_s = sum(self._by_test.values())
        if len(self._by_test) > _LISTED:
            terminalreporter.section(f"{len(self._by_test)} tests took {total_s:.0f} CPU-s; the dearest")
            for name, spent_s in sorted(self._by_test.items(), key=lambda item: -item[1])[:_LISTED]:
                terminalreporter.write_line(f"{spent_s:7.1f} s  {name}")
