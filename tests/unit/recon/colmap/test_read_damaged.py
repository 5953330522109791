"""A damaged COLMAP model is one line that names it, whatever was cut or flipped; nothing hangs or ends the process."""

import random
import shutil

import pytest

from recon.colmap.read import read_model
from recon.errors import ReconError
from tests.support.recon.made_models import walk_scene

FILES = ("cameras", "images", "points3D", "rigs", "frames")


@pytest.fixture(params=["bin", "txt"])
def model(request, tmp_path):
    folder = tmp_path / "model"
    folder.mkdir()
    made = walk_scene(frames=6, points=60)
    made.write_binary(folder) if request.param == "bin" else made.write_text(folder)
    return folder


@pytest.fixture
def try_with(model):
    """Read the model with one file's bytes changed, or without it; why it is not read, or None."""

    def read(stem, change):
        path = next(model.glob(f"{stem}.*"))
        whole, kept = path.read_bytes(), shutil.copy(path, model.parent / "kept")
        changed = change(whole)
        path.unlink() if changed is None else path.write_bytes(changed)
        try:
            read_model(model).compute_num_observations()
            return None
        except ReconError as error:
            return str(error)
        finally:
            shutil.copy(kept, path)

    return read


def test_a_whole_model_is_read_as_it_was_written(model):
    made, read = walk_scene(frames=6, points=60), read_model(model)
    assert sorted(read.reg_image_ids()) == sorted(made.reg_image_ids())
    assert read.num_points3D() == made.num_points3D()
    assert read.compute_num_observations() == made.compute_num_observations()


def test_what_is_cut_or_missing_or_refers_to_nothing_is_refused_by_name(model, try_with, subtests):
    for stem in FILES:
        with subtests.test(stem=stem):
            if next(model.glob("cameras.*")).suffix == ".bin":  # a text file has no counts and may end after any line
                for share in (0.0, 0.1, 0.5, 0.97):
                    reason = try_with(stem, lambda whole, share=share: whole[: int(share * len(whole))])
                    assert f"{stem}.bin is damaged: " in reason
                    assert " do not fit together" in reason
                for count in (0, 2**20, 2**40, 2**63):
                    reason = try_with(stem, lambda whole, count=count: count.to_bytes(8, "little") + whole[8:])
                    assert "damaged" in reason
            if stem in ("cameras", "images", "points3D"):
                reason = try_with(stem, lambda whole: None)
                assert "no COLMAP model: " in reason
                assert stem in reason
    nothing = b"" if next(model.glob("cameras.*")).suffix == ".txt" else bytes(8)
    reason = try_with("points3D", lambda whole: nothing)
    assert "no COLMAP model: its files refer to entries that are not there" in reason


def test_whatever_is_flipped_reads_or_is_refused(model, try_with, subtests):
    def flip(whole, rng):
        data = bytearray(whole)
        for _ in range(rng.choice((1, 4))):
            at = rng.randrange(min(len(data), rng.choice((8, 64, len(data)))))
            data[at] = rng.choice((0, 255, data[at] ^ 1 << rng.randrange(8)))
        return data

    for stem in FILES:
        for seed in range(25):
            with subtests.test(stem=stem, seed=seed):
                reason = try_with(stem, lambda whole, seed=seed: flip(whole, random.Random(seed)))
                assert reason is None or reason.startswith(f"{model}: no COLMAP model: ")
                assert "\n" not in (reason or "")
