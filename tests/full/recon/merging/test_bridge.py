import numpy as np
import pycolmap
import pytest

from recon.evaluate import pose_error
from recon.merging import bridge as bridges
from recon.merging.bridge import Side, find_bridge
from recon.merging.merge import merge_sub_models
from tests.support.recon.made_models import centers, cut, random_similarity

FIRST, SECOND = range(1, 13), range(13, 25)


@pytest.mark.parametrize("seed", range(3))
def test_matches_tell_how_two_models_lie_to_each_other(scene, database, seed):
    truth = random_similarity(np.random.default_rng(seed))
    first, second = cut(scene, FIRST, "000/0"), cut(scene, SECOND, "001/0", truth.inverse())

    bridge = find_bridge(Side(first), Side(second), database)

    assert bridge is not None
    assert len(bridge.frames) >= 4
    assert bridge.alignment.first_from_second.scale == pytest.approx(truth.scale, rel=0.02)
    assert bridge.alignment.rotation_disagreement_deg < 0.5


def test_models_without_a_common_frame_become_one_and_the_log_says_how(scene, database):
    rng = np.random.default_rng(0)
    models = [cut(scene, FIRST, "000/0", random_similarity(rng)), cut(scene, SECOND, "001/0", random_similarity(rng))]

    result = merge_sub_models(models, database)

    assert [model.frames for model in result.models] == [tuple(range(1, 25))]
    assert pose_error(centers(result.models[0].reconstruction), centers(scene)).rmse < 0.03
    (attempt,) = result.attempts
    assert (attempt.joined_by, attempt.verdict) == ("matches", "accepted")
    assert [finding.code for finding in result.findings] == ["merge.by_matches"]


def scramble(scene):
    """The same cameras before another world: matches across then place frames nowhere."""
    model = pycolmap.Reconstruction(scene)
    rng = np.random.default_rng(5)
    ids = sorted(model.point3D_ids())
    for point, other in zip(ids, rng.permutation(ids), strict=True):
        model.point3D(point).xyz = scene.point3D(int(other)).xyz
    return model


def test_points_that_do_not_agree_build_no_bridge(scene, database):
    assert find_bridge(Side(cut(scramble(scene), FIRST, "000/0")), Side(cut(scene, SECOND, "001/0")), database) is None


def test_frames_that_place_the_other_model_differently_build_no_bridge(scene, database):
    """A bent second model: its frames fit the first one by one, but not together."""
    bent = cut(scene, SECOND, "001/0").reconstruction
    for place, frame in enumerate(sorted(bent.reg_image_ids())):
        pose = centers(bent)[frame]
        away = pose.translation + np.array([0.0, 0.6 * place, 0.0])
        bent.frame(frame).rig_from_world = type(pose)(pose.rotation, away).inverse().to_rigid3d()
    second = cut(bent, SECOND, "001/0")

    assert find_bridge(Side(cut(scene, FIRST, "000/0")), Side(second), database) is None


def test_few_matches_are_not_enough(scene, database, monkeypatch):
    monkeypatch.setattr(bridges, "MIN_FRAME_INLIERS", 5000)
    assert find_bridge(Side(cut(scene, FIRST, "000/0")), Side(cut(scene, SECOND, "001/0")), database) is None


def test_models_that_no_pair_relates_stay_apart(scene, database):
    far = [cut(scene, range(1, 8), "000/0"), cut(scene, range(16, 25), "001/0")]  # matches reach 6 frames

    assert find_bridge(Side(far[0]), Side(far[1]), database) is None
    assert len(merge_sub_models(far, database).models) == 2


def test_a_few_shared_frames_do_not_stand_in_the_way(scene, database):
    rng = np.random.default_rng(0)
    models = [
        cut(scene, range(1, 13), "000/0", random_similarity(rng)),
        cut(scene, range(11, 25), "001/0", random_similarity(rng)),
    ]

    result = merge_sub_models(models, database)

    assert [model.frames for model in result.models] == [tuple(range(1, 25))]
    assert result.attempts[0].joined_by == "matches"
