"""Pictures of an export without what should not leave the house."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from instructions.perception.hiding.words import split_words
from roomtour.export.core.ledger import Ledger
from roomtour.export.core.records import RunData


def hide_in_pictures(run: RunData, asked: str, folder: Path, ledger: Ledger) -> RunData:
    """The run with pictures in which what is asked for, or what it was processed with, is pixelated.

    Args:
        run: With the pictures of its run folder, which stay as they are.
        asked: Such as `person,screen`; empty for what the run was processed with.
        folder: Gets the copies, in a folder of the tour's name.
        ledger: Counts pictures, and tells the card what was done.

    Raises:
        InstructionError: If the light models are not on this machine, or a picture cannot be decoded.
    """
    options = run.provenance.get("options")
    kept = options.get("hide") if isinstance(options, Mapping) else None
    words = split_words(f"{asked},{kept or ''}")
    if not words:
        return run
    from instructions.perception.hiding.find import make_task
    from instructions.perception.hiding.pixelate import copy_hidden

    own = folder / run.scene.id
    own.mkdir()
    done = copy_hidden(run.scene.frames, run.frames_dir, own, make_task(words))
    ledger.counts["pictures with something hidden"] += done.changed
    ledger.card_notes.append(
        f"Tour {run.scene.id}: {' and '.join(words)} pixelated in {done.changed} of {done.pictures} pictures; "
        "each was looked at by two detectors and a segmenter, which may still miss some. The frames of the run folder "
        "stay as they are."
    )
    return replace(run, frames_dir=own, folder=run.home)
