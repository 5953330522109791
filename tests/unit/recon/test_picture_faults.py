"""A picture is whole if it has its own end, whatever follows; a preview's end inside it does not count."""

import cv2
import numpy as np

from recon.picture_faults import find_lost_end, find_picture_fault

RNG = np.random.default_rng(0)
IMAGE = RNG.integers(0, 255, (123, 157, 3), dtype=np.uint8)
VIDEO = b"\0\0\0\x18ftypmp42" + RNG.bytes(200_000) + b"\xff\xd9\xff\xd8\xffIEND"


def encode(suffix: str, *parameters: int) -> bytes:
    return cv2.imencode(suffix, IMAGE, parameters)[1].tobytes()


def with_preview(jpeg: bytes) -> bytes:
    """With a small whole JPEG in its first segment, as cameras write it."""
    preview = cv2.imencode(".jpg", IMAGE[:8, :8])[1].tobytes()
    return jpeg[:2] + b"\xff\xe1" + (2 + len(preview)).to_bytes(2) + preview + jpeg[2:]


KINDS = {
    "jpeg": encode(".jpg"),
    "progressive": encode(".jpg", cv2.IMWRITE_JPEG_PROGRESSIVE, 1),
    "restarts": encode(".jpg", cv2.IMWRITE_JPEG_RST_INTERVAL, 2),
    "preview": with_preview(encode(".jpg")),
    "png": encode(".png"),
}


def test_what_follows_the_end_does_not_matter(subtests):
    for number, data in enumerate(KINDS.values()):
        for name, more in zip(
            ["nothing", "zeros", "video", "fill"], [b"", b"\0" * 20, VIDEO, b"\xff" * 9], strict=True
        ):
            with subtests.test(number=number, name=name):
                assert find_picture_fault(data + more) is None


def test_a_picture_that_ends_anywhere_before_is_cut_short(subtests):
    for number, (kind, name) in enumerate([(kind, "PNG" if kind == "png" else "JPEG") for kind in KINDS]):
        with subtests.test(number=number):
            data = KINDS[kind]
            for length in [*range(8, len(data) - 12, 997), len(data) - 13, len(data) - 2, len(data) - 1]:
                assert find_lost_end(data[:length]) == name, length
            assert find_picture_fault(data[: len(data) // 2]) == f"is cut short: a {name} without its end"


def test_other_kinds_are_judged_by_their_decoder(subtests):
    for suffix in [".bmp", ".webp", ".tif"]:
        with subtests.test(suffix=suffix):
            assert find_lost_end(encode(suffix)[:-1]) is None
            assert find_picture_fault(encode(suffix)) is None


def test_damage_never_raises(subtests):
    for number, kind in enumerate(KINDS):
        with subtests.test(number=number):
            data = KINDS[kind]
            for _ in range(200):
                harmed = bytearray(data)
                for at in RNG.integers(0, len(data), 5):
                    harmed[at] = 0xFF
                find_picture_fault(bytes(harmed))
