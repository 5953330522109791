"""Precision and recall of tags by threshold, on pictures whose content is known."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from instructions.errors import InstructionError
from instructions.perception.frames.calibration import (
    LabelledFrame,
    LabelledScores,
    find_threshold,
    measure_thresholds,
    read_labelled_frames,
    score_labels,
)
from instructions.perception.interfaces import RgbImage


class GreyWords:
    """Is as sure of a desk as the picture is bright, and of a bed as it is dark."""

    def embed(self, images: Sequence[RgbImage]) -> NDArray[np.float32]:
        return np.array([[image.mean() / 255] for image in images], dtype=np.float32)

    def score(self, embeddings: NDArray[np.float32], texts: Sequence[str]) -> NDArray[np.float32]:
        bright = np.hstack([embeddings if text == "desk" else 1 - embeddings for text in texts])
        return np.log(bright / (1 - bright))


def pictures(folder: Path, *greys: int) -> None:
    for grey in greys:
        cv2.imwrite(str(folder / f"{grey}.png"), np.full((8, 8, 3), grey, dtype=np.uint8))


def labels(folder: Path, *rows: dict[str, object]) -> Path:
    path = folder / "labels.jsonl"
    path.write_text("\n".join(json.dumps(row) for row in rows) + "\n", encoding="utf-8")
    return path


def scores(probability: Sequence[float], present: Sequence[int]) -> LabelledScores:
    return LabelledScores(np.array(probability), np.array(present, dtype=bool))


def test_a_model_is_asked_for_what_is_labelled(tmp_path: Path):
    pictures(tmp_path, 51, 204)
    rows = [LabelledFrame("51.png", ("bed",), ("desk",)), LabelledFrame("204.png", ("desk",))]
    found = score_labels(rows, tmp_path, GreyWords())
    assert found.probability == pytest.approx([0.8, 0.2, 0.8])
    assert found.is_present.tolist() == [True, False, True]


def test_precision_and_recall_are_those_of_the_pairs_above_the_threshold():
    known = scores([0.9, 0.8, 0.6, 0.4, 0.2], [1, 1, 0, 1, 0])
    low, middle, high, none = measure_thresholds(known, [0.3, 0.5, 0.8, 0.95])
    assert (low.kept, low.right, low.precision, low.recall) == (4, 3, 0.75, 1.0)
    assert (middle.precision, middle.recall) == (pytest.approx(2 / 3), pytest.approx(2 / 3))
    assert high.precision == 1.0  # a pair at the threshold is kept
    assert high.kept == 2
    assert none.precision is None


def test_of_all_that_are_precise_enough_the_lowest_is_taken():
    for wanted, threshold in ((0.75, 0.4), (0.76, 0.8), (1.0, 0.8), (0.6, 0.2)):
        found = find_threshold(scores([0.9, 0.8, 0.6, 0.4, 0.2], [1, 1, 0, 1, 0]), wanted)
        assert found is not None
        assert found.threshold == threshold
    assert find_threshold(scores([0.9, 0.0], [0, 1]), 0.1) is None


WRONG: tuple[tuple[dict[str, object], str], ...] = (
    ({"present": ["bed"]}, "labels.jsonl:2: image"),
    ({"image": "a.png", "present": "bed"}, "labels.jsonl:2: present"),
    ({"image": "a.png", "present": ["bed"], "absent": ["bed"]}, "'bed' is both present and absent"),
)


def test_a_wrong_line_is_named(tmp_path: Path):
    for row, message in WRONG:
        path = labels(tmp_path, {"image": "a.png", "present": ["bed"]}, row)
        with pytest.raises(InstructionError, match=message):
            read_labelled_frames(path)


def test_labels_are_read(tmp_path: Path):
    path = labels(tmp_path, {"image": "a.png", "present": ["bed"], "absent": ["desk"]})
    assert read_labelled_frames(path) == [LabelledFrame("a.png", ("bed",), ("desk",))]
    with pytest.raises(InstructionError, match="no line has a word under present"):
        read_labelled_frames(labels(tmp_path, {"image": "a.png", "absent": ["desk"]}))
    with pytest.raises(InstructionError, match="cannot be read"):
        read_labelled_frames(tmp_path / "none.jsonl")
