"""Mean relative accuracy of VSI-Bench (CVPR 2025), value for value as its published code computes it."""

from __future__ import annotations

import numpy as np

THRESHOLDS = np.linspace(0.5, 0.95, 10)


def mra(prediction: str, truth: float) -> float:
    """The accuracy of an answer as the published code reads it: strictly, by its first word.

    `2.5 meters` counts as 2.5; `2.5m`, `about 2.5`, `two` and a text that begins with a blank are no number and get 0.
    `grade_number` on what `read_number` reads is the lenient way.

    Args:
        prediction: What a model answered.
        truth: In the unit that the answer is asked for in.

    Raises:
        ZeroDivisionError: For a truth of 0.
    """
    try:
        value = float(prediction.split(" ")[0].rstrip(".").strip())
    except ValueError:
        return 0.0
    return grade_number(value, truth)


def grade_number(value: float, truth: float) -> float:
    """The share of the ten thresholds t of 0.5 to 0.95 with a relative error of at most 1 - t.

    The paper prints `<`; the published code has `<=`, and so do we.

    Raises:
        ZeroDivisionError: For a truth of 0.
    """
    return float((abs(float(value) - float(truth)) / float(truth) <= 1 - THRESHOLDS).mean())
