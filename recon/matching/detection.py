"""Finding the keypoints of frames, in their pictures as sampled or in larger ones of the same moment."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np

from recon.errors import ReconError
from recon.matching.interfaces import Features, Keypoints
from recon.pictures import read_picture_file
from recon.records import Frame
from recon.video.picture import Image


@dataclass(frozen=True, eq=False)
class Detect:
    """The keypoints of one frame, in its pixels."""

    pictures_dir: Path  # pictures by the frames' names
    features: Features
    mask: Image | None  # (H, W) of the frames, 0 where none may have a keypoint
    any_size: bool = False  # whether the pictures may have more lines than the frames

    def __call__(self, frame: Frame) -> Keypoints:
        """See the class.

        Raises:
            ReconError: If the picture cannot be read or has another size.
        """
        path = self.pictures_dir / frame.image
        picture = read_picture_file(path, cv2.IMREAD_GRAYSCALE if self.features.is_grey else cv2.IMREAD_COLOR)
        if picture is None:
            raise ReconError(f"{path}: not a readable image; delete the run folder and start again")
        height, width = picture.shape[:2]
        if not self.any_size and (width, height) != (frame.width, frame.height):
            need = (frame.width, frame.height)
            raise ReconError(f"{frame.image}: size {(width, height)}, need {need}: all frames have one size")
        if not self.features.is_grey:
            picture = cv2.cvtColor(picture, cv2.COLOR_BGR2RGB)
        found = self.features.detect(picture.astype(np.uint8, copy=False), self.mask)
        if (width, height) == (frame.width, frame.height):
            return found
        ratio = np.array([frame.width / width, frame.height / height], np.float32)
        return Keypoints(found.xy * ratio, found.descriptors)
