from dataclasses import replace

import pycolmap
import pytest
from made_models import centers, torn, with_poses, write_matches

import recon.halves
from recon.colmap_log import quiet_colmap
from recon.database import opened
from recon.evaluate import pose_error
from recon.geometry import Pose
from recon.halves import map_in_halves
from recon.mapping import map_incrementally


@pytest.fixture(autouse=True)
def short_halves(monkeypatch):
    monkeypatch.setattr("recon.halves._LEAST_HALF", 20)
    monkeypatch.setattr("recon.halves._SHARED", 10)


def test_two_halves_become_the_whole_walk(walk, job):
    told = []
    with quiet_colmap():
        model = map_in_halves(replace(job, report=told.append))

    assert model is not None
    assert sorted(model.reg_image_ids()) == list(range(1, 41))
    assert pose_error(centers(model), centers(walk[0])).rmse < 0.05
    assert sorted(folder.name for folder in job.work_dir.iterdir()) == ["half_0", "half_1"]
    assert max(told) > 40  # the frames in both halves count twice


@pytest.mark.parametrize("change", [{"num_threads": 1}, {"frames": tuple(range(1, 36))}])
def test_one_thread_or_a_short_clip_is_not_halved(job, change):
    assert map_in_halves(replace(job, **change)) is None
    assert not job.work_dir.exists()


def spoilt(walk, change):
    """`map_incrementally`, with the model of the second half changed."""

    def map_half(job, start_frame=None):
        models = map_incrementally(job, start_frame)
        return [change(models[0])] if job.work_dir.name == "half_1" else models

    return map_half


def moved_aside(model):
    """The frames that both halves share lie ever further off in the second."""
    poses = centers(model)
    aside = {
        frame: Pose(poses[frame].rotation, poses[frame].translation + 0.1 * (frame - 16)) for frame in range(16, 26)
    }
    return with_poses(model, aside)


@pytest.mark.parametrize(
    "change",
    [lambda model: torn(model, 25, 35), moved_aside],
    ids=["torn", "disagree"],
)
def test_halves_that_are_torn_or_disagree_are_not_believed(walk, job, monkeypatch, change):
    monkeypatch.setattr(recon.halves, "map_incrementally", spoilt(walk, change))
    with quiet_colmap():
        assert map_in_halves(job) is None


def test_the_halves_meet_where_the_walk_is_linked_well(walk, job, tmp_path):
    """Halves of equal length would share frames 16 to 25; two of those have a fifth of their matches."""
    path = tmp_path / "database.db"
    write_matches(walk[0], path)
    with opened(path) as database:
        ids, _ = database.read_two_view_geometry_num_inliers()
        for first, second in (pycolmap.pair_id_to_image_pair(pair) for pair in ids):
            if {first, second} & {20, 21}:
                geometry = database.read_two_view_geometry(first, second)
                geometry.inlier_matches = geometry.inlier_matches[::5]
                database.delete_two_view_geometry(first, second)
                database.write_two_view_geometry(first, second, geometry)
    told = []
    with quiet_colmap():
        model = map_in_halves(replace(job, database_path=path, report=told.append))

    assert model is not None
    folders = [tmp_path / "work" / f"half_{number}" / "incremental_anywhere" / "database.db" for number in (0, 1)]
    spans = []
    for folder in folders:
        with opened(folder) as database:
            spans.append([image.image_id for image in database.read_all_images()])
    shared = sorted(set(spans[0]) & set(spans[1]))
    assert len(shared) == 10
    assert not set(shared) & {20, 21}
