"""No command talks to another machine unless it was given one.

`strace` sees the connections and datagrams of every child and thread, whatever language they are written in. It does
not see what a library would send later than the command lives; what a library is known to do is turned off in
`recon.telemetry`, whose variables have a test of their own.
"""

import os
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from functools import partial
from ipaddress import ip_address
from pathlib import Path

import pytest

from recon.telemetry import SWITCHES
from tests.support.paths import ROOT

ROOMTOUR = (sys.executable, "-m", "roomtour")
ADDRESS = re.compile(r'sin6?_port=htons\((\d+)\).*?(?:inet_addr\(|inet_pton\(AF_INET6, )"([^"]+)"')
RESOLVER = "io.systemd.Resolve"
OWN_ADDRESS = 'sin_port=htons(53), sin_addr=inet_addr("8.8.8.8")'
"""Ray connects a datagram socket there to learn which address of this machine leads outwards; it sends nothing."""
LOOK_UP = "import socket; socket.getaddrinfo('roomtour.invalid', 443)"
SEND = "import socket; socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b'', ('192.0.2.1', 9))"
NETWORK = """
import sys, time
from onnxruntime import InferenceSession
InferenceSession(sys.argv[1], providers=["CPUExecutionProvider"])
time.sleep(15)
"""
ON_RAY = """
import sys
from ray.cluster_utils import Cluster
from roomtour.cli import main
cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 2, "include_dashboard": False})
try:
    code = main([*sys.argv[1:], "--engine", "ray", "--address", cluster.address])
finally:
    cluster.shutdown()
sys.exit(code)
"""


def can_trace() -> bool:
    strace = shutil.which("strace")
    return strace is not None and subprocess.run([strace, "-f", "true"], capture_output=True).returncode == 0


pytestmark = [pytest.mark.posix, pytest.mark.skipif(not can_trace(), reason="needs strace, and leave to use it")]


def find_calls(log: str) -> Iterator[str]:
    """Lines of a trace that go beyond this machine, or ask for the address of a name."""
    for line in log.splitlines():
        if RESOLVER in line:
            yield line
        for port, host in ADDRESS.findall(line):
            if port == "53" or not (ip_address(host).is_loopback or ip_address(host).is_unspecified):
                yield line


def trace(folder: Path, words: Sequence[str], until: str = "", **variables: str) -> list[str]:
    """Calls of a command to other machines; files that it left in the temporary folder count too."""
    left = folder / "temporary"
    left.mkdir(parents=True)
    calls = "trace=connect,sendto,sendmsg,sendmmsg"
    command = ["strace", "-f", "--seccomp-bpf", "-s", "200", "-e", calls, "-o", str(folder / "trace"), *words]
    kept = {name: value for name, value in os.environ.items() if name not in SWITCHES}  # as a user has them
    own = {"TMPDIR": str(left), "HOME": str(folder), "PYTHONPATH": str(ROOT), "PYTHONUNBUFFERED": "1"}
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env={**kept, **own, **variables},
        start_new_session=True, preexec_fn=partial(signal.signal, signal.SIGINT, signal.SIG_DFL),
    ) as process:  # fmt: skip
        assert process.stdout is not None
        said = []
        for line in process.stdout:
            said.append(line)
            if until and until in line:
                os.killpg(process.pid, signal.SIGINT)
        process.wait()
    assert process.returncode in (0, 130 if until else 0) or words[1] == "-c", "".join(said)
    return [*find_calls((folder / "trace").read_text(errors="replace")), *(path.name for path in left.iterdir())]


def test_the_trap_sees_a_look_up_and_a_datagram(tmp_path, subtests):
    for number, program in enumerate((LOOK_UP, SEND)):
        with subtests.test(program):
            assert trace(tmp_path / str(number), [sys.executable, "-c", program])


def test_networks_used_from_python_call_nobody(light_models, tmp_path):
    """With a plain session of onnxruntime as the planted fault, where its release reports."""
    weights = str(light_models / "features-xfeat" / "xfeat.onnx")
    for package in ("recon", "trajectories", "instructions", "roomtour"):
        assert trace(tmp_path / package, [sys.executable, "-c", f"import {package}" + NETWORK, weights]) == [], package


def test_processing_with_networks_calls_nobody(light_models, short_walk, tmp_path):
    words = [*ROOMTOUR, "process", str(short_walk), "--out", str(tmp_path / "run"), "--workers", "2"]
    assert trace(tmp_path / "traced", words, ROOMTOUR_MODELS=str(light_models)) == []


def test_other_commands_call_nobody(finished_run, tmp_path, subtests):
    run = str(shutil.copytree(finished_run, tmp_path / "run"))
    for until, *words in (
        ("", "make", run, "--data", "spatial"),
        ("", "export", run, "--format", "jsonl", "--out", str(tmp_path / "set")),
        ("", "report", run),
        ("", "view", run, "--html", str(tmp_path / "view.html")),
        ("http://", "view", run),
        ("http://", "review", run, "--rater", "anna"),
    ):
        with subtests.test(" ".join(words[:1])):
            assert trace(tmp_path / f"{words[0]}-{len(words)}", [*ROOMTOUR, *words], until) == []


def test_a_job_calls_nobody(short_walk, tmp_path, subtests):
    words = ["batch", "run", str(short_walk), "--until", "sample", "--out"]
    with subtests.test("local"):
        assert trace(tmp_path / "local", [*ROOMTOUR, *words, str(tmp_path / "job")]) == []
    with subtests.test("ray"):
        pytest.importorskip("ray", reason="needs the extra ray")
        called = trace(tmp_path / "ray", [sys.executable, "-c", ON_RAY, *words, str(tmp_path / "ray_job")])
        assert [call for call in called if call != "ray" and OWN_ADDRESS not in call] == []  # its sessions lie there
