from dataclasses import replace

from recon.colmap.tasks import quiet_colmap
from recon.mapping.mapping import map_incrementally
from roomtour.workers.local import LocalWorkers
from tests.support.recon.made_models import walk_scene, write_matches


def test_a_start_is_where_growth_begins(walk, job):
    with quiet_colmap():
        (model,) = map_incrementally(job, 30)

    assert model.num_reg_images() == 40
    assert [folder.name for folder in job.work_dir.iterdir()] == ["incremental_30"]


def map_quietly(job):
    with quiet_colmap():
        return map_incrementally(job)


def test_clips_are_mapped_at_once_from_one_database(job, tmp_path):
    """Of openings by several processes at once a fifth fails, and is tried again."""
    path = tmp_path / "database.db"
    write_matches(walk_scene(frames=6, points=100), path, reach=0)  # nothing to map: opening is all there is to do
    small = replace(job, database_path=path, frames=tuple(range(1, 7)))

    with LocalWorkers(4) as workers:
        jobs = [replace(small, work_dir=tmp_path / str(number)) for number in range(400)]
        assert list(workers.map(map_quietly, jobs)) == [[]] * 400
