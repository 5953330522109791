"""The focal length of a photo by its EXIF, of either byte order, and without."""

import struct

import pytest

from roomtour.imports.images.pictures import ASSUMED_SIGMA, TOLD_SIGMA, guess_camera, read_focal_on_film


def write_exif(order: str, focal_mm: int, tag: int = 0xA405) -> bytes:
    """A JPEG's first bytes: one entry that points to the Exif directory, whose second entry is the focal length."""
    mark = b"II" if order == "<" else b"MM"
    head = mark + struct.pack(f"{order}HI", 42, 8)
    first = struct.pack(f"{order}HHHII", 1, 0x8769, 4, 1, 26) + bytes(4)
    other = struct.pack(f"{order}HHII", 0x9000, 7, 4, 0)
    own = struct.pack(f"{order}HHIHH", tag, 3, 1, focal_mm, 0)
    return b"\xff\xd8\xff\xe1\0\0Exif\0\0" + head + first + struct.pack(f"{order}H", 2) + other + own


@pytest.mark.parametrize("order", ["<", ">"])
def test_exif_tells_the_focal_length(order: str) -> None:
    data = write_exif(order, 26)
    assert read_focal_on_film(data) == 26
    camera, sigma = guess_camera(data, 4000, 3000)
    assert camera.fx == pytest.approx(26 / 43.267 * 5000, rel=1e-3)
    assert sigma == TOLD_SIGMA


def test_what_tells_none_is_assumed(subtests) -> None:
    told = write_exif("<", 26)
    for data in (b"", b"\x89PNG", told[:30], told[:-3], write_exif("<", 0), write_exif("<", 26, tag=0xA406)):
        with subtests.test(size=len(data)):
            camera, sigma = guess_camera(data, 1200, 1600)
            assert camera.fx == pytest.approx(28 / 43.267 * 2000, rel=1e-3)
            assert sigma == ASSUMED_SIGMA
