"""Tours that lie in a bucket: planned by a look, fetched whole or not at all, and never with a key in any file."""

import json
import shutil

import pytest

from roomtour.batch.plan import plan_tasks
from roomtour.batch.results.objects import fetched
from roomtour.batch.results.s3 import Bucket, Object
from roomtour.cli import main
from roomtour.config import Config
from roomtour.errors import RoomtourError
from roomtour.sources import source_key
from roomtour.store import RunStore
from tests.support.doubles.s3_server import KEYS

pytest.importorskip("obstore", reason="needs the extra s3")
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
    shutil.copy(short_walk, tmp_path / "walk.mp4")
    there, here = (plan_tasks([tmp_path / name], tmp_path, Config(), None)[0] for name in ("tours.txt", "walk.mp4"))
    assert there.tour.key == source_key(short_walk)
    assert (there.key, there.seconds, there.tour.name) == (here.key, here.seconds, "walk")
    assert there.seconds > 10.0


def test_another_version_is_not_mixed_in(bucket, tmp_path):
    address = put(bucket, "a.mp4", b"1" * (9 << 20))
    old = version_of(address)
    source = tmp_path / "a.mp4"
    put(bucket, "a.mp4", b"2" * (9 << 20))
    with pytest.raises(RoomtourError, match="was replaced since the job was planned"), fetched(address, old, source):
        pass
    with pytest.raises(RoomtourError, match="was replaced since the job was planned"):
        Object(address).read(0, 10, old)
    with fetched(address, version_of(address), source):
        assert source.read_bytes() == b"2" * (9 << 20)


def test_one_that_is_not_there_is_refused_by_name(bucket, tmp_path, short_walk, capfd):
    address = put(bucket, "walk.mp4", short_walk.read_bytes())
    rows = [{"source": address, "licence": "CC0-1.0"}, {"source": f"{bucket.address}/none.mp4", "name": "none"}]
    (tmp_path / "tours.jsonl").write_text("\n".join(map(json.dumps, rows)))
    job = tmp_path / "job"
    words = ["batch", "run", str(tmp_path / "tours.jsonl"), "--out", str(job), "--until", "sample"]
    assert main([*words, "--scratch", str(tmp_path / "scratch")]) == 1
    said = capfd.readouterr().out
    assert f"refused: none: {bucket.address}/none.mp4: there is no such object" in said
    run = job / "runs" / "walk"
    manifest = json.loads((run / "manifest.json").read_text())
    assert manifest["source"] == address
    assert manifest["options"]["tour"]["licence"] == "CC0-1.0"
    assert main(["process", str(short_walk), "--out", str(tmp_path / "walk"), "--until", "sample"]) == 0
    keys = [RunStore(one).stages["sample"].outputs["frames"] for one in (run, tmp_path / "walk")]
    assert keys[0] == keys[1]  # as of a copy here
    assert not [path for path in (tmp_path / "scratch").rglob("*.mp4")]
    texts = [path.read_bytes() for path in job.rglob("*") if path.is_file()]
    assert not any(key.encode() in text for key in KEYS.values() for text in texts)
    assert main(words) == 1  # done already: it is not fetched again
    assert "walk: done" not in capfd.readouterr().out
