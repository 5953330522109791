import json
import multiprocessing
import os
import signal
from dataclasses import dataclass, replace

import pytest

from recon.findings import Finding
from roomtour.errors import RoomtourError
from roomtour.store import MANIFEST, RunStore, StageEntry, result_key

ENTRY = StageEntry(
    key="k1",
    seconds=1.5,
    cpu_seconds=2.5,
    finished="2026-01-01T00:00:00+00:00",
    counts={"frames": 3, "scale": "assumed"},
    findings=(Finding("warning", "sample.dark", "tour", "dark"),),
)


@dataclass(frozen=True)
class Options:
    a: int = 1


def commit(store, stage, text, later=()):
    part = store.begin()
    (part / "out").mkdir()
    (part / "out" / "x.txt").write_text(text)
    store.commit(stage, ENTRY, ("out",), later)


def test_a_key_names_stage_version_inputs_and_options():
    base = result_key("sfm", 1, ["a"], Options())
    assert base == result_key("sfm", 1, ["a"], Options())
    others = [
        result_key("merge", 1, ["a"], Options()),
        result_key("sfm", 2, ["a"], Options()),
        result_key("sfm", 1, ["b"], Options()),
        result_key("sfm", 1, ["a"], Options(a=2)),
    ]
    assert len({base, *others}) == 5


def test_a_committed_stage_is_found_again(tmp_path):
    with RunStore(tmp_path / "run").opened() as store:
        commit(store, "sample", "one")
    again = RunStore(tmp_path / "run")
    assert again.stages == {"sample": replace(ENTRY, outputs=again.stages["sample"].outputs)}
    assert again.list_damage("sample", ("out",), by_content=True) == ()
    assert again.is_done("sample", "k1")
    assert not again.is_done("sample", "k2")
    assert (tmp_path / "run" / "out" / "x.txt").read_text() == "one"
    assert not (tmp_path / "run" / ".part").exists()


def test_a_new_result_replaces_the_old_and_forgets_what_rests_on_it(tmp_path):
    with RunStore(tmp_path / "run").opened() as store:
        commit(store, "sample", "one")
        store.stages["clips"] = ENTRY
        commit(store, "sample", "two", later=("clips",))
        assert set(store.stages) == {"sample"}
    assert (tmp_path / "run" / "out" / "x.txt").read_text() == "two"


def test_leftovers_of_a_killed_stage_are_cleared(tmp_path):
    (tmp_path / ".part").mkdir()
    (tmp_path / ".part" / "half").write_text("x")
    with RunStore(tmp_path).opened():
        assert not (tmp_path / ".part").exists()


def test_a_foreign_folder_is_left_alone(tmp_path):
    (tmp_path / "thesis.tex").write_text("mine")
    with pytest.raises(RoomtourError, match=r"thesis\.tex"), RunStore(tmp_path).opened():
        pass
    assert [entry.name for entry in tmp_path.iterdir()] == ["thesis.tex"]


def test_a_file_as_run_folder_is_one_line(tmp_path):
    (tmp_path / "run").write_text("")
    with pytest.raises(RoomtourError, match="is a file"), RunStore(tmp_path / "run").opened():
        pass


def test_a_manifest_of_another_format_is_refused(tmp_path):
    (tmp_path / MANIFEST).write_text(json.dumps({"format": 99}))
    with pytest.raises(RoomtourError, match="format 99"):
        RunStore(tmp_path)


def test_a_broken_manifest_is_one_line(tmp_path):
    (tmp_path / MANIFEST).write_text("{")
    with pytest.raises(RoomtourError, match="not valid JSON"):
        RunStore(tmp_path)


def _hold(root, ready):
    with RunStore(root).opened():
        ready.set()
        signal.pause()


@pytest.mark.posix
def test_two_processes_cannot_write_one_run_and_a_killed_one_frees_it(tmp_path):
    context = multiprocessing.get_context("spawn")
    ready = context.Event()
    other = context.Process(target=_hold, args=(tmp_path / "run", ready), daemon=True)
    other.start()
    assert ready.wait(60)
    assert other.pid is not None
    with (
        pytest.raises(RoomtourError, match=rf"another process \({other.pid} on .+\) is working"),
        RunStore(tmp_path / "run").opened(),
    ):
        pass
    os.kill(other.pid, signal.SIGKILL)
    other.join()
    with RunStore(tmp_path / "run").opened():
        pass
    assert not (tmp_path / "run" / ".holder").exists()
