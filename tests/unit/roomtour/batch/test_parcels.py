"""Archives in which stages travel: none of them writes outside of the run that it is unpacked into."""

import tarfile

import pytest

from roomtour.batch.results.parcels import pack, unpack
from roomtour.errors import RoomtourError
from roomtour.progress import EventFile, Observer, replay_events

pytestmark = pytest.mark.posix


def test_an_archive_writes_nothing_outside(tmp_path):
    with tarfile.open(tmp_path / "evil.tar", "w") as archive:
        archive.add(__file__, "../outside.txt")
    with pytest.raises(RoomtourError, match="cannot be unpacked"):
        unpack(tmp_path / "evil.tar", tmp_path / "run")
    assert not (tmp_path / "outside.txt").exists()
    with tarfile.open(tmp_path / "link.tar", "w") as archive:
        link = tarfile.TarInfo("link")
        link.type, link.linkname = tarfile.SYMTYPE, "/etc/passwd"
        archive.addfile(link)
    with pytest.raises(RoomtourError, match="link is neither a file nor a folder"):
        unpack(tmp_path / "link.tar", tmp_path / "run")
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "run" / "away").symlink_to(tmp_path / "elsewhere")
    with tarfile.open(tmp_path / "through.tar", "w") as archive:
        archive.add(__file__, "away/outside.txt")
    with pytest.raises(RoomtourError, match="would lie outside"):
        unpack(tmp_path / "through.tar", tmp_path / "run")
    assert not list((tmp_path / "elsewhere").iterdir())
    (tmp_path / "run" / "link").symlink_to("/etc/passwd")
    (tmp_path / "run" / "a").write_text("x")
    pack(tmp_path / "run", ["link", "a"], tmp_path / "good.tar")
    unpack(tmp_path / "good.tar", tmp_path / "other")
    assert [path.name for path in (tmp_path / "other").iterdir()] == ["a"]


class Heard(Observer):
    """Remembers what it was told."""

    def __init__(self) -> None:
        self.told: list[str] = []

    def stage_started(self, title: str) -> None:
        self.told.append(f"starts {title}")

    def stage_done(self, title: str, seconds: float, kept: bool, counts: str) -> None:
        self.told.append(f"ends {title}{' kept' * kept}")


def test_events_are_told_once_and_half_a_line_waits(tmp_path):
    path, heard, seen = tmp_path / "events.jsonl", Heard(), set[str]()
    assert replay_events(path, 0, heard, seen) == 0
    events = EventFile(path)
    events.stage_started("a")
    at = replay_events(path, 0, heard, seen)
    events.stage_done("a", 1.0, False, "3 things")
    whole = path.read_bytes()
    path.write_bytes(whole[:-5])
    assert replay_events(path, at, heard, seen) == at
    path.write_bytes(whole)
    at = replay_events(path, at, heard, seen)
    assert heard.told == ["starts a", "ends a"]
    events.stage_started("a")  # a later phase, which keeps it
    events.stage_done("a", 0.0, True, "3 things")
    events.stage_started("b")
    replay_events(path, at, heard, seen)
    assert heard.told == ["starts a", "ends a", "starts b"]
