"""Pictures are decoded after their head was read, and never by name."""

import os
import struct

import cv2
import numpy as np
import pytest

from recon.pictures import (
    MOST_PIXELS,
    decode_picture,
    find_missing_decoder,
    find_picture_size,
    find_upright_size,
    read_picture_file,
    write_picture_file,
)

IMAGE = np.random.default_rng(0).integers(0, 255, (123, 457, 3), dtype=np.uint8)


def encode(suffix: str, *parameters: int) -> bytes:
    return cv2.imencode(suffix, IMAGE, parameters)[1].tobytes()


def test_the_head_tells_the_size_of_every_kind(subtests):
    for number, data in enumerate(
        [
            *(encode(suffix) for suffix in (".png", ".jpg", ".bmp", ".webp", ".tif")),
            encode(".webp", cv2.IMWRITE_WEBP_QUALITY, 101),
            encode(".jpg", cv2.IMWRITE_JPEG_PROGRESSIVE, 1),
        ]
    ):
        with subtests.test(number=number):
            assert find_picture_size(data) == (457, 123)
            decoded = decode_picture(data)
            assert decoded is not None
            assert decoded.shape == IMAGE.shape
    size = (4000 - 1).to_bytes(3, "little") + (3000 - 1).to_bytes(3, "little")
    assert find_picture_size(b"RIFF\0\0\0\0WEBPVP8X" + bytes(8) + size) == (4000, 3000)


def box(kind: bytes, content: bytes) -> bytes:
    return (8 + len(content)).to_bytes(4) + kind + content


def heif(*sizes: tuple[int, int]) -> bytes:
    """The head of a HEIC file that tells these sizes: of its tiles, its previews and itself."""
    told = b"".join(box(b"ispe", bytes(4) + struct.pack(">II", *size)) for size in sizes)
    return box(b"ftyp", b"heic\0\0\0\0mif1heic") + box(b"meta", bytes(4) + told) + b"ispe" + bytes(4) + b"\x7f" * 8


def test_a_picture_of_tiles_is_as_large_as_all_of_them():
    assert find_picture_size(heif((512, 512), (4032, 3024), (320, 240))) == (4032, 3024)
    assert find_picture_size(heif()) is None


@pytest.mark.skipif(not cv2.haveImageWriter(".avif"), reason="this OpenCV has no AVIF")
def test_avif_is_read():
    data = encode(".avif", cv2.IMWRITE_AVIF_QUALITY, 95)
    assert find_picture_size(data) == find_upright_size(data) == (457, 123)
    decoded = decode_picture(data)
    assert decoded is not None
    assert decoded.shape == IMAGE.shape
    assert find_missing_decoder(data) is None


def test_a_cut_or_flipped_head_never_raises(subtests):
    for suffix in [".png", ".jpg", ".bmp", ".webp", ".tif", ".heic"]:
        with subtests.test(suffix=suffix):
            data = heif((512, 512), (640, 480)) if suffix == ".heic" else encode(suffix)
            rng = np.random.default_rng(1)
            for length in range(0, 64):
                find_picture_size(data[:length])
                assert decode_picture(data[:length]) is None
            for _ in range(300):
                harmed = bytearray(data[:2000])
                harmed[rng.integers(0, 64)] = rng.integers(0, 256)
                find_picture_size(bytes(harmed))


def test_the_bound_is_on_pixels(subtests, monkeypatch):
    for more, is_read in [(0, True), (1, False)]:
        with subtests.test(more=more, is_read=is_read):
            width = 1000
            data = bytearray(cv2.imencode(".bmp", np.zeros((1, width, 3), np.uint8))[1].tobytes())
            struct.pack_into("<i", data, 22, MOST_PIXELS // width + more)
            assert find_picture_size(bytes(data)) == (width, MOST_PIXELS // width + more)
            handed_on = []
            monkeypatch.setattr(cv2, "imdecode", lambda *given, told=handed_on: told.append(given))
            assert decode_picture(bytes(data)) is None
            assert bool(handed_on) == is_read


@pytest.mark.posix
def test_a_name_that_is_no_utf8_is_read_and_written(tmp_path):
    path = tmp_path / "x\udcffy.png"
    try:
        write_picture_file(path, IMAGE)
    except OSError:
        pytest.skip("this file system takes no such name")
    decoded = read_picture_file(path)
    assert decoded is not None
    assert np.array_equal(decoded, IMAGE)


@pytest.mark.posix
def test_what_is_no_file_is_no_picture(tmp_path):
    os.mkfifo(tmp_path / "pipe.png")
    assert read_picture_file(tmp_path / "pipe.png") is None
    assert read_picture_file(tmp_path) is None
    assert read_picture_file(tmp_path / "none.png") is None
