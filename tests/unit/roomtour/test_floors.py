"""Where pictures show the floor, when the phone was held on its side and the file does not say so."""

from functools import lru_cache

import cv2
import numpy as np
import pytest

from instructions.perception.frames import upright
from instructions.perception.models.light.labels import ade_words
from recon.records import Frame
from roomtour.config import Config
from roomtour.stages import sfm
from roomtour.workers.local import LocalWorkers


class _GreenAtTheBottom:
    """A segmenter that takes green for floor, if all of it lies in the lower half."""

    def segment(self, images):
        greens = [(image[:, :, 1] > 128) & (image[:, :, 0] < 128) for image in images]
        return [np.where(one & (not one[: len(one) // 2].any()), FLOOR, 0).astype(np.uint8) for one in greens]


class _NoThings:
    def detect(self, images, labels):
        return [[] for _ in images]


FLOOR = ade_words().index("floor")


@pytest.mark.parametrize("quarters", [0, 1, 2, 3])
def test_the_floor_is_found_however_the_phone_was_held(quarters, tmp_path, monkeypatch):
    shown_upright = np.full((64, 36, 3), 200, np.uint8)
    shown_upright[40:, 10:] = (0, 255, 0)
    shown = np.rot90(shown_upright, quarters)
    frames = [
        Frame(index, 0.3 * index, f"{index:06d}.jpg", *shown.shape[1::-1], sharpness=1.0, shot=0)
        for index in range(1, 13)
    ]
    for frame in frames:
        cv2.imwrite(str(tmp_path / frame.image), np.ascontiguousarray(shown[:, :, ::-1]))
    monkeypatch.setattr(sfm, "why_not_light", lambda folder: None)
    monkeypatch.setattr(sfm, "find_light_files", lambda folder: {"mosaic": tmp_path, "yolox": tmp_path})
    monkeypatch.setattr(sfm, "_load", lambda path: _GreenAtTheBottom())
    monkeypatch.setattr(upright, "_load_networks", lru_cache(lambda task: (_NoThings(), _GreenAtTheBottom())))

    masks = sfm.find_floors(frames[:2], frames, tmp_path, Config(), LocalWorkers(1))  # two alone would not say how

    assert sorted(masks) == [1, 2]
    for mask in masks.values():
        assert mask.shape == shown.shape[:2]
        wanted = np.rot90(shown_upright[:, :, 0] == 0, quarters)
        assert (mask == wanted).mean() > 0.97  # JPEG blurs the edge
