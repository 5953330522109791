"""What is done to every model by itself, as tasks: cut where it is bent before joining, finished after it."""

from __future__ import annotations

from dataclasses import dataclass

from recon.adjust.densify import densify
from recon.adjust.refine import refine
from recon.colmap.log import quiet_colmap
from recon.colmap.packed import PackedSubModel, pack_sub_model
from recon.diagnosis.contradictions import PairCheck
from recon.diagnosis.doubt import Doubt
from recon.diagnosis.scale_hold import find_loose
from recon.findings import Finding
from recon.merging.join import JoinJob
from recon.merging.loops import ClosedLoop, close_loop
from recon.merging.regrow import straighten
from recon.records import SubModel


@dataclass(frozen=True, eq=False)
class PackedStraightened:
    """A `Straightened` that can be pickled."""

    models: tuple[PackedSubModel, ...] | None
    """None if nothing was wrong."""
    findings: tuple[Finding, ...]
    checks: tuple[PairCheck, ...]


@dataclass(frozen=True)
class StraightenModel:
    """A task: `straighten` on one sub-model."""

    job: JoinJob

    def __call__(self, packed: PackedSubModel) -> PackedStraightened:
        """What became of the sub-model."""
        assert self.job.database_path is not None
        model = packed.unpack()
        with quiet_colmap():
            found = straighten(model, self.job.database_path, self.job.options.straighten, self.job.seed)
        same = found.models == (model,)
        models = None if same else tuple(pack_sub_model(part) for part in found.models)
        return PackedStraightened(models, found.findings, found.checks)


@dataclass(frozen=True)
class Unfinished:
    """A model under its final name."""

    model: PackedSubModel
    is_unchanged: bool
    """Whether it is as it came: it has all its points and is refined."""


@dataclass(frozen=True)
class Finished:
    """What was done to a model."""

    model: PackedSubModel | None
    """None if it stays as it is."""
    findings: tuple[Finding, ...] = ()
    open_scale: tuple[Doubt, ...] = ()
    """Where the scale of the finished model is known too badly for what lies beyond."""


@dataclass(frozen=True)
class FinishModel:
    """A task: close the loop of one model, refine it once more and give it all its points, if anything changed it."""

    job: JoinJob
    may_close: bool
    """Whether revisits are to be believed."""

    def __call__(self, unfinished: Unfinished) -> Finished:
        """The finished model."""
        options, database_path, seed = self.job.options, self.job.database_path, self.job.seed
        assert database_path is not None
        model, closed = unfinished.model.unpack(), None
        if model.held_by_floor and unfinished.is_unchanged:
            return Finished(None)
        with quiet_colmap():
            if self.may_close:
                closed = close_loop(model, database_path, options.refine, options.loops, seed)
            if closed is None and unfinished.is_unchanged:
                return Finished(None, (), _find_open_scale(model))
            made = model if closed is None else closed.model
            if closed is None:
                refine(made.reconstruction, database_path, made.frames, options.refine, seed)
            densify(made.reconstruction, database_path, made.frames, options.densify, seed)
        findings = () if closed is None else (_make_closed_finding(closed),)
        return Finished(pack_sub_model(made), findings, _find_open_scale(made))


def _find_open_scale(model: SubModel) -> tuple[Doubt, ...]:
    """Also what is spared when a sub-model is cut: a joined model has nothing else to tell its scale."""
    return () if model.held_by_floor else find_loose(model.reconstruction)


def _make_closed_finding(closed: ClosedLoop) -> Finding:
    (a, b), (c, d) = closed.first_visit, closed.second_visit
    message = (
        f"what frames {a}-{b} saw, frames {c}-{d} saw at {closed.scale:.2f} times its size: the walk had drifted. The "
        "difference was distributed over the frames between, where scale is held least, and the matches agree now"
    )
    return Finding("info", "merge.loop_closed", f"model {closed.model.name}", message)
