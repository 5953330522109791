"""What a run folder may lose once everything is made that is exported: matches and sub-models, most of its size."""

from __future__ import annotations

import shutil
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from roomtour.artifacts import DATABASE, SUB_MODELS
from roomtour.files.models import INDEX
from roomtour.stages.context import Stage
from roomtour.stages.table import STAGES
from roomtour.store import RunStore

_READ_BY = {DATABASE.stage: ("sfm", "merge", "scene"), SUB_MODELS.stage: ("merge", "scene")}
"""Stages whose outputs may be dropped, and those that read them."""


def drop_intermediates(run: Path) -> int:
    """Remove the database of matches and the sub-models of a finished run, and say so in its manifest.

    Returns:
        Bytes that were freed; 0 where nothing later than the scene is done, or nothing was left to drop.

    Raises:
        RoomtourError: If another process works in the folder.
    """
    store, freed = RunStore(run), 0
    if STAGES[-1].name not in store.stages or store.imported_as is not None:
        return 0
    with store.opened():
        for name in _READ_BY:
            entry = store.stages.get(name)
            if entry is None or entry.dropped:
                continue
            store.stages[name] = replace(entry, dropped=tuple(entry.outputs))
            store.write()  # before the files go: what the manifest calls whole is whole
            freed += sum(_remove(run / output) for output in entry.outputs)
    return freed


def list_to_restore(stages: Sequence[Stage], keys: Mapping[str, str], store: RunStore) -> set[str]:
    """Stages whose dropped outputs have to be made again, because a stage that reads them has to run.

    Args:
        stages: That are asked for, in run order.
        keys: Of their results, by name.
        store: The run.
    """
    runs = {
        stage.name
        for stage in stages
        if stage.name not in keys
        or not store.is_done(stage.name, keys[stage.name])
        or store.list_damage(stage.name, stage.outputs)
    }
    restored: set[str] = set()
    for name in reversed(_READ_BY):
        if name in store.stages and store.stages[name].dropped and runs.union(restored).intersection(_READ_BY[name]):
            restored.add(name)
    return restored


def _remove(path: Path) -> int:
    """All but the small index of sub-models, which tells what there was."""
    if path.is_file():
        size = path.stat().st_size
        path.unlink()
        return size
    freed = 0
    for inner in list(path.iterdir()) if path.is_dir() else []:
        if inner.name == INDEX:
            continue
        freed += sum(file.stat().st_size for file in inner.rglob("*") if file.is_file()) if inner.is_dir() else 0
        freed += inner.stat().st_size if inner.is_file() else 0
        shutil.rmtree(inner) if inner.is_dir() else inner.unlink()
    return freed
