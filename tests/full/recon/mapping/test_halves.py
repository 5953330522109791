from dataclasses import replace

import pycolmap
import pytest

import recon.mapping.mapping
from recon.colmap.database import open_database
from recon.colmap.fuse import subset
from recon.colmap.tasks import quiet_colmap
from recon.evaluate import pose_error
from recon.geometry import Pose
from recon.mapping.mapping import halves_of, join_halves, map_half, map_incrementally
from tests.support.recon.made_models import centers, set_poses, tear, write_matches


def map_in_halves(job):
    """What `map_part` and `finish_clip` do, without packing."""
    halves = halves_of(job)
    assert halves is not None
    first, second = (map_half(half) for half in halves)
    return join_halves(first, second, len(job.frames))


@pytest.fixture(autouse=True)
def short_halves(monkeypatch):
    monkeypatch.setattr("recon.mapping.mapping._LEAST_HALF", 20)
    monkeypatch.setattr("recon.mapping.mapping._SHARED", 10)


def test_two_halves_become_the_whole_walk(walk, job):
    with quiet_colmap():
        (model,) = map_in_halves(job)

    assert sorted(model.reg_image_ids()) == list(range(1, 41))
    assert pose_error(centers(model), centers(walk[0])).rmse < 0.05
    assert sorted(folder.name for folder in job.work_dir.iterdir()) == ["half_0", "half_1"]


def test_a_short_clip_is_not_halved(job):
    assert halves_of(replace(job, frames=tuple(range(1, 36)))) is None


def move_aside(model):
    """The frames that both halves share lie ever further off in the second."""
    poses = centers(model)
    aside = {
        frame: Pose(poses[frame].rotation, poses[frame].translation + 0.1 * (frame - 16)) for frame in range(16, 26)
    }
    return set_poses(model, aside)


def map_with(monkeypatch, job, change):
    """The models, and the frames that the second half was started from, if its model is changed."""
    starts = []

    def map_half(half, start_frame=None):
        models = map_incrementally(half, start_frame)
        if half.work_dir.name == "half_0":
            return models
        starts.append(start_frame)
        return change(models[0], start_frame)

    monkeypatch.setattr(recon.mapping.mapping, "map_incrementally", map_half)
    with quiet_colmap():
        return map_in_halves(job), starts


def test_halves_that_disagree_are_not_believed(job, monkeypatch):
    models, starts = map_with(monkeypatch, job, lambda model, _: [move_aside(model)])

    assert models == []
    assert starts == [None]


def test_a_torn_half_is_mapped_again_from_beside_the_tear(walk, job, monkeypatch):
    models, starts = map_with(monkeypatch, job, lambda model, start: [tear(model, 25, 35) if start is None else model])

    assert [sorted(model.reg_image_ids()) for model in models] == [list(range(1, 41))]
    assert pose_error(centers(models[0]), centers(walk[0])).rmse < 0.05
    assert len(starts) == 2
    assert starts[1] in (24, 25, 35, 36)


def test_a_half_that_is_torn_from_every_start_is_not_believed(job, monkeypatch):
    models, starts = map_with(monkeypatch, job, lambda model, _: [tear(model, 25, 35)])

    assert models == []
    assert len(starts) == len(set(starts)) > 2


def test_a_half_in_two_pieces_is_put_together_over_the_frames_they_share(walk, job, monkeypatch):
    models, _ = map_with(
        monkeypatch, job, lambda model, _: [subset(model, range(16, 33)), subset(model, range(24, 41))]
    )

    assert [sorted(model.reg_image_ids()) for model in models] == [list(range(1, 41))]
    assert pose_error(centers(models[0]), centers(walk[0])).rmse < 0.05


def test_a_piece_that_shares_nothing_stays_apart(job, monkeypatch):
    models, _ = map_with(
        monkeypatch, job, lambda model, _: [subset(model, range(16, 35)), subset(model, range(35, 41))]
    )

    assert [sorted(model.reg_image_ids()) for model in models] == [list(range(1, 35)), list(range(35, 41))]


def test_halves_that_hold_too_little_are_not_believed(job, monkeypatch):
    models, _ = map_with(monkeypatch, job, lambda model, _: [subset(model, range(16, 28))])

    assert models == []


def test_the_halves_meet_where_the_walk_is_linked_well(walk, job, tmp_path):
    """Halves of equal length would share frames 16 to 25; two of those have a fifth of their matches."""
    path = tmp_path / "database.db"
    write_matches(walk[0], path)
    with open_database(path) as database:
        ids, _ = database.read_two_view_geometry_num_inliers()
        for first, second in (pycolmap.pair_id_to_image_pair(pair) for pair in ids):
            if {first, second} & {20, 21}:
                geometry = database.read_two_view_geometry(first, second)
                geometry.inlier_matches = geometry.inlier_matches[::5]
                database.delete_two_view_geometry(first, second)
                database.write_two_view_geometry(first, second, geometry)
    with quiet_colmap():
        models = map_in_halves(replace(job, database_path=path))

    assert len(models) == 1
    folders = [tmp_path / "work" / f"half_{number}" / "incremental_anywhere" / "database.db" for number in (0, 1)]
    spans = []
    for folder in folders:
        with open_database(folder) as database:
            spans.append([image.image_id for image in database.read_all_images()])
    shared = sorted(set(spans[0]) & set(spans[1]))
    assert len(shared) == 10
    assert not set(shared) & {20, 21}
