import numpy as np
import pytest
from made_models import cut

from recon.merging.loose_tails import cut_loose_tails

FIRM, OPEN = 0.01, 0.3


def sigmas(frames, loose=()):
    """Firm steps but those before the `loose` frames; the outermost ones of any model are open."""
    steps = np.array([OPEN if frame in loose else FIRM for frame in frames[1:]])
    steps[[0, -1]] = np.inf
    return steps


@pytest.fixture(scope="module")
def pair(scene):
    return [cut(scene, range(1, 15), "000/0"), cut(scene, range(9, 25), "001/0")]


def test_firm_models_are_left_as_they_are(pair):
    kept, cut_off = cut_loose_tails(pair, [sigmas(model.frames) for model in pair])

    assert all(after is before for after, before in zip(kept, pair, strict=True))
    assert cut_off == frozenset()


def test_an_open_end_is_cut_off_where_another_model_has_its_frames(pair):
    kept, cut_off = cut_loose_tails(pair, [sigmas(pair[0].frames, loose=[12]), sigmas(pair[1].frames)])

    assert kept[0].frames == tuple(range(1, 12))
    assert kept[1] is pair[1]
    assert cut_off == frozenset({12, 13, 14})
    assert pair[0].frames == tuple(range(1, 15))  # the input is not modified


def test_frames_that_are_open_in_both_are_told(pair):
    kept, cut_off = cut_loose_tails(pair, [sigmas(pair[0].frames, [11]), sigmas(pair[1].frames, [13])])

    assert kept[0].frames == tuple(range(1, 11))
    assert kept[1].frames == tuple(range(13, 25))
    assert cut_off == frozenset(range(9, 15))


def test_an_open_end_that_no_other_model_has_stays(pair):
    kept, _ = cut_loose_tails(pair, [sigmas(pair[0].frames, [4]), sigmas(pair[1].frames, [21])])

    assert [model.frames for model in kept] == [model.frames for model in pair]


def test_a_model_without_a_firm_stretch_stays_whole(pair):
    nowhere = sigmas(pair[0].frames, pair[0].frames[::3])

    kept, _ = cut_loose_tails(pair, [nowhere, sigmas(pair[1].frames)])

    assert kept[0] is pair[0]


def test_tiny_models_are_no_trouble(scene):
    tiny = [cut(scene, [4, 5], "000/0"), cut(scene, [5, 6], "001/0")]

    kept, cut_off = cut_loose_tails(tiny, [np.array([np.inf])] * 2)

    assert (kept, cut_off) == (tiny, frozenset())
