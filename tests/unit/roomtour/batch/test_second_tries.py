"""What a second attempt may use, by how the first one ended, and when it may ask a language server again."""

from pathlib import Path
from typing import Any

from roomtour.batch.children.child_spec import describe_child
from roomtour.batch.job_options import JobOptions
from roomtour.batch.records import Attempt, Need, Outcome, Phase, State, TourTask
from roomtour.batch.retries import STEP_S, Retries, WritePause
from roomtour.config import Config, config_from_dict
from roomtour.sources import Tour

LOOK, SHAPE = Phase("look", "vision"), Phase("shape", "merge")


def make_attempt(phase: Phase, need: Need = Need(10.0, 1000.0)) -> Attempt:
    task = TourTask(Tour("a", Path("a.mp4"), Path("runs/a")), "key", 10.0)
    return Attempt(task, 1, Path("attempts/a.1"), Path("logs/a/1.log"), need, phase)


def next_need(phase: Phase, state: State, need: Need = Need(10.0, 1000.0), memory_mb: float = 8000.0) -> Need | None:
    return Retries(memory_mb).next_need(make_attempt(phase, need), Outcome(state))


def test_who_died_while_large_models_looked_is_tried_with_half_the_frames_at_once():
    for state in ("crashed", "lost", "out-of-memory"):
        need = next_need(LOOK, state)
        assert need is not None
        assert need.batch_parts == 2, state
    for state in ("crashed", "lost"):
        need = next_need(SHAPE, state)
        assert need is not None
        assert need.batch_parts == 1, state


def test_what_was_too_little_is_doubled_up_to_all_there_is():
    doubled: list[tuple[State, float, float]] = [("timed-out", 20.0, 1000.0), ("out-of-memory", 10.0, 2000.0)]
    for state, seconds, memory_mb in doubled:
        need = next_need(SHAPE, state)
        assert need is not None
        assert (need.seconds, need.memory_mb, need.workers) == (seconds, memory_mb, 1)
    for there_mb, expected in ((1500.0, [1500.0]), (1e6, [2000.0, 4000.0])):
        retries, need, given = Retries(there_mb), Need(10.0, 1000.0), []
        while (more := retries.next_need(make_attempt(SHAPE, need), Outcome("out-of-memory"))) is not None:
            need = more
            given.append(need.memory_mb)
        assert given == expected


def test_one_tour_asks_after_each_step_and_other_phases_pause_nothing():
    pause = WritePause()
    assert pause.note_end("write", True, 10.0, 10.0)
    assert pause.note_end("write", True, 400.0, 400.0)  # was under way
    assert pause.failures == 1
    assert not pause.may_start("write", 0, STEP_S - 1)
    assert pause.may_start("finish", 5, 1.0)
    assert pause.may_start("write", 0, STEP_S + 10)
    assert not pause.may_start("write", 1, STEP_S + 10)
    assert pause.note_end("write", True, 5.0, STEP_S + 20)
    assert pause.failures == 2
    assert pause.note_end("write", False, 5.0, 2 * STEP_S) is False
    assert pause.may_start("write", 7, 2 * STEP_S)
    pause = WritePause()
    assert not pause.note_end("all", True, 5.0, 5.0)
    assert pause.may_start("all", 3, 0.0)


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
