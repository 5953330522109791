"""What a second attempt may use: by how the first one ended, and by what it did."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from roomtour.batch.child_spec import describe_child
from roomtour.batch.job_options import JobOptions
from roomtour.batch.records import Attempt, Need, Outcome, Phase, State, TourTask
from roomtour.batch.retries import Retries
from roomtour.config import Config, config_from_dict
from roomtour.sources import Tour

LOOK, SHAPE = Phase("look", "vision"), Phase("shape", "merge")


def make_attempt(phase: Phase, need: Need = Need(10.0, 1000.0)) -> Attempt:
    task = TourTask(Tour("a", Path("a.mp4"), Path("runs/a")), "key", 10.0)
    return Attempt(task, 1, Path("attempts/a.1"), Path("logs/a/1.log"), need, phase)


@pytest.mark.parametrize(
    ("phase", "state", "parts"),
    [(LOOK, "crashed", 2), (LOOK, "lost", 2), (LOOK, "out-of-memory", 2), (SHAPE, "crashed", 1), (SHAPE, "lost", 1)],
)
def test_who_died_while_large_models_looked_is_tried_with_half_the_frames_at_once(
    phase: Phase, state: State, parts: int
):
    need = Retries(8000.0).next_need(make_attempt(phase), Outcome(state))
    assert need is not None
    assert need.batch_parts == parts


def test_lost_machines_halve_again_and_never_below_one_frame():
    retries, need = Retries(8000.0), Need(10.0, 1000.0)
    batches: list[dict[str, int]] = []
    for _ in range(5):
        next_need = retries.next_need(make_attempt(LOOK, need), Outcome("lost"))
        assert next_need is not None
        need = next_need
        spec: dict[str, Any] = describe_child(make_attempt(LOOK, need), Config(), JobOptions(), {})
        chosen = config_from_dict(spec["config"]).vision.chosen()
        batches.append({name: choice.batch for name, choice in chosen.items()})
    usual = {name: choice.batch for name, choice in Config().vision.chosen().items()}
    assert batches[0] == {name: batch // 2 for name, batch in usual.items()}
    assert set(batches[-1].values()) == {1}


@pytest.mark.parametrize(
    ("state", "seconds", "memory_mb"), [("timed-out", 20.0, 1000.0), ("out-of-memory", 10.0, 2000.0)]
)
def test_what_was_too_little_is_doubled(state: State, seconds: float, memory_mb: float):
    need = Retries(8000.0).next_need(make_attempt(SHAPE), Outcome(state))
    assert need is not None
    assert (need.seconds, need.memory_mb, need.workers) == (seconds, memory_mb, 1)


def test_memory_is_doubled_up_to_all_there_is_and_twice_at_most():
    retries, need, given = Retries(1500.0), Need(10.0, 1000.0), []
    while (more := retries.next_need(make_attempt(SHAPE, need), Outcome("out-of-memory"))) is not None:
        need = more
        given.append(need.memory_mb)
    assert given == [1500.0]
    retries, need, given = Retries(1e6), Need(10.0, 1000.0), []
    while (more := retries.next_need(make_attempt(SHAPE, need), Outcome("out-of-memory"))) is not None:
        need = more
        given.append(need.memory_mb)
    assert given == [2000.0, 4000.0]
