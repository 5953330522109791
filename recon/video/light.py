"""Whether the kept frames have light and something in it; what else a tour lacks, matches and models tell later."""

from __future__ import annotations

import cv2
import numpy as np

from recon.errors import ReconError
from recon.findings import Finding
from recon.video.picture import Image

_DARK_LEVEL = 12.0  # mean grey (0..255): below this noise outweighs the picture
BLANK_DEVIATION = 3.0  # standard deviation of grey: nothing to find a feature on
_MOST, _SOME = 0.8, 0.2
"""Share of the frames from which the whole tour is said to be so, and from which parts of it are. Set by hand."""


class LightCheck:
    """Collects two numbers per kept frame."""

    def __init__(self) -> None:
        self._brightness: list[float] = []
        self._deviation: list[float] = []

    def look(self, image_rgb: Image) -> None:
        """Take the next kept frame."""
        mean, deviation = cv2.meanStdDev(cv2.cvtColor(image_rgb, cv2.COLOR_RGB2GRAY))
        self._brightness.append(float(mean[0, 0]))
        self._deviation.append(float(deviation[0, 0]))

    def findings(self, source: str) -> list[Finding]:
        """What is wrong with parts of the tour.

        Raises:
            ReconError: If most frames are dark or blank.
        """
        dark = float(np.mean(np.array(self._brightness) < _DARK_LEVEL))
        blank = float(np.mean(np.array(self._deviation) < BLANK_DEVIATION))
        level = float(np.median(self._brightness))
        if dark >= _MOST:
            raise ReconError(
                f"{source}: too dark: {dark:.0%} of the frames have a mean brightness below {_DARK_LEVEL:g} of 255 "
                f"(median {level:.1f}). Film with the lights on, or brighten the video first. [sample.dark]"
            )
        if blank >= _MOST:
            raise ReconError(
                f"{source}: blank: {blank:.0%} of the frames are one flat colour (median brightness {level:.0f} of "
                f"255). Check that the video plays and shows rooms. [sample.blank]"
            )
        found = []
        if dark >= _SOME:
            message = f"{dark:.0%} of the frames are too dark to reconstruct; expect gaps there"
            found.append(Finding("warning", "sample.dark", "tour", message))
        if blank >= _SOME:
            message = f"{blank:.0%} of the frames are one flat colour; expect gaps there"
            found.append(Finding("warning", "sample.blank", "tour", message))
        return found
