"""Run single stages of a tour in its run folder: keep what is there, put in place what is made, note how it went."""

from __future__ import annotations

import importlib.metadata
import platform
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import asdict, dataclass, field, replace
from datetime import UTC, datetime

from structlog.typing import FilteringBoundLogger

from instructions.language.model import ServerUnusable, UnusableReplies
from instructions.perception.models.shelf import ModelShelf
from recon.findings import Finding, attach_to_errors
from roomtour.config import Config
from roomtour.errors import RoomtourError, Unfinished
from roomtour.files.disk import disk_full_as_error, require_room
from roomtour.keys import GivenKeys
from roomtour.kinds import KIND_NAMES
from roomtour.progress import Observer, open_log
from roomtour.sources import Tour
from roomtour.stages.context import SampleAgain, Stage, StageContext, StageResult
from roomtour.stages.table import STAGE_NAMES, list_dependents
from roomtour.store import IMPORTED, LOG, RunStore, StageEntry
from roomtour.workers.local import LocalWorkers
from roomtour.workers.machine import count_cores, holds_gpu, peak_memory_mb
from roomtour.workers.ray_workers import Workers

_WITH_NETWORKS = ("vision",)
"""Stages whose networks run on a GPU, where there is one."""
_REPORTED_PACKAGES = ("roomtour", "pycolmap", "av", "opencv-python-headless", "numpy", "scipy", "scikit-learn")


@dataclass(frozen=True)
class Work:
    """The open run folder of a tour, with what its stages need to run."""

    tour: Tour
    config: Config
    store: RunStore
    log: FilteringBoundLogger
    observer: Observer
    workers: Workers
    models: ModelShelf
    given: GivenKeys
    failures: list[ServerUnusable] = field(default_factory=list)
    """Why kinds of data are unfinished."""

    def run(self, stage: Stage, inputs: Sequence[str], keys: dict[str, str], *, anew: bool = False) -> None:
        """Run a stage, or keep it where its result is there, and add its key to the others.

        A kind of data whose server does not answer is left unfinished: what rests on it takes what was there before.

        Args:
            stage: One of the table.
            inputs: Keys of what it rests on.
            keys: Of the stages that are done, by name.
            anew: Do not keep its result.
        """
        key = self.given.name_result(stage, inputs, self.config)
        done = [entry for name, entry in self.store.stages.items() if name in keys]
        earlier = [finding for entry in done for finding in entry.findings if finding.severity != "info"]
        try:
            with attach_to_errors(earlier):
                self._make(stage, key, anew=anew)
        except ServerUnusable as error:
            if not stage.is_kind:
                raise
            self.failures.append(error)
            why = Finding("warning", "language.unanswered", self.tour.name, f"{stage.name} is unfinished: {error}")
            self.store.leave_unfinished(stage.name, why)
            keys.pop(stage.name, None)
            _log_finding(self.log, stage, why)
        else:
            keys[stage.name] = key

    def _make(self, stage: Stage, key: str, *, anew: bool) -> None:
        """Run a stage and put what it leaves in place, unless its result is there and whole."""
        store, observer, log, by_content = self.store, self.observer, self.log, self.given.by_content
        observer.stage_started(stage.title)
        if store.is_done(stage.name, key) and not anew:
            damage = store.list_damage(stage.name, stage.outputs, by_content=by_content)
            if not damage:
                observer.stage_done(stage.title, 0.0, True, _describe_counts(store.stages[stage.name].counts))
                log.info("stage kept", stage=stage.name, key=key)
                return
            observer.stage_damaged(stage.title, damage)
            log.warning("stage damaged", stage=stage.name, damage=list(damage))
            store.remove_damaged(stage.name, stage.outputs, by_content=by_content)
        progress, options = observer.stage_progress, stage.take(self.config)
        context = StageContext(self.tour, options, store, store.begin(), progress, self.workers, self.models)
        started, cpu_started = time.perf_counter(), _cpu_s(self.workers)
        log.info("stage started", stage=stage.name, key=key)
        try:
            result = _tell_open(stage.run(context), context, is_kind=stage.is_kind)
            require_room(store.root)
        except SampleAgain as wanted:
            log.info("sample again", stage=stage.name, stretch=wanted.stretch, why=str(wanted))
            observer.stage_done(stage.title, time.perf_counter() - started, False, str(wanted))
            raise
        except BaseException as error:
            notes = getattr(error, "__notes__", [])
            log.error("stage failed", stage=stage.name, error=f"{type(error).__name__}: {error}", findings=notes)
            raise
        seconds = time.perf_counter() - started
        entry = StageEntry(
            key=key,
            seconds=round(seconds, 3),
            cpu_seconds=round(_cpu_s(self.workers) - cpu_started, 3),
            finished=datetime.now(UTC).isoformat(timespec="seconds"),
            counts=result.counts,
            findings=result.findings,
            host=platform.node(),
            peak_mb=round(peak_memory_mb(), 1),
            gpu_seconds=round(seconds, 3) if stage.name in _WITH_NETWORKS and holds_gpu() else 0.0,
            attempt=self.given.attempt,
            unanswered=result.open.useless,
        )
        store.commit(stage.name, entry, stage.outputs, list_dependents(stage.name), result.kept)
        for finding in result.findings:
            _log_finding(log, stage, finding)
        log.info("stage done", stage=stage.name, seconds=entry.seconds, cpu_seconds=entry.cpu_seconds, **result.counts)
        observer.stage_done(stage.title, seconds, False, _describe_counts(result.counts))

    def require_finished(self) -> None:
        """Say which kinds of data are left unfinished, once all else is done.

        Raises:
            Unfinished: If there are any.
        """
        if self.failures:
            reasons = "; ".join(f"{stage}: {why.message}" for stage, why in self.store.unfinished.items())
            may_pass = any(not isinstance(failure, UnusableReplies) for failure in self.failures)
            raise Unfinished(f"{self.store.root}: {reasons}", self.store.root, may_pass=may_pass)


@contextmanager
def open_work(
    tour: Tour,
    config: Config,
    observer: Observer | None,
    workers: Workers | None = None,
    models: ModelShelf | None = None,
    made: Sequence[str] = (),
    given: GivenKeys = GivenKeys({}),
) -> Iterator[Work]:
    """Open a run folder; `made` names the kinds of data that are made alone, on results of perhaps another version."""
    observer = observer or Observer()
    store = RunStore(tour.run)
    own = LocalWorkers(config.workers or count_cores()) if workers is None else nullcontext(workers)
    with own as workers, store.opened(), disk_full_as_error(tour.run):
        log, log_file = open_log(tour.run / LOG)
        with log_file:
            _require_own(store, made)
            store.keep_stages(STAGE_NAMES)
            _describe(store, tour, config, made)
            observer.tour_started(tour.name)
            yield Work(tour, config, store, log, observer, workers, models or ModelShelf(), given)


def list_input_keys(stage: Stage, keys: Mapping[str, str], store: RunStore) -> list[str]:
    """Keys of what a stage needs; a kind of data that was not asked for counts as far as the run has it."""
    kept = {name: entry.key for name, entry in store.stages.items() if name in KIND_NAMES}
    return [key for name in stage.needs if (key := keys.get(name) or kept.get(name)) is not None]


def _require_own(store: RunStore, made: Sequence[str]) -> None:
    """Refuse to process a tour into a run that was imported: its stages are not ours to make."""
    if store.imported_as is not None and not made:
        source = store.facts.get("source", "SOURCE")
        raise RoomtourError(
            f"{store.root}: was imported, so there is nothing to process. Make it anew with: roomtour import {source} "
            f"--format {store.imported_as} --out {store.root}; its data with: roomtour make {store.root} --data KIND"
        )


def _tell_open(result: StageResult, context: StageContext, *, is_kind: bool) -> StageResult:
    """The result with what a person should know of the questions that a language model left open.

    Raises:
        UnusableReplies: If so many are open that the rows are not worth taking the place of those that are there.
    """
    if not result.open.count:
        return result
    options = context.config.language
    if is_kind:  # perception has other witnesses
        result.open.require_enough(options)
    finding = Finding("warning", "language.open", context.tour.name, result.open.tell(options))
    counts = {**result.counts, "open questions": result.open.count}
    return replace(result, counts=counts, findings=(*result.findings, finding))


def _cpu_s(workers: Workers) -> float:
    """CPU-seconds of this process and of those that work for it."""
    return time.process_time() + workers.cpu_s


def _log_finding(log: FilteringBoundLogger, stage: Stage, finding: Finding) -> None:
    log.info("finding", stage=stage.name, **asdict(finding))


def _describe(store: RunStore, tour: Tour, config: Config, made: Sequence[str]) -> None:
    """Fill the manifest's facts and write it, so that the folder is ours from the first moment."""
    facts = {
        "tour": tour.name,
        "source": str(tour.source),
        "options": config.to_dict(),
        "versions": {
            **{
                name: importlib.metadata.version(name)
                for name in (*_REPORTED_PACKAGES, *_list_learned_packages(config))
            },
            "python": platform.python_version(),
        },
        "platform": f"{platform.system()} {platform.machine()}",
    }
    if store.imported_as is not None:
        facts[IMPORTED] = store.imported_as
    if made:  # the reconstruction stays what it is; who made the rows stands beside it
        by = store.facts.get("made_by", {})
        facts |= {name: store.facts[name] for name in ("versions", "platform") if name in store.facts}
        facts["made_by"] = by | dict.fromkeys(made, importlib.metadata.version("roomtour"))
    store.facts = facts
    store.unfinished = {}
    store.write()


def _list_learned_packages(config: Config) -> tuple[str, ...]:
    learned = {"models": ("torch", "transformers"), "light": ("onnxruntime", "ai-edge-litert")}
    return learned.get(config.perception, ())


def _describe_counts(counts: Mapping[str, int | float | str]) -> str:
    """`frames 225, shots 1` for one line."""
    return ", ".join(f"{name} {value}" for name, value in counts.items())
