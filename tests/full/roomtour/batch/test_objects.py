"""Tours that lie in a bucket: planned by a look, fetched whole or not at all, and never with a key in any file."""

from __future__ import annotations

import json
import os
import shutil
import signal
import time
from dataclasses import replace
from pathlib import Path

import pytest

from roomtour.batch import staged
from roomtour.batch.objects import fetched, look_at_objects
from roomtour.batch.plan import need_of, plan_tasks
from roomtour.batch.records import Attempt, Phase
from roomtour.batch.s3 import Bucket, Object
from roomtour.batch.storage import FolderStorage
from roomtour.cli import main
from roomtour.config import Config
from roomtour.errors import RoomtourError
from roomtour.sources import plan_tours, source_key
from roomtour.store import RunStore
from tests.support.doubles.s3_server import KEYS

pytest.importorskip("boto3", reason="needs the extra s3")
pytest.importorskip("flask", reason="needs moto[server]")
pytestmark = pytest.mark.posix


@pytest.fixture
def bucket(server, request) -> Bucket:
    return Bucket(f"s3://tours/{abs(hash(request.node.nodeid)):x}")


def put(bucket: Bucket, name: str, content: bytes) -> str:
    bucket.replace(name, content)
    return f"{bucket.address}/{name}"


def version_of(address: str) -> str:
    facts = Object(address).look()
    assert facts is not None
    return facts.etag


def test_a_tour_there_has_the_key_and_the_length_of_a_copy_here(bucket, short_walk, tmp_path):
    address = put(bucket, "walk.mp4", short_walk.read_bytes())
    (tmp_path / "tours.txt").write_text(address)
    there, here = (
        plan_tasks([tmp_path / "tours.txt"], tmp_path, Config(), None),
        plan_tasks([short_walk, tmp_path / "tours.txt"], tmp_path, Config(), None),
    )
    copy = next(task for task in here if not task.tour.address)
    assert there[0].tour.key == source_key(short_walk)
    assert there[0].seconds == copy.seconds > 10.0
    assert there[0].tour.name == "walk"
    named = tmp_path / "walk.mp4"
    shutil.copy(short_walk, named)
    assert plan_tasks([named], tmp_path, Config(), None)[0].key == there[0].key


def test_what_was_fetched_in_part_goes_on_where_it_stopped(bucket, tmp_path, monkeypatch):
    content = os.urandom((20 << 20) + 5)
    address = put(bucket, "long.mp4", content)
    source, version = tmp_path / "long.mp4", version_of(address)
    read, asked = Object.read, []

    def break_off(self: Object, start: int, count: int, etag: str) -> bytes:
        asked.append(start)
        if len(asked) == 2:
            raise OSError("connection reset")
        return read(self, start, count, etag)

    monkeypatch.setattr(Object, "read", break_off)
    with pytest.raises(OSError, match="connection reset"), fetched(address, version, source):
        pass
    assert not source.exists()
    with fetched(address, version, source):
        assert source.read_bytes() == content
    assert asked == [0, 8 << 20, 8 << 20, 16 << 20]  # the first eight MiB once
    assert not source.exists()
    assert [path.name for path in tmp_path.iterdir()] == [".long.mp4.lock"]


def test_another_version_is_not_mixed_in(bucket, tmp_path):
    address = put(bucket, "a.mp4", b"1" * (9 << 20))
    old = version_of(address)
    source = tmp_path / "a.mp4"
    (tmp_path / ".a.mp4.part").write_bytes(b"1" * 100)
    (tmp_path / ".a.mp4.part.json").write_text(json.dumps({"version": old}))
    put(bucket, "a.mp4", b"2" * (9 << 20))
    with pytest.raises(RoomtourError, match="was replaced since the job was planned"), fetched(address, old, source):
        pass
    with pytest.raises(RoomtourError, match="was replaced since the job was planned"):
        Object(address).read(0, 10, old)
    with fetched(address, version_of(address), source):
        assert source.read_bytes() == b"2" * (9 << 20)


def test_damage_on_the_way_is_found(bucket, tmp_path, monkeypatch):
    address = put(bucket, "a.mp4", b"x" * 1000)
    source, version = tmp_path / "a.mp4", version_of(address)
    read = Object.read
    monkeypatch.setattr(Object, "read", lambda *words: read(*words).replace(b"x", b"y", 1))
    with pytest.raises(OSError, match="not what is there"), fetched(address, version, source):
        pass
    monkeypatch.undo()
    with fetched(address, version, source):
        assert source.read_bytes() == b"x" * 1000


def test_one_that_is_not_there_is_refused_by_name(bucket, tmp_path, short_walk, capfd):
    address = put(bucket, "walk.mp4", short_walk.read_bytes())
    rows = [{"source": address, "licence": "CC0-1.0"}, {"source": f"{bucket.address}/none.mp4", "name": "none"}]
    (tmp_path / "tours.jsonl").write_text("\n".join(map(json.dumps, rows)))
    job = tmp_path / "job"
    words = ["batch", "run", str(tmp_path / "tours.jsonl"), "--out", str(job), "--until", "clips"]
    assert main([*words, "--scratch", str(tmp_path / "scratch")]) == 1
    said = capfd.readouterr().out
    assert f"refused: none: {bucket.address}/none.mp4: there is no such object" in said
    run = job / "runs" / "walk"
    manifest = json.loads((run / "manifest.json").read_text())
    assert manifest["source"] == address
    assert manifest["options"]["tour"]["licence"] == "CC0-1.0"
    assert main(["process", str(short_walk), "--out", str(tmp_path / "walk"), "--until", "clips"]) == 0
    keys = [RunStore(one).stages["clips"].outputs for one in (run, tmp_path / "walk")]
    assert keys[0] == keys[1]  # as of a copy here
    assert not [path for path in (tmp_path / "scratch").rglob("*.mp4")]
    texts = [path.read_bytes() for path in job.rglob("*") if path.is_file()]
    assert not any(key.encode() in text for key in KEYS.values() for text in texts)
    assert main(words) == 1  # done already: it is not fetched again
    assert "walk: done" not in capfd.readouterr().out


def test_an_attempt_whose_tour_does_not_come_is_made_again(bucket, tmp_path, short_walk, monkeypatch):
    """Of a server that is away for a moment, no tour is at fault."""
    from roomtour.batch.phase import run_phase

    address = put(bucket, "walk.mp4", short_walk.read_bytes())
    monkeypatch.setattr(Object, "read", lambda *words: (_ for _ in ()).throw(OSError("connection reset")))
    spec = {
        "tour": "walk",
        "source": str(tmp_path / "walk.mp4"),
        "address": address,
        "version": version_of(address),
        "source_key": "k",
        "fetches": True,
        "helpers": None,
        "run": str(tmp_path / "run"),
        "facts": {},
        "progress": str(tmp_path / "progress.json"),
    }
    outcome = run_phase(spec)
    assert outcome.state == "lost"
    assert "cannot be fetched: connection reset" in outcome.reason


@pytest.mark.parametrize(
    ("source", "told"),
    [
        ("s3://user:secret@tours/x.mp4", "keys belong into the environment"),
        ("s3://tours/x.mp4?AWSAccessKeyId=secret", "keys belong into the environment"),
        ("s3://tours", "need s3://BUCKET/KEY"),
        ("s3://nobody/x.mp4", "there is no such object"),
    ],
)
def test_a_wrong_address_is_one_line_without_secrets(server, source, told, tmp_path, capfd):
    (tmp_path / "tours.txt").write_text(source)
    assert main(["batch", "run", str(tmp_path / "tours.txt"), "--out", str(tmp_path / "job")]) == 1
    said = "".join(capfd.readouterr())
    assert told in said
    assert "secret" not in said


def test_many_tours_in_a_bucket_are_told_apart_by_where_they_are(tmp_path):
    addresses = [f"s3://tours/{number}/x.mp4" for number in range(2000)]
    (tmp_path / "tours.txt").write_text("\n".join(addresses))
    tours = plan_tours([tmp_path / "tours.txt"], tmp_path / "runs", fetches=True)
    assert len({tour.name for tour in tours}) == len(addresses)
    (tmp_path / "twice.txt").write_text("s3://tours/y/x.mp4\ns3://tours/y/x.mp4")
    with pytest.raises(RoomtourError, match=r"^s3://tours/y/x\.mp4 and s3://tours/y/x\.mp4 would both be run"):
        plan_tours([tmp_path / "twice.txt"], tmp_path / "runs", fetches=True)


def test_all_objects_of_a_process_share_a_client(bucket):
    assert Object(f"{bucket.address}/a")._client is Object(f"{bucket.address}/b")._client is bucket._client


def test_tours_on_scratch_lie_apart_and_are_read_by_their_user_alone(tmp_path):
    from roomtour.batch.staged import _place_source

    spec = {"tour": "a", "address": "s3://tours/x/video.mp4", "source": "video.mp4"}
    first, second = (Path(_place_source({**spec, "tour": tour}, tmp_path)) for tour in "ab")
    assert first.name == second.name == "video.mp4"
    assert first.parent != second.parent
    assert first.parent.parent == second.parent.parent == tmp_path / f"roomtour-sources-{os.getuid()}"
    assert first.parent.parent.stat().st_mode & 0o777 == 0o700


@pytest.mark.parametrize("is_dangling", [False, True])
def test_a_link_that_somebody_left_on_a_shared_scratch_is_not_followed(is_dangling, tmp_path):
    old, scratch = tmp_path / "home" / "old", tmp_path / "scratch"
    scratch.mkdir()
    if not is_dangling:
        old.mkdir(parents=True)
        os.utime(old, (time.time() - 90_000, time.time() - 90_000))
    (scratch / f"roomtour-sources-{os.getuid()}").symlink_to(old.parent)
    with pytest.raises(RoomtourError, match=r"is a link; name another --scratch$"):
        staged._place_source({"tour": "a", "address": "s3://tours/x.mp4", "source": "x.mp4"}, scratch)
    assert old.exists() is not is_dangling


def test_a_folder_of_another_user_on_a_shared_scratch_is_refused(tmp_path, monkeypatch):
    (tmp_path / staged._SOURCES).mkdir()
    mine = os.getuid()
    monkeypatch.setattr(os, "getuid", lambda: mine + 1)
    with pytest.raises(RoomtourError, match="belongs to somebody else"):
        staged._place_source({"tour": "a", "address": "s3://tours/x.mp4", "source": "x.mp4"}, tmp_path)


def test_a_crash_leaves_the_file_of_an_attempt_that_waited_for_it(tmp_path):
    from filelock import FileLock

    source = tmp_path / "x.mp4"
    source.write_bytes(b"of another attempt")
    with FileLock(tmp_path / ".x.mp4.lock"):
        staged._remove_fetched(source)
    assert source.exists()
    staged._remove_fetched(source)
    assert not source.exists()


def test_halves_of_tours_that_nobody_fetches_any_more_go_after_a_day(tmp_path):
    from filelock import FileLock

    from roomtour.batch.staged import _place_source

    sources = tmp_path / f"roomtour-sources-{os.getuid()}"
    age_s = {"given-up": 90_000, "lately": 80_000, "at-work": 90_000}
    for name, age in age_s.items():
        (sources / name).mkdir(parents=True)
        half, lock = sources / name / ".x.mp4.part", sources / name / ".x.mp4.lock"
        half.write_bytes(b"half")
        lock.touch()
        for path in (half, lock, sources / name):
            os.utime(path, (time.time() - age, time.time() - age))
    with FileLock(sources / "at-work" / ".x.mp4.lock"):
        os.utime(sources / "at-work" / ".x.mp4.lock", (time.time() - 90_000, time.time() - 90_000))
        _place_source({"tour": "a", "address": "s3://tours/x.mp4", "source": "x.mp4"}, tmp_path)
    assert sorted(path.name for path in sources.iterdir()) == ["at-work", "lately"]


def test_what_was_fetched_of_a_tour_beside_the_attempts_goes_with_them(tmp_path, short_walk):
    (local,) = plan_tasks([short_walk], tmp_path, Config(), None)
    task = replace(local, tour=replace(local.tour, address="s3://tours/short_walk.mp4"))
    storage = FolderStorage(tmp_path)
    attempt = Attempt(task, 1, storage.place("short_walk", 1), tmp_path / "1.log", need_of(task), Phase("all", None))
    halves = [tmp_path / ".fetched" / name / ".x.mp4.part" for name in ("short_walk", "other", "third")]
    for half in halves:
        half.parent.mkdir(parents=True)
        half.write_bytes(b"half")
    storage.remove_lost(replace(attempt, task=local))  # nothing was fetched of it: whatever lies there is not ours
    assert all(half.exists() for half in halves)
    storage.remove_lost(attempt)
    assert [half.exists() for half in halves] == [False, True, True]
    assert storage.forget("other") == [str(halves[1].parent)]
    assert [half.exists() for half in halves] == [False, False, True]


def test_a_crash_leaves_no_fetched_tour_on_scratch(bucket, tmp_path, short_walk, monkeypatch):
    address = put(bucket, "walk.mp4", short_walk.read_bytes())
    falls = (
        "import json, os, signal, sys; from pathlib import Path; spec = json.load(open(sys.argv[1])); "
        "at = Path(spec['source']); at.parent.mkdir(parents=True); at.write_bytes(b'whole'); "
        "at.with_name('half.part').write_bytes(b'half'); os.kill(os.getpid(), signal.SIGSEGV)"
    )
    ends = []
    monkeypatch.setattr(staged, "CHILD", ("-c", falls))
    monkeypatch.setattr(staged, "_die_by", ends.append)
    spec = {"tour": "walk", "address": address, "source": "walk.mp4", "fetches": True, "attempt": 1}
    staged.work_away(
        {
            **spec,
            "run": str(tmp_path / "attempt"),
            "outcome": str(tmp_path / "outcome.json"),
            "storage": None,
            "scratch": str(tmp_path / "scratch"),
        }
    )
    assert ends == [signal.SIGSEGV]
    left = [path.name for path in (tmp_path / "scratch").rglob("*") if path.is_file()]
    assert sorted(left) == [".walk.mp4.lock", "half.part"]


def test_only_a_job_fetches(tmp_path):
    (tmp_path / "tours.txt").write_text("s3://tours/x.mp4\ns3://tours/y/x.mp4")
    with pytest.raises(RoomtourError, match="only roomtour batch run fetches"):
        plan_tours([tmp_path / "tours.txt"], tmp_path / "runs")
    both = plan_tours([tmp_path / "tours.txt"], tmp_path / "runs", fetches=True)
    assert len({tour.name for tour in both}) == 2
    assert plan_tours([Path("s3://tours/x.mp4")], tmp_path / "runs", fetches=True)[0].address == "s3://tours/x.mp4"
    assert look_at_objects([]) == {}
