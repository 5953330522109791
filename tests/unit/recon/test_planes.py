import numpy as np
import pytest

from recon.planes import find_planes
from tests.support.recon.made_house import room_points


def everything(normals):
    return np.ones(len(normals), dtype=bool)


def test_the_faces_of_a_room_are_found():
    planes = find_planes(room_points(), 0.04, is_wanted=everything, seed=1)
    found = [(abs(plane.offset), int(np.argmax(np.abs(plane.normal)))) for plane in planes]
    for offset, axis in [(3.0, 0), (3.0, 0), (2.0, 1), (2.0, 1), (0.0, 2), (0.75, 2)]:
        match = next(row for row in found if abs(row[0] - offset) < 0.05 and row[1] == axis)
        found.remove(match)
    for plane in planes:
        assert np.linalg.norm(plane.normal) == pytest.approx(1.0)
        # A table of 1.2 x 0.8 m amid clutter is known to 2 degrees, walls to a tenth.
        assert np.abs(plane.normal).max() > np.cos(np.radians(2.5))


def test_planes_are_found_among_many_points_again_and_again():
    assert find_planes(np.zeros((0, 3)), 0.04, is_wanted=everything) == []
    first, second = (find_planes(room_points(), 0.04, is_wanted=everything, seed=3) for _ in range(2))
    np.testing.assert_array_equal([plane.normal for plane in first], [plane.normal for plane in second])
    planes = find_planes(room_points(), 0.04, is_wanted=lambda normals: np.abs(normals[:, 2]) > 0.9)
    assert planes
    assert all(abs(plane.normal[2]) > 0.9 for plane in planes)


def test_a_wall_with_things_before_its_lower_half_is_not_slanted(subtests):
    for seed in range(3):
        with subtests.test(seed=seed):
            rng = np.random.default_rng(seed)
            wall = np.column_stack([rng.uniform(0, 5, 600), rng.normal(0.0, 0.008, 600), rng.uniform(0.0, 2.5, 600)])
            fronts = np.column_stack([rng.uniform(0, 5, 400), rng.normal(0.06, 0.008, 400), rng.uniform(0.0, 1.0, 400)])
            plane = find_planes(
                np.vstack([wall, fronts]), 0.03, is_wanted=lambda normals: normals[:, 0] ** 2 < 0.5, seed=seed
            )[0]
            assert np.degrees(np.arccos(abs(plane.normal[1]))) < 0.5
