import signal
import subprocess
import sys

import pycolmap
import pytest

from recon.colmap.log import quiet_colmap


def levels() -> tuple[int, int, bool]:
    log = pycolmap.logging
    return log.minloglevel, log.stderrthreshold, log.alsologtostderr


def test_levels_are_restored():
    before = levels()
    with quiet_colmap():
        assert levels() == (int(pycolmap.logging.FATAL), int(pycolmap.logging.FATAL), False)
    assert levels() == before


def test_quiet_until_the_last_one_leaves():
    """Two clips are reconstructed at once, and the one that began first ends first."""
    before = levels()
    first, second = quiet_colmap(), quiet_colmap()
    first.__enter__()
    second.__enter__()
    first.__exit__(None, None, None)
    assert levels()[0] == int(pycolmap.logging.FATAL)
    second.__exit__(None, None, None)
    assert levels() == before


@pytest.mark.posix
def test_being_stopped_is_no_crash():
    """COLMAP's logger would print a stack trace on SIGTERM."""
    program = "import os, signal, recon.colmap.log; os.kill(os.getpid(), signal.SIGTERM)"

    stopped = subprocess.run([sys.executable, "-c", program], capture_output=True, check=False)

    assert stopped.returncode == -signal.SIGTERM
    assert stopped.stderr == b""
