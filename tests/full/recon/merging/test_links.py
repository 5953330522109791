"""Links between two sub-models: whether the scale that shared frames tell is that of the models."""

import numpy as np
import pytest

from recon.merging.links import find_links
from recon.merging.regrow import MergeJob
from tests.support.recon.made_models import begin_at_another_scale, cut, random_similarity, write_matches


def doubt(first, second, database):
    """What speaks against the link over shared frames."""
    over_frames, *_ = find_links(first, second, MergeJob(database, 0), use_matches=False)
    assert over_frames.joined_by == "shared frames"
    return over_frames.doubt


@pytest.mark.parametrize("seed", range(3))
def test_sound_models_are_believed_in_any_frame_and_unit(scene, database, seed):
    move = random_similarity(np.random.default_rng(seed))

    assert doubt(cut(scene, range(1, 15), "000/0"), cut(scene, range(9, 25), "001/0", move), database) == ""


@pytest.mark.parametrize("factor", [0.7, 4.0])
def test_the_model_whose_shared_frames_drifted_is_named(scene, database, factor):
    sound, drifted = (
        cut(scene, range(1, 15), "000/0"),
        begin_at_another_scale(cut(scene, range(9, 25), "001/0"), 15, factor),
    )

    assert doubt(sound, drifted, database).startswith("the other frames of 001/0 give a scale that differs by")
    assert doubt(drifted, sound, database).startswith("the other frames of 001/0 give a scale that differs by")


def test_shared_frames_that_nothing_ties_to_their_model_are_not_believed(scene, tmp_path):
    write_matches(scene, tmp_path / "database.db", reach=6)
    far = cut(scene, [*range(1, 5), *range(13, 25)], "001/0")  # its frames beyond match none of the other model

    reason = doubt(cut(scene, range(1, 6), "000/0"), far, tmp_path / "database.db")

    assert reason == "only the shared frames determine the scale: nothing ties them to the other frames of 001/0"


@pytest.mark.parametrize(("beyond", "is_asked"), [(7, False), (8, True)])
def test_a_model_is_asked_from_eight_frames_beyond_on(beyond, is_asked, scene, database):
    short = begin_at_another_scale(cut(scene, range(9, 15 + beyond), "001/0"), 15, 0.7)
    first = cut(scene, range(8, 15), "000/0")  # of it one frame lies beyond

    assert (doubt(first, short, database) != "") is is_asked


def test_poses_of_the_user_are_believed_where_their_shared_frames_agree(scene):
    drifted = begin_at_another_scale(cut(scene, range(9, 25), "001/0"), 15, 0.7)

    assert doubt(cut(scene, range(1, 15), "000/0"), drifted, None) == ""
