"""What is done to every model by itself, as tasks: cut where it is bent before joining, finished after it."""

from __future__ import annotations

from dataclasses import dataclass, replace

from recon.adjust.densify import densify
from recon.adjust.refine import refine
from recon.audit.scale_hold import find_weak_scale
from recon.audit.verdict import Verdict
from recon.colmap.log import quiet_colmap
from recon.colmap.packed import Packed, pack
from recon.mapping.loop_closure import close_loops
from recon.merging.regrow import MergeJob, Straightened, straighten
from recon.records import SubModel


@dataclass(frozen=True)
class StraightenModel:
    """A task: `straighten` on one sub-model."""

    job: MergeJob

    def __call__(self, packed: Packed[SubModel]) -> Packed[Straightened]:
        """What became of the sub-model."""
        assert self.job.database_path is not None
        with quiet_colmap():
            return pack(straighten(packed.unpack(), self.job.database_path, self.job.bars, self.job.seed))


@dataclass(frozen=True)
class Unfinished:
    """A model under its final name."""

    model: Packed[SubModel]
    is_unchanged: bool  # whether it is as it came: it has all its points and is refined


@dataclass(frozen=True, eq=False)
class Finished:
    """What was done to a model."""

    model: SubModel | None  # none if it stays as it is
    open_scale: tuple[Verdict, ...] = ()
    """Where the scale of the finished model is known too badly for what lies beyond."""


@dataclass(frozen=True)
class FinishModel:
    """A task: refine one model once more and give it all its points, if anything changed it."""

    job: MergeJob

    def __call__(self, unfinished: Unfinished) -> Packed[Finished]:
        """The finished model."""
        bars, database_path, seed = self.job.bars, self.job.database_path, self.job.seed
        assert database_path is not None
        model = unfinished.model.unpack()
        if unfinished.is_unchanged:
            return pack(Finished(None, self._find_open_scale(model)))
        with quiet_colmap():
            refine(model.reconstruction, database_path, model.frames, bars.refine, seed)
            model = replace(model, reconstruction=close_loops(model.reconstruction, database_path, bars.refine, seed))
            densify(model.reconstruction, database_path, model.frames, seed=seed)
        return pack(Finished(model, self._find_open_scale(model)))

    def _find_open_scale(self, model: SubModel) -> tuple[Verdict, ...]:
        """Also what is spared when a sub-model is cut: a joined model has nothing else to tell its scale."""
        everywhere = replace(self.job.bars.hold, min_sigma=0.0)
        return () if model.held_by_floor else find_weak_scale(model.reconstruction, everywhere)
