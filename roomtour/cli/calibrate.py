"""`roomtour models calibrate`: which probability of a tag gives which precision, on frames that a person labelled."""

from __future__ import annotations

from pathlib import Path

import yaml

from instructions.perception.frames.calibration import (
    LabelledScores,
    ThresholdRow,
    find_threshold,
    measure_thresholds,
    read_labelled_frames,
    score_labels,
)
from instructions.perception.interfaces import ImageWords
from instructions.perception.models.options import VisionOptions
from roomtour.cli.console import tell
from roomtour.errors import RoomtourError

_SHOWN = (0.001, 0.003, 0.01, 0.02, 0.03, 0.05, 0.08, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)
_FEW = 30
"""With fewer right pairs above it a threshold is known to about a tenth of precision only."""


def calibrate(labels: Path, precision: float, vision: VisionOptions, out: Path | None) -> int:
    """Print precision and recall by threshold, and the threshold for the wanted precision.

    Args:
        labels: JSONL of pictures with words that they show and do not show.
        precision: Wanted, 0 to 1.
        vision: Which models are chosen.
        out: YAML file that gets the threshold, for `--config`; nothing is written if None.
    """
    if not 0.0 < precision <= 1.0:
        raise RoomtourError(f"--precision is {precision}, need more than 0 and at most 1")
    frames = read_labelled_frames(labels)
    scores = score_labels(frames, labels.parent, _load(vision))
    tell(
        f"{len(scores.probability)} labelled pairs of picture and word, {int(scores.is_present.sum())} of them present"
    )
    tell("threshold  precision  recall  kept")
    for row in measure_thresholds(scores, _SHOWN):
        tell(_format(row))
    return _tell_threshold(scores, precision, out)


def _tell_threshold(scores: LabelledScores, precision: float, out: Path | None) -> int:
    found = find_threshold(scores, precision)
    if found is None:
        tell(f"no threshold is as precise as {precision:g}")
        return 1
    tell(f"for a precision of {precision:g}: --vision.tag-probability {found.threshold:.3g}")
    tell(_format(found))
    if found.right < _FEW:
        tell(f"only {found.right} right ones are above it; label more frames before you rely on it")
    if out is not None:
        try:
            out.write_text(yaml.safe_dump({"vision": {"tag_probability": float(f"{found.threshold:.3g}")}}), "utf-8")
        except OSError as error:
            raise RoomtourError(f"--out {out}: cannot be written: {error.strerror or error}") from error
        tell(f"written for --config: {out}")
    return 0


def _format(row: ThresholdRow) -> str:
    shares = ["     -" if share is None else f"{share:6.2f}" for share in (row.precision, row.recall)]
    return f"{row.threshold:9.3g}     {shares[0]}  {shares[1]}  {row.kept:4d}"


def _load(vision: VisionOptions) -> ImageWords:
    from instructions.perception.models.runtime import pick_runtime
    from instructions.perception.models.siglip import Siglip
    from instructions.perception.models.weights import find_model

    if not vision.tags.model:
        raise RoomtourError("models calibrate: no model gives tags; set --vision.tags.model")
    return Siglip(find_model("tags", vision.tags), pick_runtime(vision.device, vision.dtype))
