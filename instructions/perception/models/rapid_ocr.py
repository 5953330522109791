"""Writing in pictures by RapidOCR: PP-OCR's networks, which its wheel holds, on a CPU; nothing is fetched."""

from __future__ import annotations

from importlib.util import find_spec

import numpy as np

from instructions.errors import InstructionError
from instructions.perception.interfaces import FoundText, RgbImage

INSTALL = 'pip install "roomtour[ocr]"'


def require_rapid_ocr() -> None:
    """Refuse at once what would fail after the reconstruction.

    Raises:
        InstructionError: If RapidOCR is not installed.
    """
    if find_spec("rapidocr") is None:
        raise InstructionError(f"--dialogues.words rapidocr: RapidOCR is not installed: {INSTALL}")


class RapidOcr:
    """Lines of writing with boxes and confidences."""

    def __init__(self) -> None:
        """Load the networks for finding, turning and reading lines.

        Raises:
            InstructionError: If RapidOCR is not installed.
        """
        require_rapid_ocr()
        from rapidocr import RapidOCR
        from rapidocr.utils.output import RapidOCROutput

        self._engine = RapidOCR(params={"Global.log_level": "error"})
        self._whole = RapidOCROutput  # what all three networks give together; each alone gives a kind of its own

    @property
    def name(self) -> str:
        """Program and version."""
        from importlib.metadata import version

        return f"rapidocr {version('rapidocr')}"

    def read_text(self, image: RgbImage) -> list[FoundText]:
        """See `TextReader.read_text`."""
        reading = self._engine(np.ascontiguousarray(image[:, :, ::-1]))
        if (
            not isinstance(reading, self._whole)
            or reading.boxes is None
            or reading.txts is None
            or reading.scores is None
        ):
            return []
        height, width = image.shape[:2]
        lines = []
        for corners, text, score in zip(reading.boxes, reading.txts, reading.scores, strict=True):
            x0, y0 = np.clip(np.min(corners, axis=0), 0.0, (width, height))
            x1, y1 = np.clip(np.max(corners, axis=0), 0.0, (width, height))
            if x0 < x1 and y0 < y1 and text.strip():
                lines.append(FoundText(text.strip(), float(score), (float(x0), float(y0), float(x1), float(y1))))
        return sorted(lines, key=lambda one: (one.box_xyxy[1], one.box_xyxy[0], one.text))
