"""Jobs on a cluster of two machines, as Ray makes them on one, in a network of their own."""

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from roomtour.cli import main
from tests.support.paths import ROOT

pytest.importorskip("ray", reason="needs the extra ray")
MODULE = "tests.full.roomtour.batch.ray_job"  # as a module: a package in site-packages may bring a `tests` of its own
SOUND = [f"t{number}" for number in range(8)]
Told = dict[str, Any]


def can_unshare() -> bool:
    unshare = shutil.which("unshare")
    return unshare is not None and subprocess.run([unshare, "-n", "true"], capture_output=True).returncode == 0


needs_network = pytest.mark.skipif(not can_unshare(), reason="needs a network of its own (unshare -n)")
pytestmark = [pytest.mark.ray, pytest.mark.posix]


def run_cases(folder: Path, *cases: str) -> dict[str, Told]:
    """What each case told, one after the other on one cluster."""
    words = ["sh", "-c", 'ip link set lo up && exec "$@"', "sh", sys.executable, "-m", MODULE, str(folder), *cases]
    ran = subprocess.run(["unshare", "-n", *words], capture_output=True, text=True, check=False, cwd=ROOT)
    lines = [line.split(" ", 2)[1:] for line in ran.stdout.splitlines() if line.startswith("RESULT ")]
    assert len(lines) == len(cases), ran.stdout + ran.stderr
    return {case: json.loads(told) for case, told in lines}


@pytest.fixture(scope="module")
def quiet(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Told]:
    """What is told on a cluster whose machines all live."""
    return run_cases(tmp_path_factory.mktemp("ray"), "poison", "look", "gate", "parts")


@needs_network
def test_poison_costs_itself_alone_and_is_named_rightly(quiet):
    told = quiet["poison"]
    for name in SOUND:  # each was done once, and holds what it would hold after a quiet run
        files = ("clips.json", "mask.png", "source.json")
        assert told["states"][name] == "done"
        assert told["runs"][name] == {file: f"{name} {file}" for file in files}
    bad = {"falls": "crashed", "eats": "out-of-memory", "hangs": "timed-out"}
    assert {name: told["states"][name] for name in bad} == bad
    assert told["signals"]["falls"] == 11
    assert "about to fall" in told["reasons"]["falls"]
    first, second = told["attempts"]["falls"]
    assert first != second  # another machine
    assert len({node for name in SOUND for node in told["attempts"][name]}) == 2


@needs_network
def test_large_models_look_in_actors_that_stay_and_dead_ones_close_their_gpu(quiet):
    told = quiet["look"]
    assert {told["states"][name] for name in SOUND} == {"done"}
    makers = [told["runs"][name]["source.json"].split() for name in SOUND]
    assert 2 <= len({pid for pid, _ in makers}) <= 4  # halves of two GPUs
    assert max(int(number) for _, number in makers) >= 2  # one at least looked at several tours
    assert told["gpu_s"] == 8 * 3.0 * 0.5
    assert "no GPU is left: 2 of 2 were closed" in told["falls"]
    assert "--workers 3: no machine of the cluster has more than 2 processors" in told["workers"]


@needs_network
def test_children_on_two_machines_pass_one_gate_which_may_die(quiet):
    told = quiet["gate"]
    assert set(told["states"].values()) == {"done"}
    times = sorted(one for name in told["states"] for one in json.loads(told["runs"][name]["source.json"]))
    assert len(times) == 160
    for start in range(len(times) - 40):  # any two seconds: 20 a second, and what the death let through
        assert times[start + 40] - times[start] >= 1.7
    assert "roomtour_gate_requests_total" in told["metrics"]
    shown = [line for line in told["shown"].splitlines() if line.startswith("ray_roomtour_tours{")]
    assert any(line.endswith('state="done"} 8.0') for line in shown), shown
    assert "ray_roomtour_gate_wait_seconds" in told["shown"]


@needs_network
def test_the_tasks_of_one_tour_go_to_both_machines_and_change_no_byte(quiet):
    told = quiet["parts"]
    assert told["parts"] == told["whole"]
    assert "recon/database.db" in told["whole"]
    assert told["machines"][1] >= 2  # processes
    assert told["told"] == ["integer division or modulo by zero"]


@pytest.mark.parametrize(
    ("address", "told"), [("ray://head:10001", "ray job submit"), ("127.0.0.1:1", "no Ray cluster answers")]
)
def test_a_wrong_address_is_one_line(address, told, short_walk, tmp_path, capfd):
    words = ["batch", "run", str(short_walk), "--out", str(tmp_path / "job"), "--engine", "ray", "--address", address]
    assert main(words) == 1
    assert told in capfd.readouterr().err
