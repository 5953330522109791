"""What a run folder loses once its report is written: matches and unmerged models, most of its size."""

from __future__ import annotations

import shutil
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from roomtour.artifacts import DATABASE, SUB_MODELS
from roomtour.files.disk import count_bytes
from roomtour.files.models import INDEX
from roomtour.stages.context import Stage
from roomtour.stages.table import STAGES
from roomtour.store import RunStore

_READ_BY = {DATABASE: ("sfm", "merge"), SUB_MODELS: ("merge",)}
"""What may be dropped, in the order in which it is made, and the stages that read it; no command does."""


def drop_intermediates(run: Path) -> int:
    """Remove the matches and sub-models of a finished run, as its manifest then says.

    Returns:
        Bytes that were freed; 0 where the report is not written, or nothing was left to drop.

    Raises:
        RoomtourError: If another process works in the folder.
    """
    store, freed = RunStore(run), 0
    if STAGES[-1].name not in store.stages or store.imported_as is not None:
        return 0
    with store.opened():
        for artifact in _READ_BY:
            entry = store.stages.get(artifact.stage)
            if entry is None or artifact.path not in entry.outputs or artifact.path in entry.dropped:
                continue
            store.stages[artifact.stage] = replace(entry, dropped=(*entry.dropped, artifact.path))
            store.write()  # before the files go: what the manifest calls whole is whole
            freed += _remove(run / artifact.path)
    return freed


def list_to_restore(
    stages: Sequence[Stage], keys: Mapping[str, str], store: RunStore, *, by_content: bool = False
) -> set[str]:
    """Stages whose dropped outputs have to be made again, because a stage that reads them has to run.

    Args:
        stages: That are asked for, in run order.
        keys: Of their results, by name.
        store: The run.
        by_content: Read every file to find damage.
    """
    runs = {
        stage.name
        for stage in stages
        if stage.name not in keys
        or not store.is_done(stage.name, keys[stage.name])
        or store.list_damage(stage.name, stage.outputs, by_content=by_content)
    }
    restored: set[str] = set()
    for artifact, readers in reversed(_READ_BY.items()):
        entry = store.stages.get(artifact.stage)
        if entry is not None and artifact.path in entry.dropped and runs.union(restored).intersection(readers):
            restored.add(artifact.stage)
    return restored


def _remove(path: Path) -> int:
    """All but the small index of models, which tells what there was; the bytes that this freed."""
    removed = [path] if path.is_file() else [inner for inner in path.glob("*") if inner.name != INDEX]
    freed = sum(map(count_bytes, removed))
    for inner in removed:
        shutil.rmtree(inner) if inner.is_dir() else inner.unlink()
    return freed
