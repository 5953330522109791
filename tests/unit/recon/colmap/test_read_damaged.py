"""A damaged COLMAP model is one line that names it, whatever was cut or flipped; nothing hangs or ends the process."""

import random
import shutil

import pytest

from recon.colmap.read import read_model
from recon.errors import ReconError
from tests.support.recon.made_models import walk_scene

FILES = ("cameras", "images", "points3D", "rigs", "frames")


@pytest.fixture(scope="module", params=["bin", "txt"])
def model(request, tmp_path_factory):
    folder = tmp_path_factory.mktemp(request.param)
    made = walk_scene(frames=6, points=60)
    made.write_binary(folder) if request.param == "bin" else made.write_text(folder)
    return folder


@pytest.fixture
def copy(model, tmp_path):
    return shutil.copytree(model, tmp_path / "model")


def file_of(folder, stem):
    return next(folder.glob(f"{stem}.*"))


def test_a_whole_model_is_read_as_it_was_written(copy):
    made, read = walk_scene(frames=6, points=60), read_model(copy)
    assert sorted(read.reg_image_ids()) == sorted(made.reg_image_ids())
    assert read.num_points3D() == made.num_points3D()
    assert read.compute_num_observations() == made.compute_num_observations()


@pytest.mark.parametrize("stem", FILES)
@pytest.mark.parametrize("share", [0.0, 0.1, 0.5, 0.97])
def test_a_binary_file_that_is_cut_is_refused_by_name(copy, stem, share):
    path = file_of(copy, stem)
    if path.suffix == ".txt":
        pytest.skip("a text file may end after any line")
    path.write_bytes(path.read_bytes()[: int(share * path.stat().st_size)])
    with pytest.raises(ReconError, match=rf"{stem}.bin is damaged: .* do not fit together"):
        read_model(copy)


@pytest.mark.parametrize("stem", FILES)
def test_a_count_that_names_more_than_there_is_is_refused(copy, stem):
    path = file_of(copy, stem)
    if path.suffix == ".txt":
        pytest.skip("text has no counts")
    for count in (0, 2**20, 2**40, 2**63):
        data = count.to_bytes(8, "little") + path.read_bytes()[8:]
        path.write_bytes(data)
        with pytest.raises(ReconError, match="damaged"):
            read_model(copy)


def test_a_reference_to_what_is_not_there_is_refused(copy):
    path = file_of(copy, "points3D")
    if path.suffix == ".bin":
        path.write_bytes((0).to_bytes(8, "little"))
    else:
        path.write_text("")
    with pytest.raises(ReconError, match="no COLMAP model: its files refer to entries that are not there"):
        read_model(copy)


def refuse(folder):
    """Why the model is not read; None if it is."""
    try:
        read_model(folder).compute_num_observations()
    except ReconError as error:
        return str(error)


@pytest.mark.parametrize("stem", FILES)
def test_whatever_is_flipped_reads_or_is_refused(copy, stem):
    path = file_of(copy, stem)
    whole = path.read_bytes()
    for seed in range(60):
        rng = random.Random(seed)
        data = bytearray(whole)
        for _ in range(rng.choice((1, 4))):
            at = rng.randrange(min(len(data), rng.choice((8, 64, len(data)))))
            data[at] = rng.choice((0, 255, data[at] ^ 1 << rng.randrange(8)))
        path.write_bytes(data)
        reason = refuse(copy)
        if reason is not None:
            assert reason.startswith(f"{copy}: no COLMAP model: ")
            assert "\n" not in reason


@pytest.mark.parametrize("stem", ["cameras", "images", "points3D"])
def test_a_missing_file_is_named(copy, stem):
    path = file_of(copy, stem)
    path.unlink()
    with pytest.raises(ReconError, match=f"no COLMAP model: .*{stem}"):
        read_model(copy)
