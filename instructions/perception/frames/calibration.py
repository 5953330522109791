"""How far the tags of a model can be believed: precision and recall by threshold, on frames labelled by looking."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from pydantic import TypeAdapter, ValidationError
from scipy.special import expit

from instructions.errors import InstructionError
from instructions.perception.interfaces import ImageWords
from instructions.perception.read_rgb import read_rgb
from recon.given_files import read_given_text


@dataclass(frozen=True)
class LabelledFrame:
    """What a person saw in one picture. Words in neither list were not looked for."""

    image: str
    """Relative to the folder of the labels."""
    present: tuple[str, ...] = ()
    absent: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False)
class LabelledScores:
    """Every labelled pair of picture and word."""

    probability: NDArray[np.float64]  # (n,)
    is_present: NDArray[np.bool_]  # (n,)


@dataclass(frozen=True)
class ThresholdRow:
    """What a threshold would keep."""

    threshold: float
    kept: int
    right: int
    present: int
    """Pairs that show the word, kept or not."""

    @property
    def precision(self) -> float | None:
        """Share of what is kept that is right; None where nothing is kept."""
        return self.right / self.kept if self.kept else None

    @property
    def recall(self) -> float | None:
        """Share of what is there that is kept; None where nothing is there."""
        return self.right / self.present if self.present else None


def read_labelled_frames(path: Path) -> list[LabelledFrame]:
    """Labels from JSONL, a line such as `{"image": "a.jpg", "present": ["sofa"], "absent": ["bed"]}` per picture.

    Raises:
        InstructionError: Naming file and line of what does not fit.
    """
    try:
        lines = read_given_text(path).splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise InstructionError(f"{path}: labels cannot be read: {error}") from error
    adapter = TypeAdapter(LabelledFrame)
    frames = []
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            frame = adapter.validate_json(line)
        except ValidationError as error:
            first = error.errors(include_url=False)[0]
            field = ".".join(str(part) for part in first["loc"]) or "line"
            raise InstructionError(f"{path}:{number}: {field}: {first['msg'].lower()}") from error
        both = sorted({*frame.present} & {*frame.absent})
        if both:
            raise InstructionError(f"{path}:{number}: {both[0]!r} is both present and absent")
        frames.append(frame)
    if not any(frame.present for frame in frames):
        raise InstructionError(f"{path}: no line has a word under present, so nothing can be measured")
    return frames


def score_labels(frames: Sequence[LabelledFrame], folder: Path, model: ImageWords) -> LabelledScores:
    """Ask a model for every labelled word of every picture.

    Raises:
        InstructionError: If a picture cannot be decoded.
    """
    values: list[float] = []
    truth: list[bool] = []
    for frame in frames:
        words = [*frame.present, *frame.absent]
        if not words:
            continue
        image = read_rgb(folder / frame.image)
        if image is None:
            raise InstructionError(f"{folder / frame.image}: the picture is missing or cannot be decoded")
        values += expit(model.score(model.embed([image]), words)[0].astype(np.float64)).tolist()
        truth += [at < len(frame.present) for at in range(len(words))]
    return LabelledScores(np.array(values), np.array(truth, dtype=bool))


def measure_thresholds(scores: LabelledScores, thresholds: Sequence[float]) -> list[ThresholdRow]:
    """What each threshold would keep of the labelled pairs."""
    present = int(scores.is_present.sum())
    rows = []
    for threshold in thresholds:
        kept = scores.probability >= threshold
        rows.append(ThresholdRow(threshold, int(kept.sum()), int((kept & scores.is_present).sum()), present))
    return rows


def find_threshold(scores: LabelledScores, precision: float) -> ThresholdRow | None:
    """The lowest threshold, and so the one that keeps most, of those that are at least so precise.

    Args:
        scores: Of labelled pairs.
        precision: Wanted share of right ones, 0 to 1.

    Returns:
        None if no threshold is so precise.
    """
    rows = measure_thresholds(scores, sorted({*scores.probability[scores.probability > 0].tolist()}))
    return next((row for row in rows if (row.precision or 0.0) >= precision), None)
