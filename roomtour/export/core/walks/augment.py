"""More ways than a run's walks: parts of them and the way back, with the texts that the run holds about them."""

from __future__ import annotations

from dataclasses import dataclass, replace

from roomtour.export.core.ledger import ExportOptions, Ledger
from roomtour.export.core.records import RunData
from trajectories.training import is_way_back


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


def add_further_walks(run: RunData, ledger: Ledger, options: ExportOptions) -> RunData:
    """The run with more walks and their texts, as the options say.

    Args:
        run: A run.
        ledger: Told where a run has no such walks although it has trajectories.
        options: Of the format; those without augmentation give the run itself.

    Returns:
        The run with further trajectories (`{id}_s{n}`, `{id}_back`) and the rows about them.
    """
    parts = isinstance(options, AugmentOptions) and options.sub_walks
    back = isinstance(options, PoseAugmentOptions) and options.way_back
    if not parts and not back:
        return run
    if run.trajectories and not run.further_walks:
        ledger.warn(
            "export.no_further_walks",
            f"tour {run.scene.id}",
            "the run holds no parts of walks and no ways back: its walks are too short for them",
        )
    walks = [walk for walk in run.further_walks if (back if is_way_back(walk) else parts)]
    names = {walk.id for walk in walks}
    rows = [row for row in run.further_instructions if row.trajectory in names]
    more = replace(run, trajectories=(*run.trajectories, *walks))
    return more.with_rows("navigation", (*run.instructions, *rows))
