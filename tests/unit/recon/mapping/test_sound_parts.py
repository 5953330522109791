"""Which stretches of a reconstruction nothing speaks against."""

import pycolmap

from recon.audit.torn import TORN_LEARNED
from recon.mapping.sound_parts import find_sound_parts
from recon.records import SubModel


def blind(model: pycolmap.Reconstruction, frames: range, seen: int) -> pycolmap.Reconstruction:
    """A copy in which some frames see no more than so many points."""
    copy = pycolmap.Reconstruction(model)
    for frame in frames:
        for keypoint in copy.image(frame).get_observation_point2D_idxs()[seen:]:
            copy.delete_observation(frame, keypoint)
    return copy


def stretches(walk, model: pycolmap.Reconstruction) -> list[tuple[int, int]]:
    parts = find_sound_parts([SubModel("000/0", ("000",), model)], walk[1], TORN_LEARNED, {})
    return [(part.frames[0], part.frames[-1]) for part in parts]


def test_stretches_end_where_a_row_of_frames_sees_nothing(walk, subtests):
    """Once what they saw had been removed, 23 frames of a made walk passed for sound and lay 34 % of its path off."""
    assert stretches(walk, walk[0]) == [(1, 40)]
    for frames, kept in [(range(33, 41), (1, 32)), (range(1, 9), (9, 40))]:
        with subtests.test(kept=kept):
            assert stretches(walk, blind(walk[0], frames, 0)) == [kept]
    assert stretches(walk, blind(walk[0], range(20, 22), 0))[0] == (1, 40)


def test_from_ten_points_on_a_frame_may_be_asked(subtests, walk):
    for seen, is_cut in [(9, True), (10, False)]:
        with subtests.test(seen=seen, is_cut=is_cut):
            found = stretches(walk, blind(walk[0], range(33, 41), seen))
            assert (found[0] == (1, 32)) == is_cut
