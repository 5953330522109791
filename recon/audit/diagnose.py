"""One diagnosis of a model: every place that what is asked of it speaks against."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pycolmap

from recon.audit.contradictions import ContradictionOptions, PairCheck, check_pairs, doubtful_stretches
from recon.audit.doubt import Doubt
from recon.audit.scale_hold import ScaleHoldOptions, find_loose
from recon.audit.torn import TornOptions, find_torn_seams


@dataclass(frozen=True, eq=False)
class Diagnosis:
    """What was found, and what it was found by."""

    doubts: tuple[Doubt, ...]
    """Those of pairs, of tears and of scale, each in time order; they may overlap."""
    checks: tuple[PairCheck, ...] = ()
    """Verdicts of the pairs that were asked."""


def diagnose(
    model: pycolmap.Reconstruction,
    database_path: Path,
    *,
    check: ContradictionOptions | None = None,
    torn: TornOptions | None = None,
    hold: ScaleHoldOptions | None = None,
) -> Diagnosis:
    """Ask a model's matches and points where it is wrong.

    Args:
        model: Image ids as in the database, and in time order.
        database_path: From `build_database`.
        check: Ask pairs of frames for another pose (`contradictions`); they cost most.
        torn: Ask whether matches lie on two points (`torn`), in a tenth of a second.
        hold: Ask whether points hold the scale (`scale_hold`).
    """
    doubts: list[Doubt] = []
    checks: tuple[PairCheck, ...] = ()
    if check is not None:
        checks = tuple(check_pairs(model, database_path, check))
        doubts += doubtful_stretches(sorted(model.reg_image_ids()), checks, check)
    if torn is not None:
        doubts += find_torn_seams(model, database_path, torn)
    if hold is not None:
        doubts += find_loose(model, hold)
    return Diagnosis(tuple(doubts), checks)
