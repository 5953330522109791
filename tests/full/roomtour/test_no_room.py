"""A disk that is full, or a limit on files: one line, and the run goes on later."""

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

pytestmark = pytest.mark.posix


def process(video: Path, run: Path, prepare: Callable[[], None] | None = None) -> subprocess.CompletedProcess[str]:
    command = ["process", str(video), "--out", str(run), "--workers", "1", "--until", "features"]
    command += ["--sample.until-s", "5"]
    words = [sys.executable, "-m", "roomtour", *command]
    return subprocess.run(words, capture_output=True, text=True, check=False, preexec_fn=prepare)


def test_a_full_disk_is_one_line_and_the_run_goes_on_later(tmp_path, short_walk):
    mount = tmp_path / "small"
    mount.mkdir()
    made = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=2500k", "tmpfs", mount], capture_output=True)
    if made.returncode != 0:
        pytest.skip("mounting a small tmpfs needs root")
    try:
        full = process(short_walk, mount / "run")
        assert full.returncode == 1, full.stderr
        assert "disk is full" in full.stderr
        assert "Traceback" not in full.stderr
        subprocess.run(["mount", "-o", "remount,size=200m", mount], check=True)
        again = process(short_walk, mount / "run")
        assert again.returncode == 0, again.stderr
        subprocess.run(["mount", "-o", "remount,ro", mount], check=True)
        locked = process(short_walk, mount / "other")
        assert (locked.returncode, locked.stderr.count("roomtour: ")) == (1, 1)
        assert "written" in locked.stderr
    finally:
        subprocess.run(["umount", mount], check=True)


@pytest.mark.parametrize("most_kib", [300, 3000])
def test_a_limit_on_files_is_one_line_before_colmap_meets_it(tmp_path, short_walk, most_kib):
    """A quota shows in no figure of what is free, and COLMAP ends the process where SQLite cannot write."""
    import resource  # of POSIX systems

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (most_kib << 10, most_kib << 10))

    limited = process(short_walk, tmp_path / "run", limit)
    assert limited.returncode == 1, limited.stderr
    assert limited.stderr.count("roomtour: ") == 1
    assert "file too large. What was finished is kept" in limited.stderr
    assert "Traceback" not in limited.stderr
    again = process(short_walk, tmp_path / "run")
    assert again.returncode == 0, again.stderr
    assert "kept" in again.stderr
