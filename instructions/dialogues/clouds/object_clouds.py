"""Single things cut out of a cloud, in the form that readers of object clouds take, and what is said of each."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from instructions.asking.draws import Draw
from instructions.dialogues.options import TalkGates
from instructions.dialogues.records import CloudBox, Dialogue
from instructions.records import SceneObject
from instructions.wording.english import is_plural, with_article

POINTS = 8192
"""That a reader wants of each thing, which stands in the name of its file too."""
LEAST_POINTS = 100
"""Of the cloud in the box of a thing: fewer show no shape."""
_GROWN = 1.05
"""Of the box, for points on its faces."""
_QUESTIONS = (
    "What is this?", "What kind of thing is this?", "What do these points show?", "What object is it?",
    "Which thing has been scanned here?", "What would you call this?",
)  # fmt: skip


def cut_object(xyz_rgb: NDArray[np.float32], box: CloudBox, draw: Draw) -> NDArray[np.float32] | None:
    """The points of a thing, float32 (8192, 6): metres about its middle, colours from 0 to 1; None for too few.

    Args:
        xyz_rgb: (N, 6) points of its cloud, colours from 0 to 255.
        box: Of the thing.
        draw: Which points, where there are more; where there are fewer, which are there twice.
    """
    axes, half = np.array(box.obb.rotation), np.array(box.obb.half_extents)
    away = (xyz_rgb[:, :3].astype(np.float64) - np.array(box.obb.center)) @ axes
    inside = xyz_rgb[(np.abs(away) <= half * _GROWN).all(axis=1)]
    if len(inside) < LEAST_POINTS:
        return None
    generator = np.random.default_rng(int(draw.uniform() * 2**32))
    if len(inside) >= POINTS:
        rows = np.sort(generator.choice(len(inside), POINTS, replace=False))
    else:
        more = generator.choice(len(inside), POINTS - len(inside))
        rows = np.sort(np.concatenate([np.arange(len(inside)), more]))
    out = inside[rows].astype(np.float64)
    out[:, :3] -= np.array(box.obb.center)
    out[:, 3:] /= 255.0
    return out.astype(np.float32)


def is_sure(thing: SceneObject, gates: TalkGates = TalkGates()) -> bool:
    """Whether a thing may be called by its category."""
    return thing.category is not None and len(thing.frames) >= gates.min_views


def talk_of_object(thing: SceneObject, rows: Sequence[Dialogue], draw: Draw) -> Iterator[tuple[str, tuple[str, str]]]:
    """What is said of a surely named thing, by type of conversation: what it is, and rows about its points alone."""
    name = thing.category or ""
    verb = "These are" if is_plural(name) else "This is"
    question = _QUESTIONS[int(draw.uniform() * len(_QUESTIONS))]
    yield "simple_description", (question, f"{verb} {with_article(name)}.")
    for row in rows:
        objects = {one for evidence in row.evidence for one in evidence.objects}
        # About the thing and not about its place: what its points alone can answer.
        is_of_itself = any(one.name.split(" ")[0] in ("height", "length", "color") for one in row.evidence)
        if row.task == "vqa_cloud" and objects == {thing.id} and is_of_itself:
            yield "single_round", (row.turns[0].question, row.turns[0].answer)


def rows_by_cloud(rows: Sequence[Dialogue]) -> Mapping[str, list[Dialogue]]:
    """Accepted rows about clouds, by cloud."""
    out: dict[str, list[Dialogue]] = {}
    for row in rows:
        if row.accepted and row.cloud is not None:
            out.setdefault(row.cloud, []).append(row)
    return out
