"""No code decides a stage's result that its digest does not hold: all that runs in a stage is said to be reached."""

import shutil
import sys
import threading
from pathlib import Path
from types import FrameType

import pytest

from roomtour.config import Config
from roomtour.kinds import KIND_NAMES
from roomtour.pipeline import process_tour
from roomtour.sources import Tour
from roomtour.stages.code import NOT_FOLLOWED, PACKAGES, CodeTree
from roomtour.stages.context import Stage, StageContext, StageResult, name_module
from roomtour.stages.table import STAGES
from tests.support.paths import ROOT


@pytest.fixture
def ran(finished_run: Path, short_walk: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, set[str]]:
    """By stage, files of ours whose functions were called while it ran."""
    found: dict[str, set[str]] = {}
    run = Stage.run

    def watch(stage: Stage, context: StageContext) -> StageResult:
        called: set[str] = set()

        def note(frame: FrameType, event: str, arg: object) -> None:
            called.add(frame.f_code.co_filename)

        before = sys.gettrace()
        threading.settrace(note)
        sys.settrace(note)
        try:
            return run(stage, context)
        finally:
            sys.settrace(before)
            threading.settrace(before)  # pyright: ignore[reportArgumentType]
            ours = [path for path in map(Path, called) if path.is_relative_to(ROOT)]
            found[stage.name] = {path.relative_to(ROOT).as_posix() for path in ours}

    shutil.copytree(finished_run, tmp_path / "run")
    monkeypatch.setattr(Stage, "run", watch)
    config = Config(data=KIND_NAMES, workers=1)
    process_tour(Tour("short_walk", short_walk, tmp_path / "run"), config, force="sample")
    return found


def test_what_runs_in_a_stage_is_in_its_digest(ran: dict[str, set[str]], subtests: pytest.Subtests):
    tree, modules = CodeTree(ROOT), {stage.name: stage.modules for stage in STAGES}
    left_out = tuple(f"{name.replace('.', '/')}{end}" for name in NOT_FOLLOWED for end in (".py", "/"))
    for stage, files in ran.items():
        followed = {name for name in files if name.startswith(PACKAGES) and not name.startswith(left_out)}
        with subtests.test(stage):
            assert f"{name_module(stage).replace('.', '/')}.py" in followed
            assert not followed - tree.find_reached(*modules[stage])
