"""Archives in which stages travel: none of them writes outside of the run that it is unpacked into."""

from __future__ import annotations

import tarfile

import pytest

from roomtour.batch.parcels import pack, unpack
from roomtour.errors import RoomtourError

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
