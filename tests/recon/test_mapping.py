from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest
from made_models import centers, torn, walk_scene, with_poses, write_matches

import recon.mapping
from recon.colmap_log import quiet_colmap
from recon.evaluate import pose_error
from recon.geometry import Pose
from recon.mapping import MappingJob, map_in_halves, map_incrementally
from recon.sfm import SfmOptions

OPTIONS = SfmOptions()


@pytest.fixture(scope="module")
def walk(tmp_path_factory):
    scene = walk_scene(frames=40, points=900)
    database = tmp_path_factory.mktemp("walk") / "database.db"
    write_matches(scene, database)
    return scene, database


@pytest.fixture
def job(walk, tmp_path, monkeypatch):
    monkeypatch.setattr("recon.mapping._LEAST_HALF", 20)
    monkeypatch.setattr("recon.mapping._SHARED", 10)
    return MappingJob(
        database_path=walk[1],
        frames_dir=tmp_path,
        frames=tuple(range(1, 41)),
        work_dir=tmp_path / "work",
        min_model_frames=OPTIONS.min_model_frames,
        init_min_inliers=OPTIONS.init_min_inliers,
        init_min_angle_deg=OPTIONS.init_min_angle_deg,
        register_min_inliers=OPTIONS.register_min_inliers,
        min_seam_points=OPTIONS.min_seam_points,
        num_threads=2,
        seed=0,
        report=lambda _: None,
    )


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
    monkeypatch.setattr(recon.mapping, "map_incrementally", spoilt(walk, change))
    with quiet_colmap():
        assert map_in_halves(job) is None


def test_a_start_is_where_growth_begins(walk, job):
    with quiet_colmap():
        (model,) = map_incrementally(job, 30)

    assert model.num_reg_images() == 40
    assert [folder.name for folder in job.work_dir.iterdir()] == ["incremental_30"]


def test_clips_are_mapped_at_once_from_one_database(job, tmp_path):
    """With one database for all mappers, 1 to 4 % of such calls failed."""
    path = tmp_path / "database.db"
    write_matches(walk_scene(frames=6, points=100), path, reach=0)  # nothing to map: opening is all there is to do
    small = replace(job, database_path=path, frames=tuple(range(1, 7)), num_threads=1)

    with quiet_colmap(), ThreadPoolExecutor(4) as pool:
        jobs = [replace(small, work_dir=tmp_path / str(number)) for number in range(400)]
        assert list(pool.map(map_incrementally, jobs)) == [[]] * 400
