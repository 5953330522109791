"""Plan and run the stages of one tour: what is done stays, what changed runs again, what fails is told in one line."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from instructions.perception.models.shelf import ModelShelf
from roomtour.commands import process_command
from roomtour.config import Config, config_from_dict, require_ranges
from roomtour.dropping import drop_intermediates, list_to_restore
from roomtour.errors import USER_ERRORS, RoomtourError
from roomtour.keys import GivenKeys, choose_perception, gather_facts, list_stages
from roomtour.kinds import KIND_NAMES, require_kinds
from roomtour.progress import Observer
from roomtour.run import Run
from roomtour.sources import Tour, plan_tours, source_key
from roomtour.stages.context import SampleAgain, Stage, stage_module
from roomtour.stages.table import STAGES, list_dependents, needed_by, require_stage
from roomtour.store import MANIFEST, Keep, RunStore, Stretches, result_key
from roomtour.work import list_input_keys, open_work
from roomtour.workers.ray_workers import Workers


def process_tour(
    tour: Tour,
    config: Config = Config(),
    *,
    until: str | None = None,
    force: str | None = None,
    observer: Observer | None = None,
    workers: Workers | None = None,
    models: ModelShelf | None = None,
    by_content: bool = False,
    keys: Mapping[str, str] | None = None,
    attempt: int = 0,
    keep: Keep = "exports",
) -> Run:
    """Make or continue one run folder. Results that are missing or damaged are made anew.

    Args:
        tour: What to read and where to write.
        config: Options of every stage, and the kinds of data to make.
        until: Last stage to run; all by default.
        force: Run this stage and all that rest on it again.
        observer: Told of the progress.
        workers: Run the tasks of the stages; they stay open. By default `config.workers` processes of this machine,
            for this tour only.
        models: Keeps learned models on a GPU from tour to tour; by default they are loaded for this one.
        by_content: Read every file of finished stages to find damage; else only their number and sizes are compared.
        keys: Of the stages, as `result_keys` gives them; a stage that is done under its key needs no weights here.
        attempt: Of a job; goes into the manifest.
        keep: `exports` drops matches and unmerged models once the report is written; what reads them has them made
            again.

    Raises:
        Unfinished: If a language model left questions of a kind of data unanswered; all other stages are done, and
            what the kind had before stays.
        RoomtourError, ReconError, TrajectoryError, InstructionError: One line on what is wrong with the input.
    """
    require_ranges(config)
    for flag, name in (("--until", until), ("--force", force)):
        if name is not None:
            require_stage(flag, name)
    kinds = require_kinds((*config.data, *(name for name in (until, force) if name in KIND_NAMES)))
    asked = replace(config, data=kinds, tour=gather_facts(tour, config))
    config = choose_perception(asked)
    if (tour.run / MANIFEST).is_file():
        stage_module("vision").require_same_perception(asked, config, Run(tour.run).perception, tour.run)
    chosen = list_stages(kinds, until)
    given = GivenKeys(keys or {}, attempt, by_content)
    _require_means([stage for stage in chosen if not given.has_done(stage, tour.run)], config, tour.run)
    identity = source_key(tour.source)
    with open_work(tour, config, observer, workers, models, given=given) as work:
        if force is not None:
            _forget(work.store, force)
        work.log.info("run", tour=tour.name, source=str(tour.source), until=until, force=force)
        planned: dict[str, str] = {}
        for stage in chosen:
            inputs = list_input_keys(stage, planned, work.store) or [tour.name, identity]
            planned[stage.name] = given.name_result(stage, inputs, config)
        if force == chosen[0].name or work.store.stretches.sample != planned[chosen[0].name]:
            work.store.stretches = Stretches()
        anew = list_to_restore(chosen, planned, work.store, by_content=by_content) | ({force} if force else set())
        work.observer.stages_planned(_share_time(config, chosen, planned, anew, work.store))
        while True:
            done: dict[str, str] = {}
            try:
                for stage in chosen:
                    inputs = list_input_keys(stage, done, work.store) or [tour.name, identity]
                    work.run(stage, inputs, done, anew=stage.name in anew)
                break
            except SampleAgain as wanted:
                work.store.stretch_pictures(planned[chosen[0].name], wanted.stretch)
        work.require_finished()
    if keep == "exports":
        drop_intermediates(tour.run)
    return Run(tour.run)


def _share_time(
    config: Config, chosen: Sequence[Stage], planned: Mapping[str, str], anew: Collection[str], store: RunStore
) -> dict[str, float]:
    """What `Observer.stages_planned` is told; nothing where servers or large models take times of their own."""
    if config.writer == "llm" or config.perception in ("models", "server"):
        return {}
    return {
        stage.title: stage.share
        for stage in chosen
        if stage.name in anew or not store.is_done(stage.name, planned[stage.name])
    }


def make_data(
    run: Path | str, kinds: Sequence[str], config: Config | None = None, *, observer: Observer | None = None
) -> Run:
    """Make kinds of data from a finished or imported run; its source is not needed.

    Args:
        run: A run folder.
        kinds: Names of kinds.
        config: Options; those the run was made with by default (`run_config`).
        observer: Told of the progress.

    Raises:
        Unfinished: As `process_tour` does.
        RoomtourError, InstructionError: One line: no run, no such kind, or a stage it needs that is not done or stale.
    """
    done = Run(run)
    config = choose_perception(run_config(done) if config is None else config)
    require_ranges(config)
    wanted = require_kinds(kinds)
    stages = [stage for stage in STAGES if stage.name in wanted]
    for stage in stages:
        if done.imported_as is not None:
            _require_imported(stage, done)
        else:
            _require_current(needed_by(stage.name), config, done, stage.name)
    _require_means(stages, config, done.path)
    tour = Tour(str(done.manifest.get("tour", done.path.name)), Path(str(done.manifest.get("source", ""))), done.path)
    config = replace(config, data=require_kinds((*done.kinds, *wanted)))
    with open_work(tour, config, observer, made=wanted) as work:
        work.log.info("make", tour=tour.name, kinds=list(wanted))
        report = STAGES[-1]
        can_report = set(done.stages).issuperset(["plan"] if done.imported_as is not None else needed_by(report.name))
        keys = {name: entry.key for name, entry in work.store.stages.items() if name not in wanted}
        for stage in (*stages, *([report] if can_report else [])):
            work.run(stage, list_input_keys(stage, keys, work.store), keys)
        work.require_finished()
    return Run(run)


def _forget(store: RunStore, force: str) -> None:
    """Let a stage and all that rest on it run again; the rows of a kind stay until there are others."""
    store.forget([name for name in (force, *list_dependents(force)) if name not in KIND_NAMES or name != force])


def run_config(run: Run) -> Config:
    """The options a run was made with.

    Raises:
        RoomtourError: If it was made by a version with other options.
    """
    try:
        config = config_from_dict(run.manifest.get("options", {}))
    except RoomtourError as error:
        version = run.manifest.get("versions", {}).get("roomtour", "an unknown version")
        raise RoomtourError(
            f"{run.path}: made by roomtour {version} with options that this one does not have ({error}). "
            f"Bring it up to date first: {process_command(run.manifest, run.path)}"
        ) from error
    return replace(config, workers=None)  # those of the manifest are of the machine that made it


def _require_current(names: Sequence[str], config: Config, run: Run, kind: str) -> None:
    """Refuse to build on stages that are not done, or that this version or these options would make anew.

    What rests on a file outside the run (given poses, learned models) that is gone cannot be told, and is believed.
    """
    command = process_command(run.manifest, run.path, until=kind)
    for stage in (stage for stage in STAGES if stage.name in names):
        entry = run.stages.get(stage.name)
        if entry is None:
            raise RoomtourError(f"{run.path}: stage {stage.name} is not done, and {kind} needs it. Run: {command}")
        _require_as_written(stage, run, kind)
        if not stage.needs:
            continue  # named by its source, which is not needed here
        inputs = [run.stages[name].key for name in stage.needs]
        try:
            deciders = [stage.identify(config, elsewhere=elsewhere) for elsewhere in (False, True)]
        except USER_ERRORS:
            continue
        if entry.key not in [result_key(stage.name, stage.code, inputs, decider) for decider in deciders]:
            raise RoomtourError(
                f"{run.path}: stage {stage.name} is of another version or of other options than the run names now, and "
                f"{kind} needs it. Bring it up to date first: {command}"
            )


def _require_imported(kind: Stage, run: Run) -> None:
    """Refuse a kind whose needs the format of an imported run does not have, or that are damaged."""
    missing = [need for need in kind.needs if need not in KIND_NAMES and need not in run.stages]
    if missing:
        raise RoomtourError(
            f"{run.path}: {kind.name} needs {missing[0]}, which a run imported as {run.imported_as} does not have"
        )
    for stage in (stage for stage in STAGES if stage.name in needed_by(kind.name) and stage.name in run.stages):
        _require_as_written(stage, run, kind.name)


def _require_as_written(stage: Stage, run: Run, kind: str) -> None:
    """Refuse to make rows of files that are not, byte for byte, what a stage wrote."""
    damage = RunStore(run.path).list_damage(stage.name, stage.outputs, by_content=True)
    if damage:
        raise RoomtourError(
            f"{run.path}: stage {stage.name} is damaged ({damage[0]}), and {kind} needs it. "
            f"Repair it with: roomtour check {run.path} --repair"
        )


def _require_means(stages: Sequence[Stage], config: Config, run: Path) -> None:
    for stage in stages:
        if stage.require is not None:
            stage.require(config, run)


def process(
    path: Path | str, out: Path | str, config: Config = Config(), *, until: str | None = None, keep: Keep = "exports"
) -> Run:
    """Process one tour from Python.

    Args:
        path: A video or a folder of ordered images (set `Config(input=InputOptions(fps=...))` then).
        out: The run folder, made if absent and continued if present.
        config: Options of every stage.
        until: Last stage to run, such as `scene` for the poses alone; all by default.
        keep: `all` keeps matches and unmerged models too, most of a run's size, which no command reads.

    Returns:
        The run, whose scene, trajectories and rows are typed objects.

    Raises:
        RoomtourError, ReconError, TrajectoryError, InstructionError: One line on what is wrong with the input.
    """
    return process_tour(plan_tours([Path(path)], Path(out))[0], config, until=until, keep=keep)
