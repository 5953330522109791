"""A toy kind of data: how many things a view shows. In a copy of the project this becomes `instructions/toy.py`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from instructions.records import Observation
from instructions.rows import Row, row_id
from recon.records import Scene


@dataclass(frozen=True, kw_only=True)
class ToyOptions:
    """Which questions are asked."""

    least: int = 1
    """Views with fewer things are asked too, and rejected."""


@dataclass(frozen=True, kw_only=True)
class ToyRow(Row):
    """How many things a view shows."""

    question: str
    answer: int


def count_things(
    scene: Scene, observations: Sequence[Observation], options: ToyOptions = ToyOptions(), *, seed: int = 0
) -> list[ToyRow]:
    """Ask of every registered view how many things it shows."""
    seen = Counter(one.frame for one in observations)
    rows = []
    for model in scene.models:
        for frame in model.frames:
            too_few = seen[frame] < options.least
            rows.append(
                ToyRow(
                    id=row_id(seed, scene.id, "toy", model.name, frame),
                    tour=scene.id,
                    model=model.name,
                    views=(frame,),
                    scale_status=model.scale.status,
                    perception="embedded",
                    writer="embedded",
                    seed=seed,
                    accepted=not too_few,
                    rejected_because="too_few" if too_few else None,
                    rejection=f"{seen[frame]} things, need {options.least}" if too_few else None,
                    question="How many things are in this view?",
                    answer=seen[frame],
                )
            )
    return rows
