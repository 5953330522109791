import signal
import subprocess
import sys

import pycolmap
import pytest

from recon.colmap.tasks import quiet_colmap


def levels() -> tuple[int, int, bool]:
    log = pycolmap.logging
    return log.minloglevel, log.stderrthreshold, log.alsologtostderr


def test_levels_are_restored():
    before = levels()
    with quiet_colmap():
        assert levels() == (int(pycolmap.logging.FATAL), int(pycolmap.logging.FATAL), False)
    assert levels() == before


def test_quiet_until_the_outermost_leaves():
    before = levels()
    with quiet_colmap():
        with quiet_colmap():
            pass
        assert levels()[0] == int(pycolmap.logging.FATAL)
    assert levels() == before


@pytest.mark.posix
def test_being_stopped_is_no_crash():
    """COLMAP's logger would print a stack trace on SIGTERM."""
    program = "import os, signal, recon.colmap.tasks; os.kill(os.getpid(), signal.SIGTERM)"

    stopped = subprocess.run([sys.executable, "-c", program], capture_output=True, check=False)

    assert stopped.returncode == -signal.SIGTERM
    assert stopped.stderr == b""
