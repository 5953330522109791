"""Results in a bucket: whole or not there, whoever dies when; against moto's server in a process of its own."""

import os
import re
import signal
from collections.abc import Sequence
from pathlib import Path

import pytest

from roomtour.batch.again import forget_tour, rebuild_ledger
from roomtour.batch.driver import Job
from roomtour.batch.job_options import JobOptions
from roomtour.batch.ledger import LEDGER, read_rows
from roomtour.batch.records import Attempt, Ended, JobStatus, Need
from roomtour.batch.results.mirror import ObjectMirror
from roomtour.batch.results.object_storage import ObjectStorage
from roomtour.batch.results.s3 import Bucket
from roomtour.cli import main
from roomtour.config import Config
from roomtour.errors import RoomtourError
from roomtour.files.fingerprint import fingerprint
from roomtour.store import RunStore, StageEntry
from tests.support.doubles.s3_server import KEYS
from tests.support.doubles.stub_jobs import StubEngine, make_tasks
from tests.support.doubles.stub_tours import STAGES, make_stub

pytest.importorskip("obstore", reason="needs the extra s3")
pytest.importorskip("flask", reason="needs moto[server]")
pytestmark = pytest.mark.posix


@pytest.fixture
def address(server, request) -> str:
    return f"s3://tours/{abs(hash(request.node.nodeid)):x}"


def run_job(job: Path, names: Sequence[str], address: str | None, programs: dict[str, str], **more) -> JobStatus:
    engine = StubEngine({name: programs.get(name, make_stub()) for name in names}, slots=3, memory_mb=6000.0)
    options = JobOptions(memory_mb=900.0, storage=address, scratch=str(job.with_name("scratch")), **more)
    return Job(job, make_tasks(job, names), Config(), options, engine).run()


def keys_of(address: str) -> list[str]:
    return Bucket(address).list_keys("")


def test_an_object_is_made_once_and_replaced_only_by_who_knows_it(address):
    bucket = Bucket(address)
    assert bucket.put_new("a", b"one")
    assert not bucket.put_new("a", b"two")
    found = bucket.read("a")
    assert found is not None
    assert found.body == b"one"
    newer = bucket.replace("a", b"three", found.etag)
    assert newer is not None
    assert bucket.replace("a", b"four", found.etag) is None
    assert bucket.read("nothing") is None
    bucket.delete(["a", "nothing"])
    assert bucket.list_keys("") == []


def test_a_large_file_goes_in_parts(address, tmp_path):
    bucket, large = Bucket(address), tmp_path / "large"
    large.write_bytes(os.urandom((11 << 20) + 7))
    bucket.send(large, "t/1/large.tar")
    bucket.fetch("t/1/large.tar", tmp_path / "back")
    assert (tmp_path / "back").read_bytes() == large.read_bytes()
    assert bucket.list_keys("t/") == ["t/1/large.tar"]


def test_a_job_leaves_one_index_per_tour_and_the_archives_that_it_names_and_no_key(address, tmp_path):
    job = tmp_path / "job"
    late = make_stub().replace("_PUSH_EVERY_S = 0.1", "_PUSH_EVERY_S = 600.0")  # all stages go together, at the end
    status = run_job(job, ["a", "b"], address, dict.fromkeys("ab", late))
    assert status.states == {"done": 2}
    assert not (job / "runs").exists()
    assert not list((tmp_path / "scratch").iterdir())
    assert [re.sub("-[0-9a-f]{16}[.]", ".", key) for key in keys_of(address)] == [
        f"{name}/{end}" for name in "ab" for end in ("1/clips.tar", "1/rest.tar", "manifest.json")
    ]
    assert main(["fetch", str(job), "a"]) == 0
    run = job / "runs" / "a"
    assert (run / "clips.json").read_text() == "a clips clips.json 1"
    assert (run / "log.jsonl").read_text() == "one line"
    store = RunStore(run)
    assert not any(store.list_damage(stage, outputs, by_content=True) for stage, outputs in STAGES)
    again = run_job(job, ["a", "b"], address, {"a": "raise SystemExit(9)", "b": "raise SystemExit(9)"})
    assert again.states == {"done": 2}  # nothing was started
    texts = [path.read_bytes() for path in job.rglob("*") if path.is_file()]
    texts += [found.body for key in keys_of(address) if (found := Bucket(address).read(key))]
    assert not any(key.encode() in text for key in KEYS.values() for text in texts)
    forget_tour(job, "a", address)
    assert {key.split("/")[0] for key in keys_of(address)} == {"b"}


PAYS = """
        if stage == 'clips' and spec['attempt'] == 1:
            (run / 'replies' / 'ab').mkdir(parents=True)
            (run / 'replies' / 'ab' / 'abc.json').write_text('paid')
            time.sleep(600)
"""
"""A child that asks a language server for long: what it got is sent in between."""


@pytest.mark.parametrize("bucket", [True, False])
def test_a_killed_machine_loses_neither_finished_stages_nor_replies_that_were_paid_for(bucket, address, tmp_path):
    """The child and whoever sends its results are killed in the middle; what was sent is gone on with."""
    job, scratch = tmp_path / "job", tmp_path / "scratch"

    class Killing(StubEngine):
        """Kills a first attempt, and what sends its results, as soon as it has sent its replies."""

        def wait(self, timeout_s: float) -> list[Ended]:
            for child in self._children:
                if child.attempt.number == 1 and self.has_sent(child.attempt.folder):
                    os.killpg(child.process.pid, signal.SIGKILL)
            return super().wait(0.3)

        def has_sent(self, folder: Path) -> bool:
            if bucket:
                index = Bucket(address).read("a/1/attempt.json")
                return index is not None and b"/sample-" in index.body and b"/rest-" in index.body
            return (folder / "replies" / "ab" / "abc.json").is_file()

    program = make_stub(0.2, PAYS).replace("staged._PUSH_EVERY_S", "staged._PUSH_REST_EVERY_S = staged._PUSH_EVERY_S")
    engine = Killing({"a": program}, slots=1, memory_mb=6000.0)
    options = JobOptions(memory_mb=900.0, storage=address if bucket else None, scratch=str(scratch))
    assert Job(job, make_tasks(job, ["a"]), Config(), options, engine).run().states == {"done": 1}
    if bucket:
        assert main(["fetch", str(job), "a"]) == 0
    run = job / "runs" / "a"
    assert (run / "mask.png").read_text() == "a sample mask.png 1"
    assert (run / "clips.json").read_text().startswith("a clips clips.json")
    assert (run / "replies" / "ab" / "abc.json").read_text() == "paid"
    assert not list(scratch.iterdir())
    if bucket:
        assert all(key.startswith("a/") for key in keys_of(address))
        assert "a/manifest.json" in keys_of(address)


def test_two_drivers_do_not_share_a_bucket(address, tmp_path):
    first, second = (ObjectStorage(address, tmp_path / name) for name in "xy")
    first.hold()
    with pytest.raises(RoomtourError, match="another process runs this job"):
        second.hold()
    first._told = 0.0
    first.require_hold()
    first.release()
    assert not second.hold()
    assert Bucket(address).replace("driver.json", b"a third that found the second stale")
    second.require_hold()  # its sign is young yet
    second._told = 0.0
    with pytest.raises(RoomtourError, match="another driver took this job over"):
        second.require_hold()


def test_a_frozen_writer_harms_nothing(address, tmp_path):
    """Attempt 1 wakes up when attempt 2 has begun with what it had sent, and even after the result was published."""
    storage = ObjectStorage(address, tmp_path / "job")
    task = make_tasks(tmp_path / "job", ["a"])[0]
    attempts = [Attempt(task, n, tmp_path / f"a.{n}", tmp_path / f"{n}.log", Need(10.0, 900.0)) for n in (1, 2, 3)]
    runs = [tmp_path / f"run{n}" for n in (1, 2, 3)]
    mirrors = [ObjectMirror(Bucket(address), "a", n, tmp_path) for n in (1, 2, 3)]
    finish(runs[0], "sample", "first")
    mirrors[0].push(runs[0], with_rest=False)
    storage.take_over(attempts[1], is_gone=False)
    finish(runs[0], "sample", "first again", key="other")  # it goes on, and makes its first stage anew
    mirrors[0].push(runs[0], with_rest=True)
    mirrors[1].fetch(runs[1])
    assert (runs[1] / "mask.png").read_text() == "first"
    finish(runs[1], "clips", "second")
    mirrors[1].push(runs[1], with_rest=True)
    storage.publish(attempts[1])
    finish(runs[0], "clips", "first")
    mirrors[0].push(runs[0], with_rest=True)
    storage.remove_lost(attempts[1])
    mirrors[0].push(finish(runs[0], "clips", "first, once more", key="late"), with_rest=True)
    storage.fetch("a", tmp_path / "result")
    texts = [(tmp_path / "result" / name).read_text() for name in ("mask.png", "clips.json")]
    assert texts == ["first", "second"]
    storage.take_over(attempts[2], is_gone=False)  # other options, say: it begins with the result
    mirrors[2].fetch(runs[2])
    assert (runs[2] / "clips.json").read_text() == "second"


def test_a_wrong_address_is_one_line_without_secrets(subtests, server, short_walk, tmp_path, capfd):
    for address, told in (
        ("s3://user:secret@tours/x", "keys belong into the environment"),
        ("s3://tours/x?AWSAccessKeyId=secret", "keys belong into the environment"),
        ("s3://tours", "need s3://BUCKET/PREFIX"),
        ("gs://tours/x", "need s3://BUCKET/PREFIX"),
        ("s3:/tours/x", "need s3://BUCKET/PREFIX"),
        ("s3://nobody/x", "NoSuchBucket"),
    ):
        with subtests.test(address):
            words = ["batch", "run", str(short_walk), "--out", str(tmp_path / "job"), "--storage", address]
            assert main(words) == 1
            said = capfd.readouterr().err
            assert told in said
            assert "secret" not in said
            assert said.count("\n") == 1


def test_a_real_tour_goes_through_a_bucket_and_a_lost_ledger_is_rebuilt(address, short_walk, tmp_path, capfd):
    job, local = tmp_path / "job", tmp_path / "local"
    command = ["batch", "run", str(short_walk), "--until", "clips", "--out"]
    assert main([*command, str(job), "--storage", address, "--scratch", str(tmp_path / "scratch")]) == 0
    assert main([*command, str(local)]) == 0
    assert main(["fetch", str(job), short_walk.stem]) == 0
    here, there = (path / "runs" / short_walk.stem for path in (job, local))
    for name in ("frames", "mask.png", "clips.json"):
        assert fingerprint(here / name) == fingerprint(there / name)
    (job / LEDGER).unlink()
    (local / LEDGER).unlink()
    for folder in (job, local):
        capfd.readouterr()
        assert main(["batch", "status", str(folder), "--rebuild"]) == 0
        assert "1 done" in capfd.readouterr().out
        assert rebuild_ledger(folder) == []
    attempt = read_rows(job)[-1].attempt
    assert main([*command, str(job), "--storage", address]) == 0
    assert read_rows(job)[-1].attempt == attempt  # nothing was started


def finish(run: Path, stage: str, text: str, key: str = "k") -> Path:
    outputs = dict(STAGES)[stage]
    with RunStore(run).opened() as store:
        part = store.begin()
        for output in outputs:
            (part / output).write_text(text)
        store.commit(stage, StageEntry(key, 0.0, 0.0, ""), outputs, ())
    return run
