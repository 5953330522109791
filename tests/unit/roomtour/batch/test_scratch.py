"""Where tours that are fetched lie on a disk that others use too: apart, private, and gone when nobody wants them."""

import os
import time
from pathlib import Path

import pytest
from filelock import FileLock

from roomtour.errors import RoomtourError

pytest.importorskip("resource")  # Windows has no such module, and what is tested here needs it
from roomtour.batch.children import staged

pytestmark = pytest.mark.posix
SPEC = {"tour": "a", "address": "s3://tours/x/video.mp4", "source": "video.mp4"}


@pytest.fixture
def sources(tmp_path) -> Path:
    return tmp_path / f"roomtour-sources-{os.getuid()}"


def test_tours_lie_apart_and_are_read_by_their_user_alone(sources, tmp_path):
    first, second = (Path(staged._place_source({**SPEC, "tour": tour}, tmp_path)) for tour in "ab")
    assert first.name == second.name == "video.mp4"
    assert first.parent != second.parent
    assert first.parent.parent == second.parent.parent == sources
    assert sources.stat().st_mode & 0o777 == 0o700


@pytest.mark.parametrize("is_dangling", [False, True])
def test_a_link_that_somebody_left_is_not_followed(is_dangling, sources, tmp_path):
    old = tmp_path / "home" / "old"
    if not is_dangling:
        old.mkdir(parents=True)
        os.utime(old, (time.time() - 90_000, time.time() - 90_000))
    sources.symlink_to(old.parent)
    with pytest.raises(RoomtourError, match=r"is a link; name another --scratch$"):
        staged._place_source(SPEC, tmp_path)
    assert old.exists() is not is_dangling


def test_a_folder_of_another_user_is_refused(sources, tmp_path, monkeypatch):
    sources.mkdir()
    mine = os.getuid()
    monkeypatch.setattr(os, "getuid", lambda: mine + 1)
    with pytest.raises(RoomtourError, match="belongs to somebody else"):
        staged._place_source(SPEC, tmp_path)


def test_halves_of_tours_that_nobody_fetches_any_more_go_after_a_day(sources, tmp_path):
    age_s = {"given-up": 90_000, "lately": 80_000, "at-work": 90_000}
    for name in age_s:
        (sources / name).mkdir(parents=True)
        (sources / name / ".x.mp4.part").write_bytes(b"half")
    with FileLock(sources / "at-work" / ".x.mp4.lock"):
        for name, age in age_s.items():
            for path in (sources / name, *(sources / name).iterdir()):
                os.utime(path, (time.time() - age, time.time() - age))
        staged._place_source(SPEC, tmp_path)
    assert sorted(path.name for path in sources.iterdir()) == ["at-work", "lately"]
