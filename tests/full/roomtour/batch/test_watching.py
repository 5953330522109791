"""How the parent of a child watches it: what is stopped, when, and what may wait."""

import subprocess
import sys
import time
from pathlib import Path

from roomtour.batch.engines import local
from roomtour.batch.ledger import latest_rows, read_rows
from tests.support.doubles.stub_jobs import HANG, StubEngine, run_stubs

STOPPED = "import os, signal; os.kill(os.getpid(), signal.SIGSTOP)"


BUSY = """
import json, sys, time
end = time.monotonic() + 4
while time.monotonic() < end: pass
json.dump({"state": "done"}, open(json.load(open(sys.argv[1]))["outcome"], "w"))
"""


GETS_ON = """
import json, pathlib, sys, time
spec = json.load(open(sys.argv[1]))
for step in range(8):
    pathlib.Path(spec["events"]).write_text(json.dumps(["stage_progress", step / 8]) + "\\n")
    time.sleep(0.5)
json.dump({"state": "done"}, open(spec["outcome"], "w"))
"""


def test_what_neither_works_nor_gets_on_is_stopped_long_before_the_limit(tmp_path, monkeypatch):
    """Those that work without a word, wait with a word, or were stopped by somebody, are left to their limit."""
    monkeypatch.setattr(local, "_STANDS_S", 2.0)
    monkeypatch.setattr(local, "_STANDS_CPU_S", 0.2)
    engine = StubEngine({"hangs": HANG, "busy": BUSY, "gets-on": GETS_ON, "stopped": STOPPED}, idle_s=6.0)
    states = run_stubs(tmp_path, ["hangs", "busy", "gets-on", "stopped"], engine)
    assert states == {"hangs": "timed-out", "busy": "done", "gets-on": "done", "stopped": "timed-out"}
    rows = [row for row in read_rows(tmp_path) if row.event == "ended"]
    took_s = {name: [row.seconds for row in rows if row.tour == name] for name in ("hangs", "stopped")}
    assert min(took_s["stopped"]) >= 6.0  # its limit
    assert max(took_s["hangs"]) < min(took_s["stopped"])


def test_children_die_with_a_killed_driver(tmp_path):
    (tmp_path / "a.mp4").write_bytes(b"x")
    script = f"""
import os, sys
from pathlib import Path
sys.path.insert(0, {str(Path.cwd())!r})
from roomtour.batch.driver import Job
from roomtour.batch.job_options import JobOptions
from tests.support.doubles.stub_jobs import StubEngine, make_tasks
from roomtour.config import Config
child = "import sys, os; from roomtour.batch.children.phase import die_with_parent as die; die();" + \\
    "open({str(tmp_path / "pid")!r}, 'w').write(str(os.getpid())); import time; time.sleep(600)"
job = Path({str(tmp_path / "job")!r})
Job(job, make_tasks(job, ["a"]), Config(), JobOptions(memory_mb=500.0), StubEngine({{"a": child}})).run()
"""
    driver = subprocess.Popen([sys.executable, "-c", script])
    told = tmp_path / "pid"
    while driver.poll() is None and not (told.is_file() and told.read_text()):
        time.sleep(0.1)
    child = int(told.read_text())
    driver.kill()
    driver.wait()
    while _lives(child):
        time.sleep(0.1)
    assert run_stubs(tmp_path / "job", ["a"], StubEngine({})) == {"a": "done"}
    assert latest_rows(read_rows(tmp_path / "job"))["a"].attempt == 2


def _lives(pid: int) -> bool:
    try:
        return "Z" not in Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0]
    except OSError:
        return False
