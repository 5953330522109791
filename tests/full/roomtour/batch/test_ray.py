"""Jobs on a cluster of two machines, as Ray makes them on one, in a network of their own."""

from __future__ import annotations

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


def can_unshare() -> bool:
    unshare = shutil.which("unshare")
    return unshare is not None and subprocess.run([unshare, "-n", "true"], capture_output=True).returncode == 0


pytestmark = [
    pytest.mark.ray,
    pytest.mark.slow,
    pytest.mark.posix,
    pytest.mark.skipif(not can_unshare(), reason="needs a network of its own (unshare -n)"),
]


def run_case(folder: Path, case: str) -> dict[str, Any]:
    words = ["sh", "-c", 'ip link set lo up && exec "$@"', "sh", sys.executable, "-m", MODULE, str(folder), case]
    ran = subprocess.run(["unshare", "-n", *words], capture_output=True, text=True, check=False, cwd=ROOT)
    lines = [line for line in ran.stdout.splitlines() if line.startswith("RESULT ")]
    assert lines, ran.stdout + ran.stderr
    return json.loads(lines[0].removeprefix("RESULT "))


def require_sound_tours(told: dict[str, Any]) -> None:
    """Each was done once, and holds what it would hold after a quiet run."""
    for name in SOUND:
        assert told["states"][name] == "done"
        assert told["runs"][name] == {
            f"{stem}.{end}": f"{name} {stem}.{end}"
            for stem, end in (("clips", "json"), ("mask", "png"), ("source", "json"))
        }


@pytest.mark.proof
def test_poison_costs_itself_alone_and_is_named_rightly(tmp_path):
    told = run_case(tmp_path / "job", "poison")
    require_sound_tours(told)
    assert {name: told["states"][name] for name in ("falls", "eats", "hangs")} == {
        "falls": "crashed",
        "eats": "out-of-memory",
        "hangs": "timed-out",
    }
    assert told["signals"]["falls"] == 11
    assert "about to fall" in told["reasons"]["falls"]
    first, second = told["attempts"]["falls"]
    assert first != second  # another machine
    nodes = {node for name in SOUND for node in told["attempts"][name]}
    assert len(nodes) == 2


@pytest.mark.parametrize("case", ["node", pytest.param("raylet", marks=pytest.mark.proof)])
def test_a_machine_that_dies_in_the_middle_loses_no_tour(case, tmp_path):
    told = run_case(tmp_path / "job", case)
    require_sound_tours(told)
    assert told["lost"] or case == "raylet"  # a worker without a raylet may come to its end, and be believed
    assert all(len(told["attempts"][name]) == 1 + told["lost"].count(name) for name in SOUND)
    assert told["left"] == []


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["--address", "ray://head:10001"], "ray job submit"),
        (["--address", "127.0.0.1:1"], "no Ray cluster answers"),
    ],
)
def test_a_wrong_address_is_one_line(words, told, short_walk, tmp_path, capfd):
    assert main(["batch", "run", str(short_walk), "--out", str(tmp_path / "job"), "--engine", "ray", *words]) == 1
    assert told in capfd.readouterr().err


@pytest.mark.proof
def test_large_models_look_in_actors_that_stay_and_dead_ones_close_their_gpu(tmp_path):
    told = run_case(tmp_path / "job", "look")
    assert {told["states"][name] for name in SOUND} == {"done"}
    makers = [told["runs"][name]["source.json"].split() for name in SOUND]
    processes = {pid for pid, _ in makers}
    assert 2 <= len(processes) <= 4  # halves of two GPUs
    assert max(int(number) for _, number in makers) >= 2  # one at least looked at several tours
    assert told["gpu_s"] == 8 * 3.0 * 0.5
    assert "no GPU is left: 2 of 2 were closed" in told["falls"]
    assert "--workers 3: no machine of the cluster has more than 2 processors" in told["workers"]


@pytest.mark.proof
def test_children_on_two_machines_pass_one_gate_which_may_die(tmp_path):
    told = run_case(tmp_path / "job", "gate")
    assert set(told["states"].values()) == {"done"}
    times = sorted(one for name in told["states"] for one in json.loads(told["runs"][name]["source.json"]))
    assert len(times) == 160
    for start in range(len(times) - 40):  # any two seconds: 20 a second, and what the death let through
        assert times[start + 40] - times[start] >= 1.7
    assert "roomtour_gate_requests_total" in told["metrics"]
    shown = [line for line in told["shown"].splitlines() if line.startswith("ray_roomtour_tours{")]
    assert any(line.endswith('state="done"} 8.0') for line in shown), shown
    assert "ray_roomtour_gate_wait_seconds" in told["shown"]


@pytest.mark.proof
def test_the_tasks_of_one_tour_go_to_both_machines_and_change_no_byte(tmp_path):
    told = run_case(tmp_path / "job", "parts")
    assert told["parts"] == told["whole"]
    assert "recon/database.db" in told["whole"]
    assert told["machines"][1] >= 2  # processes
    assert told["told"] == ["integer division or modulo by zero"]


@pytest.mark.parametrize("case", [pytest.param("shared", marks=pytest.mark.proof), "bucket"])
def test_results_in_a_storage_outlive_a_machine(case, tmp_path):
    told = run_case(tmp_path / "job", case)
    names = [f"t{number}" for number in range(6)]
    assert {told["states"][name] for name in names} == {"done"}
    assert told["fetched"] == {name: [f"{name} sample mask.png", f"{name} clips clips.json"] for name in names}
    assert set(told["logs"]) == set(names)
    assert told["left"] == []
    if case == "bucket":
        assert [key for key in told["keys"] if not key.startswith("t")] == []
        assert all(len([key for key in told["keys"] if key.startswith(f"{name}/")]) <= 4 for name in names)
