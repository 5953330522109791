"""More rows than the walks as they were walked: parts of them, the way back, and what single views show.

A reversed or cut text is no instruction, so none is reused: the embedded writer sees the new walk, and every claim is
checked against it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from instructions.claims.walk_bars import ClaimBars
from instructions.navigation.grammar_writer import WRITER, WriterOptions, write_instructions
from instructions.navigation.records import KIND, Instruction, ViewDescription
from instructions.navigation.way.way_facts import ProgressionOptions
from instructions.navigation.way.ways import WayOptions
from instructions.records import SpatialLine
from instructions.rows import row_id
from instructions.tour import Tour
from recon.records import Scene
from trajectories.records import Trajectory

VIEW_QUESTION = "Which things are in this view, on which side and how far?"
_WHOLE = WriterOptions(ways=WayOptions(good_s=20.0, max_s=60.0))
"""Parts of a walk are told in one text each as far as a reader can follow."""
_BACK = WriterOptions(progression=ProgressionOptions(only_passes=True))
_BACK_BARS = ClaimBars(pass_seen_after_s=ClaimBars.pass_seen_before_s)
"""Who goes back sees before a thing what the camera saw after it."""


def write_further(
    tour: Tour, parts: Sequence[Trajectory], back: Sequence[Trajectory], *, nameless: bool = False
) -> list[Instruction]:
    """Write with the grammar about walks that nobody walked as such.

    Of things, texts about ways back tell only what is passed: no frame shows what is faced then.

    Returns:
        Accepted and rejected rows.
    """
    whole, turned = replace(_WHOLE, nameless=nameless), replace(_BACK, nameless=nameless)
    return write_instructions(tour, parts, whole) + write_instructions(tour, back, turned, bars=_BACK_BARS)


def describe_views(
    scene: Scene, lines: Sequence[SpatialLine], perception: str, *, seed: int = 0
) -> tuple[ViewDescription, ...]:
    """The question what a view shows, answered by its line of words.

    Frames without a pose, or without words, are left out.
    """
    model_of = {frame: model for model in scene.models for frame in model.frames}
    return tuple(
        ViewDescription(
            id=row_id(seed, scene.id, KIND, WRITER, "view", model_of[line.frame].name, line.frame),
            tour=scene.id,
            model=model_of[line.frame].name,
            views=(line.frame,),
            scale_status=model_of[line.frame].scale.status,
            perception=perception,
            writer=WRITER,
            seed=seed,
            accepted=True,
            question=VIEW_QUESTION,
            text=line.text,
            room=line.room,
        )
        for line in lines
        if line.frame in model_of and line.text.strip()
    )
