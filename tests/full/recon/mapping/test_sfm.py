from dataclasses import replace

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import recon.mapping.sfm
from recon.evaluate import pose_error
from recon.geometry import Pose
from recon.mapping.learned_fallback import MappedTour, needs_learned_features
from recon.mapping.options import SIFT_BARS, SfmOptions
from recon.mapping.sfm import reconstruct_clips
from recon.records import Clip
from tests.support.recon.made_models import (
    centers,
    scene_from_poses,
    set_poses,
    tear,
    walk_poses,
    walk_scene,
    write_matches,
)


def clip_of(scene, name="000", frames=None):
    return Clip(name, 0, tuple(frames or sorted(scene.reg_image_ids())))


@pytest.fixture(scope="module")
def walk(tmp_path_factory):
    scene = walk_scene(frames=20, points=500)
    database = tmp_path_factory.mktemp("walk") / "database.db"
    write_matches(scene, database)
    return scene, database


def run(walk, folder, clip=None, bars=SIFT_BARS, **options):
    scene, database = walk
    return map_one(database, folder, clip or clip_of(scene), SfmOptions(**options), bars)


def map_one(database, folder, clip, options=SfmOptions(), bars=SIFT_BARS):
    (result,) = reconstruct_clips(database, folder, [clip], folder / "work", options, bars=bars)
    return result


def note_on_mapper(result):
    (note,) = [finding.message for finding in result.findings if finding.code == "sfm.mapper"]
    return note


NEVER_GLOBALLY = replace(SIFT_BARS, may_map_globally=False)


@pytest.mark.parametrize("mapper", ["incremental", "global"])
def test_a_walk_is_recovered(walk, tmp_path, monkeypatch, mapper):
    if mapper == "global":
        monkeypatch.setattr("recon.mapping.sfm.map_incrementally", lambda *_: [])
    else:  # a mapper that was kept without a choice is not told
        monkeypatch.setattr("recon.mapping.sfm.map_globally", lambda *_: pytest.fail("global mapping was asked"))
    result = run(walk, tmp_path)

    assert [model.name for model in result.sub_models] == ["000/0"]
    assert result.sub_models[0].frames == tuple(range(1, 21))
    assert pose_error(centers(result.sub_models[0].reconstruction), centers(walk[0])).rmse < 0.02
    assert result.sub_models[0].reconstruction.camera(1).mean_focal_length() == pytest.approx(500.0, rel=0.02)
    assert [finding.code for finding in result.findings] == ["sfm.mapper"] * (mapper == "global")
    if mapper == "global":
        assert note_on_mapper(result).startswith("global mapping was kept; ")


def test_only_the_clip_is_used(walk, tmp_path):
    result = run(walk, tmp_path, Clip("003", 0, tuple(range(5, 16))))

    assert result.sub_models[0].name == "003/0"
    assert result.sub_models[0].clips == ("003",)
    assert set(result.sub_models[0].frames) <= set(range(5, 16))


def test_the_same_seed_and_one_thread_give_the_same_poses(walk, tmp_path):
    one, two = (run(walk, tmp_path / name).sub_models[0] for name in ("one", "two"))

    first, second = centers(one.reconstruction), centers(two.reconstruction)
    assert all(np.array_equal(first[frame].matrix(), second[frame].matrix()) for frame in first)


def test_a_camera_that_stands_still_gives_no_model_and_says_so(tmp_path):
    still = scene_from_poses([walk_poses(2)[0]] * 8, 400, 0.3, 0)
    write_matches(still, tmp_path / "database.db")

    result = map_one(tmp_path / "database.db", tmp_path, clip_of(still))

    assert result.sub_models == ()
    assert result.why_lost
    assert ("error", "sfm.no_model") in {(one.severity, one.code) for one in MappedTour((result,)).findings}


def test_a_clip_that_moves_is_given_to_learned_keypoints_whatever_its_models_were_dropped_for(
    walk, tmp_path, monkeypatch
):
    for bar in ("_LEAST_SEEN_AGAIN", "LEAST_POINTS"):
        with monkeypatch.context() as patched:
            patched.setattr(recon.mapping.sfm, bar, 10_000)
            result = run(walk, tmp_path / bar)
        assert result.sub_models == ()
        assert needs_learned_features(clip_of(walk[0]), result)


def test_frames_without_matches_give_no_model_and_say_so(tmp_path):
    scene = walk_scene(frames=6, points=300)
    write_matches(scene, tmp_path / "database.db", reach=0)

    result = map_one(tmp_path / "database.db", tmp_path, clip_of(scene))

    assert result.sub_models == ()
    assert [finding.code for finding in MappedTour((result,)).findings] == ["sfm.no_model"]


def test_a_torn_model_is_mapped_again_from_the_tear(walk, tmp_path, monkeypatch):
    map_incrementally = recon.mapping.sfm.map_incrementally
    starts = []

    def tear_at_first(job, start_frame=None):
        starts.append(start_frame)
        return [tear(walk[0], 11, 20)] if start_frame is None else map_incrementally(job, start_frame)

    monkeypatch.setattr("recon.mapping.sfm.map_incrementally", tear_at_first)
    refined = []
    monkeypatch.setattr("recon.mapping.sfm.refine", lambda model, *_: refined.append(model))
    result = run(walk, tmp_path)

    first, second = starts
    assert len(refined) == 1  # the torn one is not worth the time
    assert first is None
    assert 9 <= second <= 13
    assert note_on_mapper(result).startswith(f"incremental from frame {second} mapping was kept; ")
    assert note_on_mapper(result).endswith(f", incremental from frame {second}: 20")
    assert pose_error(centers(result.sub_models[0].reconstruction), centers(walk[0])).rmse < 0.05


def test_a_model_that_contradicts_its_matches_once_it_is_refined_is_mapped_again(walk, tmp_path, monkeypatch):
    """All frames on common points, so no tear; but they turn by ten degrees more at each frame than any pair says."""
    map_incrementally = recon.mapping.sfm.map_incrementally
    starts = []

    def bend_at_first(job, start_frame=None):
        starts.append(start_frame)
        return [bend(walk[0], 10)] if start_frame is None else map_incrementally(job, start_frame)

    monkeypatch.setattr("recon.mapping.sfm.map_incrementally", bend_at_first)
    refined = []
    monkeypatch.setattr("recon.mapping.sfm.refine", lambda model, *_: refined.append(model))
    result = run(walk, tmp_path)

    first, second = starts
    assert first is None
    assert second >= 9
    assert len(refined) == 2  # refining mends most of what a draft contradicts; not this one, as it does nothing here
    assert note_on_mapper(result).endswith(f", incremental from frame {second}: 20")
    assert pose_error(centers(result.sub_models[0].reconstruction), centers(walk[0])).rmse < 0.05


def bend(scene, after):
    """The scene's model with every camera after a frame turned by ten degrees more than the one before it."""
    poses = centers(scene)
    angles = np.radians(10.0) * np.maximum(0, np.arange(21) - after)
    turns = Rotation.from_rotvec(np.outer(angles, [0.0, 1.0, 0.0])).as_matrix()
    return set_poses(scene, {k: Pose(turns[k] @ poses[k].rotation, poses[k].translation) for k in range(1, 21)})


def test_where_no_pair_starts_at_the_tear_the_other_side_is_tried(walk, tmp_path, monkeypatch):
    map_incrementally = recon.mapping.sfm.map_incrementally
    starts = []

    def tear_at_first(job, start_frame=None):
        starts.append(start_frame)
        if len(starts) == 2:
            return []
        return [tear(walk[0], 11, 20)] if start_frame is None else map_incrementally(job, start_frame)

    monkeypatch.setattr("recon.mapping.sfm.map_incrementally", tear_at_first)
    result = run(walk, tmp_path)

    assert starts == [None, starts[1], starts[1] + 1]
    assert note_on_mapper(result).startswith(f"incremental from frame {starts[2]} mapping was kept; ")
    assert f"incremental from frame {starts[1]}: 0, incremental from frame {starts[2]}: 20" in note_on_mapper(result)


def test_a_tear_near_the_end_is_left_to_merging(walk, tmp_path, monkeypatch):
    """Enough of the clip holds together, so global mapping would cost more than it can give."""

    def never(job):
        raise AssertionError("global mapping was asked")

    near_the_end = tear(walk[0], 19, 20, aside_m=0.2)
    monkeypatch.setattr(
        "recon.mapping.sfm.map_incrementally", lambda job, start_frame=None: [set_poses(near_the_end, {})]
    )
    monkeypatch.setattr("recon.mapping.sfm.refine", lambda *_: None)
    monkeypatch.setattr("recon.mapping.sfm.map_globally", never)
    monkeypatch.setattr("recon.mapping.sfm.ENOUGH_OF_CLIP", 0.75)
    result = run(walk, tmp_path)

    assert note_on_mapper(result).startswith("incremental mapping was kept; ")
    assert "longest consistent stretch of each mapping: incremental: 1" in note_on_mapper(result)
    monkeypatch.setattr("recon.mapping.sfm.ENOUGH_OF_CLIP", 0.95)
    with pytest.raises(AssertionError, match="global mapping was asked"):
        run(walk, tmp_path / "stricter")


def test_what_has_no_tear_but_contradicts_the_matches_is_not_taken(walk, tmp_path, monkeypatch):
    """The second attempt has all frames on common points, and turns by ten degrees more at each than any pair says."""
    monkeypatch.setattr("recon.mapping.sfm.refine", lambda *_: None)
    monkeypatch.setattr("recon.mapping.sfm.densify", lambda *_, **__: None)
    monkeypatch.setattr("recon.mapping.sfm.thin", lambda *_: None)
    monkeypatch.setattr(
        "recon.mapping.sfm.map_incrementally",
        lambda job, start_frame=None: [tear(walk[0], 14, 17) if start_frame is None else bend(walk[0], 0)],
    )
    result = run(walk, tmp_path, bars=NEVER_GLOBALLY)

    assert note_on_mapper(result).startswith("incremental mapping was kept; ")
    assert pose_error(centers(result.sub_models[0].reconstruction), centers(walk[0])).rmse < 1e-6


def test_global_mapping_comes_last_and_the_longest_whole_stretch_wins(walk, tmp_path, monkeypatch):
    monkeypatch.setattr(
        "recon.mapping.sfm.map_incrementally", lambda job, start_frame=None: [tear(walk[0], 11, 20, aside_m=0.2)]
    )
    monkeypatch.setattr("recon.mapping.sfm.refine", lambda *_: None)
    assert note_on_mapper(run(walk, tmp_path)).startswith("global mapping was kept; ")
    kept = run(walk, tmp_path / "other", bars=NEVER_GLOBALLY)
    assert note_on_mapper(kept).startswith("incremental mapping was kept; ")
    assert len(kept.sub_models[0].frames) == 20  # torn as it is: merging cuts it and says so
