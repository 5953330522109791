"""What the Ray engine decides by what the cluster says, without one."""

from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from roomtour.batch.engines import ray_engine, ray_machines
from roomtour.batch.engines.ray_engine import RayEngine
from roomtour.batch.records import Attempt, Need, TourTask
from roomtour.errors import RoomtourError
from roomtour.sources import Tour

GB = 1e9


def make_node(name: str, memory: float, cores: float = 2.0) -> dict[str, Any]:
    resources = {"CPU": cores, "memory": memory} if cores else {"memory": memory}
    return {"NodeID": name, "NodeManagerHostname": name, "Alive": True, "Resources": resources}


class FakeRay:
    """As much of `ray` as the engine asks: nodes come and go, and tasks never end."""

    class exceptions:
        class RayError(Exception):
            pass

        class NodeDiedError(RayError):
            pass

    def __init__(self, *nodes: dict[str, Any]):
        self.there = list(nodes)
        self.answers: dict[str, Any] = {}
        self.asked: list[str] = []
        self.given: dict[str, Any] = {}

    def nodes(self) -> list[dict[str, Any]]:
        return self.there

    def init(self, **options: object) -> None:
        pass

    def remote(self, function: Any) -> Any:
        if isinstance(function, type):  # an actor
            count = SimpleNamespace(remote=lambda: None)
            return SimpleNamespace(options=lambda **given: SimpleNamespace(remote=lambda: SimpleNamespace(count=count)))

        def submit(*args: object, node: str = "") -> str:
            self.asked.append(node)
            return f"ref{len(self.asked)}-{node}"

        def options(**given: Any) -> Any:
            self.given = given
            node = getattr(given.get("scheduling_strategy"), "node_id", "")
            return SimpleNamespace(remote=lambda *args: submit(*args, node=node))

        return SimpleNamespace(options=options)

    def wait(self, refs: list[str], **options: object) -> tuple[list[str], list[str]]:
        ready = [ref for ref in refs if ref.split("-", 1)[1] in self.answers]
        return ready, [ref for ref in refs if ref not in ready]

    def get(self, ref: str, timeout: float = 0.0) -> object:
        if not isinstance(ref, str):
            return {}  # of signs
        answer = self.answers[ref.split("-", 1)[1]]
        if callable(answer):
            answer = answer()
        if isinstance(answer, Exception):
            raise answer
        return answer

    def cancel(self, ref: str, force: bool) -> None:
        pass


@pytest.fixture
def make_engine(monkeypatch):
    def make(fake: FakeRay, workers: int = 1) -> RayEngine:
        monkeypatch.setitem(__import__("sys").modules, "ray", fake)
        monkeypatch.setattr(ray_machines, "prefer_machine", lambda node, soft: SimpleNamespace(node_id=node))
        monkeypatch.setattr(ray_machines.time, "sleep", lambda seconds: None)
        return RayEngine("auto", None, workers, 600.0)

    return make


def make_attempt(folder: Path, memory_mb: float) -> Attempt:
    task = TourTask(Tour("a", folder / "a.mp4", folder / "runs" / "a"), "key", 10.0)
    return Attempt(task, 1, folder / "a.1", folder / "1.log", Need(10.0, memory_mb))


def test_processors_of_all_machines_make_slots_and_an_attempt_asks_for_its_own(make_engine, tmp_path):
    nodes = [make_node(str(cores), 4 * GB, cores) for cores in (3.0, 6.0)]
    engine = make_engine(FakeRay(*nodes), workers=2)
    assert (engine.slots, engine.most_slots, make_engine(FakeRay(nodes[0]), workers=4).slots) == (4, 3, 1)
    with pytest.raises(RoomtourError, match="--workers 7: no machine of the cluster has more than 6 processors"):
        make_engine(FakeRay(*nodes), workers=7).probe(tmp_path)
    fake = FakeRay(*nodes)
    attempt = make_attempt(tmp_path, 6000.0)
    make_engine(fake).submit(replace(attempt, need=replace(attempt.need, workers=3, cores=0.5)), ["-c", ""])
    assert (fake.given["num_cpus"], fake.given["memory"]) == (1.5, 6 * GB)


def test_an_attempt_that_no_machine_can_hold_ends_with_what_it_needs(make_engine, tmp_path, monkeypatch):
    fake = FakeRay(make_node("large", 8 * GB), make_node("small", 2 * GB))
    engine = make_engine(fake)
    engine.submit(make_attempt(tmp_path, 6000.0), ["-c", ""])
    now = [ray_engine.time.monotonic()]
    monkeypatch.setattr(ray_engine.time, "monotonic", lambda: now[0])
    for _ in range(100):  # while the large one is there it waits, however long
        now[0] += 10.0
        assert engine.wait(0.0) == []
    del fake.there[0]
    now[0] += 60.0
    assert engine.wait(0.0) == []
    now[0] += 90.0
    (ended,) = engine.wait(0.0)
    assert ended.death == "lost"
    assert "no machine with 1 processors, 0 GPUs and 6000 MB is there" in ended.last_words


def test_a_machine_that_stays_and_cannot_work_or_does_not_answer_is_named(make_engine, tmp_path):
    fake = FakeRay(make_node("stays", 4 * GB), make_node("broken", 4 * GB))
    engine = make_engine(fake)
    broken = FakeRay.exceptions.RayError("No module named roomtour")
    fake.answers = {"stays": ray_machines.describe_node(), "broken": broken}
    with pytest.raises(RoomtourError, match="node broken: cannot work for roomtour: No module named roomtour"):
        engine.probe(tmp_path)
    assert fake.asked == ["stays", "broken", "broken"]
    with pytest.raises(RoomtourError, match="node silent: does not answer"):
        make_engine(FakeRay(make_node("silent", 4 * GB))).probe(tmp_path)


@pytest.mark.parametrize(("free_mb", "is_named"), [(499.0, True), (501.0, False)])
def test_a_machine_that_sees_no_room_for_the_job_is_named(free_mb, is_named, make_engine, tmp_path):
    fake = FakeRay(make_node("full", 4 * GB))
    engine = make_engine(fake)
    fake.answers = {"full": replace(ray_machines.describe_node(), name="full", sees_job=True, free_mb=free_mb)}
    with pytest.raises(RoomtourError, match="node full: sees 499 MB free") if is_named else nullcontext():
        engine.probe(tmp_path)
