"""NumPy files that are damaged in any way are one ValueError, whatever NumPy raises over them."""

import contextlib
import random

import numpy as np
import pytest

from recon.arrays import load_array, load_arrays


@pytest.fixture
def array(tmp_path):
    path = tmp_path / "a.npy"
    np.save(path, np.arange(60, dtype=np.float32).reshape(10, 6))
    return path


@pytest.fixture
def archive(tmp_path):
    path = tmp_path / "a.npz"
    np.savez_compressed(path, one=np.arange(60.0), two=np.eye(3))
    return path


def test_whole_files_are_read(array, archive):
    assert load_array(array).shape == (10, 6)
    two, one = load_arrays(archive, ("two", "one"))
    assert two.tolist() == np.eye(3).tolist()
    assert one[-1] == 59.0


def test_each_kind_of_file_is_refused_where_the_other_is_needed(tmp_path, array, archive):
    with pytest.raises(FileNotFoundError):
        load_array(tmp_path / "none.npy")
    with pytest.raises(FileNotFoundError):
        load_arrays(tmp_path / "none.npz", ("one",))
    with pytest.raises(ValueError, match="need one array"):
        load_array(archive)
    with pytest.raises(ValueError, match="need an archive"):
        load_arrays(array, ("one",))
    with pytest.raises(ValueError, match="three"):
        load_arrays(archive, ("one", "three"))


def test_what_would_execute_is_refused(tmp_path):
    path = tmp_path / "objects.npy"
    np.save(path, np.array([{"a": 1}], dtype=object), allow_pickle=True)
    with pytest.raises(ValueError, match="pickle"):
        load_array(path)


def test_heads_that_are_none_are_one_reason(subtests, tmp_path):
    for name, content in zip(
        ["empty", "text", "cut head", "open brackets", "no archive"],
        [b"", b"x", b"\x93NUMPY\x01\x00\xff\xff", b"\x93NUMPY\x01\x00\x10\x00" + b"{'descr': (((\n  \n", b"PK\x03\x04"],
        strict=True,
    ):
        with subtests.test(name=name):
            path = tmp_path / "x"
            path.write_bytes(content)
            for read in (load_array, lambda path: load_arrays(path, ("one",))):
                with pytest.raises(ValueError, match=r"\S") as told:
                    read(path)
                assert "\n" not in str(told.value)


def test_a_shape_beyond_the_file_is_refused(array):
    with array.open("wb") as file:
        head = {"descr": "<f4", "fortran_order": False, "shape": (10**15, 6)}
        np.lib.format.write_array_header_1_0(file, head)
        file.write(bytes(240))
    with pytest.raises(ValueError, match=r"\S"):
        load_array(array)


def test_damage_at_any_place_is_an_array_or_a_reason(subtests, array, archive):
    kinds = ((array, load_array), (archive, lambda path: load_arrays(path, ("one", "two"))))
    for whole, (path, read) in [(kind[0].read_bytes(), kind) for kind in kinds]:
        for seed in range(60):
            rng, data = random.Random(seed), bytearray(whole)
            for _ in range(rng.choice((1, 1, 8))):
                at = rng.randrange(min(len(data), rng.choice((16, 128, 10_000))))
                data[at] = rng.choice((0, 255, ord("("), ord("'")))
            path.write_bytes(bytes(data[: rng.choice((len(data), rng.randrange(len(data))))]))
            with subtests.test(path=path, seed=seed), contextlib.suppress(ValueError):
                read(path)
