"""The gate of a job as children reach it: through a socket, each a holder that is dropped when it is gone."""

import json
import subprocess
import sys
import time
from pathlib import Path

import pytest

from instructions.language.gate import SharedGate
from instructions.language.model import ServerUnusable
from instructions.language.options import LanguageOptions
from roomtour.batch.driver import Job
from roomtour.batch.engines.gate import GateAt, GateSocket
from roomtour.batch.job_options import JobOptions
from roomtour.config import Config
from tests.support.doubles.stub_jobs import StubEngine, make_tasks

pytestmark = pytest.mark.posix
CHILD = """
import json, os, sys, time
from roomtour.batch.engines.gate import VARIABLE, GateAt
spec = json.load(open(sys.argv[1]))
gate = GateAt(os.environ[VARIABLE])
times = []
for number in range(10):
    word = gate.ask(100)
    while word.wait_s:
        time.sleep(word.wait_s)
        word = gate.ask(100, word.ticket)
    times.append(time.monotonic())
    gate.settle(100, 60, 40)
open(spec["run"] + ".times", "w").write(json.dumps(times))
json.dump({"state": "done", "tour_s": 10.0}, open(spec["outcome"], "w"))
"""


def test_the_tours_of_a_job_share_one_gate(tmp_path):
    options = LanguageOptions(requests_per_minute=1200.0, concurrency=2)
    gate = SharedGate(options)
    engine = GatedStub(dict.fromkeys("abcd", CHILD), gate)
    Job(tmp_path, make_tasks(tmp_path, "abcd"), Config(), JobOptions(memory_mb=500.0), engine, gate).run()
    times = sorted(one for path in (tmp_path / "attempts").glob("*.times") for one in json.loads(path.read_text()))
    assert len(times) == 40
    assert (len(times) - 1) / (times[-1] - times[0]) <= 20.0 * 1.1  # of a tenth of a second that may be made up for
    metrics = (tmp_path / "metrics.prom").read_text()
    assert "roomtour_gate_requests_total 40" in metrics
    assert 'roomtour_gate_tokens_total{kind="reply"} 1600' in metrics
    assert not Path(engine.address).exists()


class GatedStub(StubEngine):
    def __init__(self, programs: dict[str, str], gate: SharedGate):
        super().__init__(programs, slots=4, memory_mb=4000.0)
        self._gate = GateSocket(gate)
        self.address = self._gate.address


def test_what_a_killed_child_had_under_way_is_free_again():
    gate = SharedGate(LanguageOptions(concurrency=1))
    socket = GateSocket(gate)
    script = (
        f"from roomtour.batch.engines.gate import GateAt; import time; gate = GateAt({socket.address!r}); gate.ask(1); "
        "print('in', flush=True); time.sleep(600)"
    )
    child = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE)
    assert child.stdout is not None
    assert child.stdout.readline() == b"in\n"
    here = GateAt(socket.address)
    word = here.ask(1)
    assert word.wait_s > 0
    child.kill()
    child.wait()
    while word.wait_s:
        time.sleep(word.wait_s)
        word = here.ask(1, word.ticket)
    socket.close()


def test_only_its_user_can_open_the_socket_and_without_its_job_nothing_is_asked():
    socket = GateSocket(SharedGate(LanguageOptions()))
    assert Path(socket.address).parent.stat().st_mode & 0o077 == 0
    here = GateAt(socket.address)
    here._connection.close()
    with pytest.raises(ServerUnusable, match="gate of the job is gone"):
        here.ask(1)
    socket.close()
