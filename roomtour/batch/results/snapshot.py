"""The finished stages of a run folder that somebody may still be writing to, as a folder of one's own."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from roomtour.errors import RoomtourError
from roomtour.files.records import read_json, write_json
from roomtour.stages.table import STAGES
from roomtour.store import MANIFEST, RunStore

_TRIES = 5


def snapshot_run(run: Path, to: Path) -> tuple[str, ...]:
    """Copy what a run has finished. Whoever writes to `run` may go on, crash or wake up meanwhile.

    A writer strikes a stage out of the manifest before it touches what that stage left. So what the manifest names
    before and after the copy was whole in between. What a stage left that does not come over whole is left out.

    Args:
        run: A run folder; one without a manifest gives nothing.
        to: Folder to make.

    Returns:
        The stages that came over, in run order.

    Raises:
        RoomtourError: If `to` is there, or the run kept changing.
    """
    if to.exists():
        raise RoomtourError(f"{to}: is there already; a snapshot needs a folder of its own")
    for _ in range(_TRIES):
        before = _read(run / MANIFEST)
        if before is None:
            return ()
        shutil.rmtree(to, ignore_errors=True)
        try:
            _copy_finished(run, to)
        except OSError:  # something was moved while it was read
            if _read(run / MANIFEST) == before:
                raise
            continue
        if _read(run / MANIFEST) == before:
            (to / MANIFEST).write_bytes(before)
            return _strike_out_damaged(to)
    shutil.rmtree(to, ignore_errors=True)
    raise RoomtourError(f"{run}: kept changing while it was copied, {_TRIES} times; is a tour processed there now?")


def _read(path: Path) -> bytes | None:
    try:
        return path.read_bytes()
    except FileNotFoundError:
        return None


def _copy_finished(run: Path, to: Path) -> None:
    """All but what unfinished stages left, and what belongs to the process that writes."""
    done = read_json(run / MANIFEST).get("stages", {})
    undone = {run / output for stage in STAGES if stage.name not in done for output in stage.outputs}
    to.mkdir(parents=True)
    for folder, inner, names in os.walk(run):
        here = Path(folder)
        inner[:] = [name for name in inner if not name.startswith(".") and here / name not in undone]
        for name in names:
            source = here / name
            if not name.startswith(".") and not name.endswith(".part") and source not in undone:
                target = to / source.relative_to(run)
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(source, target)


def _strike_out_damaged(run: Path) -> tuple[str, ...]:
    """Take stages whose files are not as they were written, and all that rest on them, off the manifest."""
    manifest = read_json(run / MANIFEST)
    store, kept = RunStore(run), []
    for stage in STAGES:
        rests_on = [need for need in stage.needs if need in store.stages]
        if stage.name in store.stages and set(rests_on) <= set(kept) and not store.list_damage(stage.name, ()):
            kept.append(stage.name)
    manifest["stages"] = {name: entry for name, entry in manifest["stages"].items() if name in kept}
    write_json(run / MANIFEST, manifest)
    return tuple(kept)
