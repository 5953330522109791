"""Ctrl-C at any of the hundreds of imports with which a command begins: one line, exit code 130, the run can go on."""

import random
import signal
import subprocess
import sys

import pytest

from roomtour.cli.interrupt import INTERRUPTED, end_at_once_while_importing

CHILD = """
import os, signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background job ignores it
seen, left = False, int(sys.argv.pop(1))

def count(event, args):
    global seen, left
    if event != "import":
        return
    seen = seen or args[0] == "roomtour.cli.app"
    if seen:
        left -= 1
        if left == 0:
            os.kill(os.getpid(), signal.SIGINT)

sys.addaudithook(count)
from roomtour.cli import main
code = main()
print("imports left:", left)
sys.exit(code)
"""


def run_child(at: int, *args: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", CHILD, str(at), *args]
    return subprocess.run(command, capture_output=True, text=True, check=False)


@pytest.mark.posix
def test_at_ten_random_imports_it_is_one_line_and_the_run_goes_on(tmp_path, short_walk):
    command = ["process", str(short_walk), "--out", str(tmp_path / "run"), "--until", "clips", "--workers", "1"]
    whole = run_child(10**6, *command)
    assert whole.returncode == 0, whole.stderr
    imports = 10**6 - int(whole.stdout.rpartition("imports left: ")[2])
    assert imports > 200
    rng = random.Random(0)
    for at in (1, *(rng.randrange(1, imports) for _ in range(10))):
        ended = run_child(at, *command, "--force", "sample")
        told = [line for line in ended.stderr.splitlines() if line.startswith("roomtour: ")]
        assert ended.returncode == 130, (at, ended.stderr)
        assert told == [f"roomtour: {INTERRUPTED}"], (at, ended.stderr)
        assert "Traceback" not in ended.stderr
    assert run_child(10**6, *command).returncode == 0


def test_outside_of_imports_ctrl_c_raises_and_the_handler_is_put_back():
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with end_at_once_while_importing():
            assert signal.getsignal(signal.SIGINT) is not signal.default_int_handler
            with pytest.raises(KeyboardInterrupt):
                signal.raise_signal(signal.SIGINT)
        assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        with end_at_once_while_importing():
            assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGINT, before)
