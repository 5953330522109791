"""More ways than a run tells: parts of its walks and the way back, with texts asked for anew.

A reversed or cut text is no instruction, so none is reused: the embedded writer sees the new walk, and every claim is
checked against it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from instructions.navigation.grammar_writer import WriterOptions, write_instructions
from instructions.navigation.records import Instruction
from instructions.navigation.ways import WayOptions
from instructions.records import SceneObject
from roomtour.export.core.ledger import ExportOptions
from roomtour.export.core.records import RunData
from trajectories.augment import reverse_walk, sub_walks
from trajectories.records import Trajectory

_WHOLE = WriterOptions(ways=WayOptions(min_s=1.0, good_s=20.0, max_s=60.0))
"""Parts of a walk are told in one text each as far as a reader can follow."""


@dataclass(frozen=True, kw_only=True)
class AugmentOptions(ExportOptions):
    """Options of formats whose rows are told ways with their pictures."""

    sub_walks: bool = False
    """Add ways that begin and end in the middle of others, with texts of the embedded writer."""


@dataclass(frozen=True, kw_only=True)
class PoseAugmentOptions(AugmentOptions):
    """Options of formats whose rows are told ways of poses only."""

    way_back: bool = False
    """Add the walk back, each place faced the other way. Its texts name no things: no frame shows what is seen then."""


def augmented(run: RunData, options: ExportOptions) -> RunData:
    """The run with more walks and their texts, as the options say.

    Args:
        run: A run.
        options: Of the format; those without augmentation give the run itself.

    Returns:
        The run with further trajectories (`{id}_s{n}`, `{id}_back`) and instructions of the writer `embedded`.
    """
    walks = run.trajectories
    if isinstance(options, AugmentOptions) and options.sub_walks:
        parts = [part for walk in walks for part in sub_walks(walk)]
        run = _with(run, parts, run.objects, _WHOLE, options.seed)
    if isinstance(options, PoseAugmentOptions) and options.way_back:
        run = _with(run, [reverse_walk(walk) for walk in walks], (), WriterOptions(), options.seed)
    return run


def _with(
    run: RunData, walks: Sequence[Trajectory], objects: Sequence[SceneObject], writer: WriterOptions, seed: int
) -> RunData:
    texts: list[Instruction] = write_instructions(run.scene, walks, objects, run.observations, writer, seed=seed)
    more = replace(run, trajectories=(*run.trajectories, *walks))
    return more.with_rows("navigation", (*run.instructions, *texts))
