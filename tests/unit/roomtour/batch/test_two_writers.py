"""Attempts of one tour that write, freeze, are given up, wake up and end in any order: its run is always whole.

The driver's part is what `roomtour.batch.driver` does with folders; here chance decides when.
"""

import hashlib
import json
import shutil
import tempfile
from pathlib import Path

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from roomtour.batch.records import Attempt, Need, TourTask
from roomtour.batch.results.storage import FolderStorage
from roomtour.errors import RoomtourError
from roomtour.sources import Tour
from roomtour.store import RunStore, StageEntry

STAGES = {"sample": ("frames", "source.json", "mask.png"), "clips": ("frames.parquet", "clips.json")}
MOST_WRITERS = 3


class Writer:
    """The child of an attempt; each step of its work may come at any time, also long after it was given up."""

    def __init__(self, attempt: Attempt):
        self.attempt = attempt
        self.begun: tuple[str, Path] | None = None
        self.has_ended = False
        self._opened = RunStore(attempt.folder).opened()
        self.store = self._opened.__enter__()

    def step(self) -> None:
        """Begin the next stage or put it in place; once all are there, leave an outcome."""
        if self.begun is not None:
            stage, part = self.begun
            self.begun = None
            before = self.attempt.task.tour.name
            for name, outputs in STAGES.items():
                before = hashlib.sha256(f"{before} {name}".encode()).hexdigest()
                if name == stage:
                    for output in outputs:
                        (part / output).write_text(json.dumps({"text": before, "by": self.attempt.number}))
            entry = StageEntry("k", 0.0, 0.0, "", attempt=self.attempt.number)
            self.store.commit(stage, entry, STAGES[stage], tuple(STAGES)[tuple(STAGES).index(stage) + 1 :])
            return
        missing = [stage for stage in STAGES if not self.store.is_done(stage, "k")]
        if missing:
            self.begun = missing[0], self.store.begin()
        else:
            self.end()
            self.attempt.outcome.write_text(json.dumps({"state": "done"}))

    def end(self) -> None:
        """Be gone."""
        if not self.has_ended:
            self.has_ended = True
            self._opened.__exit__(None, None, None)


class TwoWriters(RuleBasedStateMachine):
    """One tour, its attempts, and the run that is published in the end."""

    def __init__(self) -> None:
        super().__init__()
        self.job = Path(tempfile.mkdtemp())
        (self.job / "attempts").mkdir()
        (self.job / "logs").mkdir()
        self.task = TourTask(Tour("a", self.job / "a.mp4", self.job / "runs" / "a"), "key", 1.0)
        self.storage = FolderStorage(self.job)
        self.writers: list[Writer] = []
        self.is_published = False
        self._start(is_gone=True)

    def teardown(self) -> None:
        for writer in self.writers:
            writer.end()
        shutil.rmtree(self.job)

    def _start(self, *, is_gone: bool) -> None:
        number = len(self.writers) + 1
        folder, log = self.job / "attempts" / f"a.{number}", self.job / "logs" / f"{number}.log"
        attempt = Attempt(self.task, number, folder, log, Need(1.0, 100.0))
        self.storage.take_over(attempt, is_gone=is_gone)
        self.writers.append(Writer(attempt))

    @rule(which=st.integers(0, MOST_WRITERS - 1))
    def work(self, which: int) -> None:
        """Any writer that is not gone does its next step, whether it was given up or not."""
        writer = self.writers[which % len(self.writers)]
        if not writer.has_ended:
            try:
                writer.step()
            except (RoomtourError, OSError):  # its folder was removed: it dies of that, as a child does
                assert writer is not self.writers[-1], "the attempt at work was disturbed"
                writer.end()

    @precondition(lambda self: not self.is_published and len(self.writers) < MOST_WRITERS)
    @rule()
    def lose(self) -> None:
        """The newest is given up as lost, though it may go on; another begins with a snapshot."""
        self._start(is_gone=False)

    @precondition(lambda self: not self.is_published and len(self.writers) < MOST_WRITERS)
    @rule()
    def crash(self) -> None:
        """The newest dies for certain; another begins in its folder."""
        self.writers[-1].end()
        self._start(is_gone=True)

    @precondition(lambda self: not self.is_published and self.writers[-1].attempt.outcome.is_file())
    @rule()
    def settle(self) -> None:
        """The newest left its outcome: its folder is published, and what was lost is removed."""
        self.storage.publish(self.writers[-1].attempt)
        self.storage.remove_lost(self.writers[-1].attempt)
        self.is_published = True

    @invariant()
    def the_run_is_whole(self) -> None:
        run = self.task.tour.run
        assert run.exists() == self.is_published
        if not self.is_published:
            return
        manifest = json.loads((run / "manifest.json").read_text())["stages"]
        assert list(manifest) == list(STAGES)
        text = "a"
        for stage, outputs in STAGES.items():
            text = hashlib.sha256(f"{text} {stage}".encode()).hexdigest()
            held = [json.loads((run / output).read_text()) for output in outputs]
            assert held == [{"text": text, "by": manifest[stage]["attempt"]}] * len(outputs)


TestTwoWriters = TwoWriters.TestCase
TestTwoWriters.settings = settings(
    max_examples=40, stateful_step_count=25, deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
