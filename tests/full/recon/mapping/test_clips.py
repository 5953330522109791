import pytest

from recon.colmap.tasks import pack
from recon.evaluate import pose_error
from recon.mapping.sfm import reconstruct_clips
from recon.records import Clip
from roomtour.workers.local import LocalWorkers
from tests.support.recon.made_models import centers


@pytest.fixture
def short_halves(monkeypatch):
    monkeypatch.setattr("recon.mapping.mapping._LEAST_HALF", 20)
    monkeypatch.setattr("recon.mapping.mapping._SHARED", 10)


def packed(results):
    return [pack(model.reconstruction) for result in results for model in result.sub_models]


def test_halves_and_clips_come_out_the_same_wherever_they_are_mapped(walk, tmp_path, short_halves):
    clips = [Clip("000", 0, tuple(range(1, 41))), Clip("001", 0, tuple(range(1, 16)))]
    with LocalWorkers(2) as workers:
        there = reconstruct_clips(walk[1], tmp_path, clips, tmp_path / "there", fan_out=workers.map)
    here = reconstruct_clips(walk[1], tmp_path, clips, tmp_path / "here")

    assert (tmp_path / "there" / "000" / "half_1").is_dir()
    assert not (tmp_path / "there" / "001" / "half_1").exists()
    assert not list((tmp_path / "there" / "000").glob("incremental*"))  # the halves were believed
    assert pose_error(centers(here[0].sub_models[0].reconstruction), centers(walk[0])).rmse < 0.05
    assert packed(here) == packed(there)
    assert [result.findings for result in here] == [result.findings for result in there]


def test_progress_ends_at_one_and_never_falls(walk, tmp_path):
    told = []
    clips = [Clip("000", 0, tuple(range(1, 12))), Clip("001", 0, tuple(range(8, 20)))]
    reconstruct_clips(walk[1], tmp_path, clips, tmp_path / "work", progress=told.append)

    assert told == sorted(told)
    assert told[-1] == 1.0


def test_a_packed_model_is_the_same_model(walk):
    once = pack(walk[0])

    assert pack(once.unpack()) == once
