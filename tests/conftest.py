"""Shared by all tests: the small rendered walks, one finished run of them, and no ERROR may be logged.

Screens are compared at one width and without colours, whatever the terminal; rich reads that when it is imported.
"""

import logging
import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from filelock import FileLock
from hypothesis import settings

from tests.support.cpu_time import CpuTime
from tests.support.paths import DATA
from tests.support.screens import COLUMNS, capture

os.environ["COLUMNS"] = COLUMNS
os.environ.pop("FORCE_COLOR", None)

settings.register_profile("roomtour", deadline=None)  # a slow machine is no broken law
settings.load_profile("roomtour")

LIGHT_MODELS = os.environ.get("ROOMTOUR_MODELS")
"""Where the machine has light models. Only tests that ask for `light_models` see them: elsewhere `--perception auto` is
landmarks, whatever lies in the cache of whoever runs the tests."""


def pytest_configure(config: pytest.Config) -> None:
    """Measure what each test costs."""
    config.pluginmanager.register(CpuTime(), "cpu_time")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Skip what needs POSIX where there is none."""
    if sys.platform == "win32":
        for item in items:
            if item.get_closest_marker("posix"):
                item.add_marker(pytest.mark.skip(reason="needs signals, limits or mounts of POSIX systems"))


@pytest.fixture(autouse=True)
def no_error_logged(caplog: pytest.LogCaptureFixture) -> Iterator[None]:
    """Fail a test in which anything was logged at level ERROR."""
    yield
    errors = [record.getMessage() for record in caplog.get_records("call") if record.levelno >= logging.ERROR]
    assert not errors, errors


@pytest.fixture(autouse=True, scope="session")
def no_light_models(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Hide light models from tests that do not ask for them."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("ROOMTOUR_MODELS", str(tmp_path_factory.mktemp("no_models")))
        yield


@pytest.fixture(scope="session")
def light_models() -> Path:
    """The folder of real light models; a test that asks for it is skipped where there is none."""
    if not LIGHT_MODELS:
        pytest.skip("needs real light models: set ROOMTOUR_MODELS to a folder made by `roomtour models pull light`")
    for package in ("onnxruntime", "ai_edge_litert"):
        pytest.importorskip(package, reason='needs pip install "roomtour[light]"')
    return Path(LIGHT_MODELS)


@pytest.fixture(scope="session")
def short_walk() -> Path:
    """A walk of some 13 s through two rooms of the made apartment."""
    return DATA / "short_walk.mp4"


@pytest.fixture(scope="session")
def finished_run(tmp_path_factory: pytest.TempPathFactory, short_walk: Path) -> Path:
    """The run folder of the short walk, made once for all workers of xdist. Read it; do not write to it.

    Beside it lies `process.txt`, the screen of the command that made it.
    """
    folder = tmp_path_factory.getbasetemp()
    out = (folder.parent if "PYTEST_XDIST_WORKER" in os.environ else folder) / "finished" / "run"
    screen = out.parent / "process.txt"
    with FileLock(f"{out.parent}.lock"):
        if not screen.is_file():
            told = capture("process", str(short_walk), "--out", str(out), "--workers", "1")
            assert "[exit code" not in told, told
            screen.write_text(told, encoding="utf-8")
    return out
