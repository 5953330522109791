"""Images that are no photos of places are left out by whatever compares pictures with words."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from instructions.perception.interfaces import RgbImage
from instructions.perception.single_images.photo_filter import find_photos, photo_prompts
from roomtour.imports.images import read
from roomtour.imports.records import ImportOptions
from roomtour.imports.write import import_run
from tests.support.imports.made_images import write_images


class BrightIsPhoto:
    """Calls bright pictures a room and dark ones a painting."""

    def embed(self, images: Sequence[RgbImage]) -> NDArray[np.float32]:
        return np.array([[image.mean()] for image in images], dtype=np.float32)

    def score(self, embeddings: NDArray[np.float32], texts: Sequence[str]) -> NDArray[np.float32]:
        keep, _ = photo_prompts()
        signs = np.array([1.0 if text in keep else -1.0 for text in texts], dtype=np.float32)
        return (embeddings - 50.0) * signs


def test_a_picture_is_kept_if_a_prompt_of_what_is_kept_fits_best() -> None:
    images = [np.full((4, 4, 3), level, dtype=np.uint8) for level in (200, 10, 90)]
    assert find_photos(images, BrightIsPhoto()).tolist() == [True, False, True]
    assert find_photos([], BrightIsPhoto()).tolist() == []


def test_an_import_names_what_it_left_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_images(tmp_path / "pictures")

    cv2.imwrite(str(tmp_path / "pictures" / "view1.png"), np.zeros((240, 320, 3), dtype=np.uint8))
    monkeypatch.setattr(read, "find_image_words", BrightIsPhoto)
    run = import_run(tmp_path / "pictures", "images", tmp_path / "run")
    assert len(run.scene.frames) == 1
    left_out = next(finding for finding in run.findings if finding.code == "import.no_photo")
    assert "view1.png" in left_out.message
    run = import_run(tmp_path / "pictures", "images", tmp_path / "run", ImportOptions(keep_all=True))
    assert len(run.scene.frames) == 2


def test_without_a_model_all_are_kept_and_one_finding_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_images(tmp_path / "pictures")
    monkeypatch.setattr(read, "find_image_words", lambda: None)
    run = import_run(tmp_path / "pictures", "images", tmp_path / "run")
    assert len(run.scene.frames) == 2
    assert [finding.code for finding in run.findings].count("import.not_filtered") == 1
