import errno
import json
from contextlib import ExitStack, nullcontext, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from types import SimpleNamespace

import pytest

from recon.findings import Finding
from roomtour.errors import DiskFullError, RoomtourError
from roomtour.files.disk import disk_full_as_error, require_room
from roomtour.store import MANIFEST, RunStore, StageEntry, Stretches, result_key

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


def test_a_key_names_stage_code_inputs_and_options():
    base = result_key("sfm", "c0de", ["a"], Options())
    assert base == result_key("sfm", "c0de", ["a"], Options())
    others = [
        result_key("merge", "c0de", ["a"], Options()),
        result_key("sfm", "0the", ["a"], Options()),
        result_key("sfm", "c0de", ["b"], Options()),
        result_key("sfm", "c0de", ["a"], Options(a=2)),
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


def test_a_stretch_that_was_found_is_kept_and_lets_all_run_again(tmp_path):
    with RunStore(tmp_path / "run").opened() as store:
        assert store.find_stretch() == 1.0
        commit(store, "sample", "squeezed")
        for factor in (4 / 3, 16 / 9):
            store.stretch_pictures("k1", factor)
    again = RunStore(tmp_path / "run")
    assert (again.stages, again.find_stretch()) == ({}, 16 / 9)
    assert again.stretches == Stretches("k1", (4 / 3, 16 / 9))


def test_a_new_result_replaces_the_old_and_forgets_what_rests_on_it(tmp_path):
    with RunStore(tmp_path / "run").opened() as store:
        commit(store, "sample", "one")
        store.stages["clips"] = ENTRY
        commit(store, "sample", "two", later=("clips",))
        assert set(store.stages) == {"sample"}
    assert (tmp_path / "run" / "out" / "x.txt").read_text() == "two"


def test_what_a_stage_fills_in_place_is_compared_and_removed_where_it_is_damaged(tmp_path):
    with RunStore(tmp_path).opened() as store:
        for name in ("good", "bad"):
            (tmp_path / "cache" / name).mkdir(parents=True)
            (tmp_path / "cache" / name / "1.json").write_text("one")
        (store.begin() / "index.json").write_text("{}")
        store.commit("vision", ENTRY, ("index.json",), (), ("cache/good", "cache/bad"))
        assert store.list_damage("vision", ("index.json",), by_content=True) == ()
        for name in ("index.json", "cache/bad/1.json"):
            (tmp_path / name).write_text("xx" if name == "index.json" else "two")
        assert len(store.list_damage("vision", ("index.json",), by_content=True)) == 2
        store.remove_damaged("vision", ("index.json",), by_content=True)
    assert {path.name for path in (tmp_path / "cache").iterdir()} == {"good"}
    assert (tmp_path / "index.json").exists()


def test_a_manifest_names_nothing_outside_its_folder(subtests, tmp_path):
    with RunStore(tmp_path / "run").opened() as store:
        commit(store, "sample", "one")
    text = (tmp_path / "run" / MANIFEST).read_text()
    for name in ("../out", str(tmp_path)):
        with subtests.test(name):
            (tmp_path / "run" / MANIFEST).write_text(text.replace('"out"', json.dumps(name)))
            with pytest.raises(RoomtourError, match="outside the run folder"):
                RunStore(tmp_path / "run")


@pytest.mark.posix
def test_a_result_replaces_what_is_in_its_way(tmp_path, subtests):
    """A file, a link to nothing or a loop of links, in place of the result or of a folder above it."""
    for leads_to in ("a", "nowhere", None):
        for at in ("a", "a/b", "a/b/out"):
            with (
                subtests.test(leads_to=leads_to, at=at),
                RunStore(tmp_path / f"{leads_to}{at}" / "run").opened() as store,
            ):
                way = store.root / at
                way.parent.mkdir(parents=True, exist_ok=True)
                way.write_text("") if leads_to is None else way.symlink_to(way if leads_to == "a" else leads_to)
                (store.begin() / "a" / "b").mkdir(parents=True)
                (store.part / "a" / "b" / "out").write_text("new")
                store.commit("sample", ENTRY, ("a/b/out",), ())
                assert (store.root / "a" / "b" / "out").read_text() == "new"


def test_what_is_no_run_folder_is_left_alone(tmp_path):
    (tmp_path / "thesis.tex").write_text("mine")
    with pytest.raises(RoomtourError, match=r"thesis\.tex"), RunStore(tmp_path).opened():
        pass
    assert [entry.name for entry in tmp_path.iterdir()] == ["thesis.tex"]
    with pytest.raises(RoomtourError, match="is a file"), RunStore(tmp_path / "thesis.tex").opened():
        pass
    for text, said in ((json.dumps({"format": 99}), "format 99"), ("{", "not valid JSON")):
        (tmp_path / MANIFEST).write_text(text)
        with pytest.raises(RoomtourError, match=said):
            RunStore(tmp_path)


def test_a_stage_that_left_less_than_it_has_to_changes_nothing(tmp_path):
    with RunStore(tmp_path).opened() as store:
        commit(store, "sample", "one")
        store.begin()
        with pytest.raises(RoomtourError, match="stage sample left no out"):
            store.commit("sample", replace(ENTRY, key="k2"), ("out",), ())
    assert (tmp_path / "out" / "x.txt").read_text() == "one"
    assert RunStore(tmp_path).is_done("sample", "k1")


@pytest.fixture
def two_writers(tmp_path, monkeypatch):
    """Two open stores of one folder, as after a lock that a network file system lost."""

    class LostLock(ExitStack):
        def acquire(self, blocking: bool) -> ExitStack:
            return self

    monkeypatch.setattr("roomtour.store.FileLock", lambda path: LostLock())
    with ExitStack() as stack:
        frozen = stack.enter_context(RunStore(tmp_path).opened())
        commit(frozen, "sample", "one")
        frozen.begin()
        (frozen.part / "out").mkdir()
        (frozen.part / "out" / "x.txt").write_text("half")
        yield frozen, stack.enter_context(RunStore(tmp_path).opened())


def test_a_writer_that_wakes_up_neither_writes_in_the_others_folder_nor_takes_its_half(two_writers, tmp_path):
    frozen, other = two_writers
    other.begin()
    (other.part / "out").mkdir()
    (other.part / "out" / "x.txt").write_text("of the other, half")
    with pytest.raises(FileNotFoundError):
        (frozen.part / "out" / "x.txt").write_text("late")
    with pytest.raises(RoomtourError, match="left no out"):
        frozen.commit("sample", ENTRY, ("out",), ())
    assert (other.part / "out" / "x.txt").read_text() == "of the other, half"


def test_a_writer_that_wakes_up_does_not_take_back_the_manifest(two_writers, tmp_path):
    frozen, other = two_writers
    commit(other, "clips", "two")
    frozen.begin()
    (frozen.part / "out").mkdir()
    for act in (lambda: frozen.commit("sample", ENTRY, ("out",), ("clips",)), lambda: frozen.forget(["sample"])):
        with pytest.raises(RoomtourError, match="another process has written manifest"):
            act()
    again = RunStore(tmp_path)
    assert set(again.stages) == {"sample", "clips"}
    assert (tmp_path / "out" / "x.txt").read_text() == "two"


@pytest.mark.parametrize("fails_at", [0, 1, 2, 3, 4])
def test_a_commit_that_is_killed_at_any_step_leaves_the_rule(fails_at, tmp_path, monkeypatch):
    """What the manifest calls done is complete, whichever rename was the last."""

    class Killed(BaseException):
        pass

    with RunStore(tmp_path).opened() as store:
        commit(store, "sample", "one")
    done, rename = [], Path.replace

    def replace_some(self, target):
        if len(done) == fails_at:
            raise Killed
        done.append(target)
        return rename(self, target)

    with RunStore(tmp_path).opened() as store:
        store.begin()
        (store.part / "out").mkdir()
        (store.part / "out" / "x.txt").write_text("longer than one")
        monkeypatch.setattr(Path, "replace", replace_some)
        with suppress(Killed):  # the last of them is all that there are
            store.commit("sample", replace(ENTRY, key="k2"), ("out",), ())
    assert len(done) == fails_at
    monkeypatch.undo()
    again = RunStore(tmp_path)
    if "sample" in again.stages:
        assert again.list_damage("sample", ("out",), by_content=True) == ()
    with again.opened() as store:
        commit(store, "sample", "three")
    assert (tmp_path / "out" / "x.txt").read_text() == "three"


def test_a_disk_is_full_below_its_bar_however_a_library_reports_it(tmp_path, monkeypatch):
    for free, is_full in ((256 << 10, False), ((256 << 10) - 1, True)):
        disk = {tmp_path: SimpleNamespace(free=free)}  # that of the folder that is there
        monkeypatch.setattr("shutil.disk_usage", disk.__getitem__)
        with pytest.raises(DiskFullError, match=r"disk is full \(0\.3 MB free\)") if is_full else nullcontext():
            require_room(tmp_path / "new" / "run")
        with pytest.raises(DiskFullError if is_full else RuntimeError), disk_full_as_error(tmp_path):
            raise RuntimeError("SQLite")
        for code, kind in ((errno.ENOSPC, DiskFullError), (errno.EDQUOT, DiskFullError), (errno.EACCES, OSError)):
            with pytest.raises(kind), disk_full_as_error(tmp_path):
                raise OSError(code, "no")
    with pytest.raises(DiskFullError, match="up to 1 MB needed now"):
        require_room(tmp_path, 1_000_000)
