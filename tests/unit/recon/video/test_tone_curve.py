import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from recon.video.picture import Transfer, sdr_from_hdr

TRANSFERS: tuple[Transfer, ...] = ("pq", "hlg")
LEVELS: list[tuple[Transfer, float, float]] = [
    ("pq", 0.5081, 100.0),
    ("pq", 0.5807, 203.0),
    ("pq", 0.7518, 1000.0),
    ("hlg", 0.75, 203.0),
]
"""Signal and light in nits, of BT.2100 and BT.2408."""


def code(share: float) -> int:
    return round(share * 65535)


def tone_map(transfer: Transfer, *rgb: float) -> list[int]:
    pixel = np.array([[[code(value) for value in rgb]]], dtype=np.uint16)
    return sdr_from_hdr(pixel, transfer)[0, 0].tolist()


def test_reference_levels_hues_and_grays(subtests):
    for transfer in TRANSFERS:
        with subtests.test(transfer=transfer):
            ramp = np.linspace(0, 65535, 512).astype(np.uint16)[None, :, None].repeat(3, axis=2)
            out = sdr_from_hdr(ramp, transfer)[0].astype(int)
            assert np.ptp(out, axis=1).max() <= 2
            assert (np.diff(out[:, 1]) >= 0).all()
            assert out[0, 1] == 0
            assert out[-1, 1] == 255
    for transfer, signal, nits in LEVELS:
        with subtests.test(transfer=transfer, signal=signal, nits=nits):
            x = nits / 203
            y = x if x <= 0.8 else 1 - 0.2 * np.exp((0.8 - x) / 0.2)
            expected = 255 * (12.92 * y if y <= 0.0031308 else 1.055 * y ** (1 / 2.4) - 0.055)
            assert tone_map(transfer, signal, signal, signal) == pytest.approx([expected] * 3, abs=2.5)
    red, green, blue = tone_map("pq", 0.5, 0.35, 0.35)
    assert red > green + 40
    assert abs(green - blue) < 30


@given(st.sampled_from(["pq", "hlg"]), st.floats(0, 1), st.floats(0, 1), st.floats(0, 1))
def test_any_code_gives_a_colour(transfer, r, g, b):
    assert all(0 <= value <= 255 for value in tone_map(transfer, r, g, b))
