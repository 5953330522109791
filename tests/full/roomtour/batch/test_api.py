"""Jobs from Python."""

from __future__ import annotations

from pathlib import Path

import pytest

from roomtour.batch.api import plan, run, status
from roomtour.batch.driver import JobOptions
from roomtour.batch.local import LocalEngine
from roomtour.batch.records import LedgerRow


@pytest.mark.posix
def test_a_job_is_planned_run_and_told(short_walk, tmp_path):
    (tmp_path / "broken.mp4").write_bytes(b"no video")
    (tmp_path / "tours.txt").write_text(f"{Path(short_walk).absolute()}\nbroken.mp4\n")
    job, options, told = tmp_path / "job", JobOptions(until="sample"), list[LedgerRow]()
    before = plan([tmp_path / "tours.txt"], job, options=options)
    assert (before.tours, before.done, before.unknown_lengths) == (2, 0, 1)
    engine = LocalEngine(2, 4000.0, 600.0)
    done = run([tmp_path / "tours.txt"], job, engine=engine, options=options, observer=told.append)
    assert done.states == {"done": 1, "refused": 1} == status(job).states
    assert sorted(row.state for row in told) == ["done", "refused"]
    assert plan([tmp_path / "tours.txt"], job, options=options).done == 1
