"""HEIC, as phones write it, through the extra `heic`."""

import io

import numpy as np
import pytest

from recon.picture_faults import find_picture_fault
from recon.pictures import decode_picture, find_picture_size, find_upright_size
from recon.video.image_folder import FolderSource
from tests.support.recon.made_videos import corners, quadrant_colours

pillow_heif = pytest.importorskip("pillow_heif")


def encode(image_rgb: np.ndarray) -> bytes:
    height, width = image_rgb.shape[:2]
    file = io.BytesIO()
    pillow_heif.from_bytes("RGB", (width, height), image_rgb.tobytes()).save(file, quality=95)
    return file.getvalue()


def test_a_heic_picture_is_decoded(tmp_path):
    data = encode(corners(192, 128))
    assert find_picture_size(data) == find_upright_size(data) == (192, 128)
    image = decode_picture(data)
    assert image is not None
    assert quadrant_colours(image[..., ::-1]) == ["red", "green", "blue", "white"]
    assert find_picture_fault(data) is None


def test_a_mixed_folder_loses_nothing(tmp_path):
    for number in range(4):
        (tmp_path / f"IMG_{number}.HEIC").write_bytes(encode(corners(192, 128)))
    with FolderSource(tmp_path, 360, 2.0) as source:
        pictures = [*source.pictures()]
        assert (source.info().frame_count, source.info().codec, source.findings()) == (4, "heic", [])
    assert quadrant_colours(pictures[3].image_rgb()) == ["red", "green", "blue", "white"]


def test_a_damaged_heic_is_none():
    data = encode(corners(192, 128))
    for length in range(0, len(data) - 1, 7):
        assert decode_picture(data[:length]) is None or length > len(data) // 2
    rng = np.random.default_rng(0)
    for _ in range(100):
        harmed = bytearray(data)
        harmed[rng.integers(0, len(data))] = rng.integers(0, 256)
        decode_picture(bytes(harmed))
        find_upright_size(bytes(harmed))
