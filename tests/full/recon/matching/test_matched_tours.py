"""Whole tours matched: parts of a database, keypoints in a file, places seen again, workers."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pycolmap

from recon.colmap.database import copy_part, open_database
from recon.matching.features import build_database
from recon.matching.sift import Sift
from roomtour.workers.local import LocalWorkers
from tests.unit.recon.matching.test_features import SIZE, build, read_verified, tour

FEATURES = Sift(max_features=400, enough=250, plenty=100, gaps=(1, 2, 3, 4))


def there_and_back(folder: Path):
    folder.mkdir(exist_ok=True)
    lefts = [*range(0, 500, 15), 300, 120, *range(110, 0, -10)]
    return tour(folder, lefts, shots=[0] * (len(lefts) - 6) + [1] * 6)


def test_a_part_with_descriptors_has_all_that_the_whole_has_of_its_frames(tmp_path):
    frames = there_and_back(tmp_path)
    build_database(tmp_path, frames, [], tmp_path / "whole.db", features=FEATURES)
    wanted = [frame.index for frame in frames[5:20]]
    copy_part(tmp_path / "whole.db", wanted, tmp_path / "plain.db")
    copy_part(tmp_path / "whole.db", wanted, tmp_path / "part.db", descriptors=True)
    with open_database(tmp_path / "whole.db") as whole, open_database(tmp_path / "part.db") as part:
        for frame in wanted:
            assert np.array_equal(whole.read_keypoints(frame), part.read_keypoints(frame))
            assert np.array_equal(whole.read_descriptors(frame).data, part.read_descriptors(frame).data)
            assert whole.read_image(frame).name == part.read_image(frame).name
        inside = {tuple(map(int, pycolmap.pair_id_to_image_pair(one))) for one in list_verified(whole)}
        inside = {pair for pair in inside if set(pair) <= set(wanted)}
        assert inside == {tuple(map(int, pycolmap.pair_id_to_image_pair(one))) for one in list_verified(part)}
        assert len(inside) > 20
        for pair in inside:
            geometries = [one.read_two_view_geometry(*pair) for one in (whole, part)]
            assert np.array_equal(geometries[0].inlier_matches, geometries[1].inlier_matches)
        assert whole.read_camera(1).params.tolist() == part.read_camera(1).params.tolist()
    with open_database(tmp_path / "plain.db") as plain:
        assert len(plain.read_descriptors(wanted[0]).data) == 0


def list_verified(database: pycolmap.Database) -> list[int]:
    return list(database.read_two_view_geometry_num_inliers()[0])


def test_a_place_seen_again_is_found(tmp_path):
    there_and_back = [*range(0, 900, 30), *range(877, 0, -30)]
    frames = tour(tmp_path, there_and_back)
    report = build(tmp_path, frames, features=Sift(gaps=(1, 2)))
    revisits = {pair for pair in read_verified(tmp_path / "database.db") if pair[1] - pair[0] >= 20}
    assert len(revisits) == report.revisits_verified >= 8
    assert all(abs(there_and_back[a - 1] - there_and_back[b - 1]) < SIZE[0] for a, b in revisits)


def test_a_pair_that_is_matched_as_neighbours_is_no_revisit_too(tmp_path):
    """Neighbours are 1 and 20 frames apart, revisits 20 and more: the pair at a turn is both."""
    there_and_back = [*range(0, 420, 20), *range(402, 0, -20)]
    frames = tour(tmp_path, there_and_back)
    report = build(tmp_path, frames, features=Sift(gaps=(1, 20)))
    neighbours = {pair for pair in read_verified(tmp_path / "database.db") if pair[1] - pair[0] in (1, 20)}
    assert {pair[1] - pair[0] for pair in neighbours} == {1, 20}
    assert report.sequential_verified == len(neighbours)


def test_the_number_of_workers_does_not_change_the_result(tmp_path):
    frames = tour(tmp_path, range(0, 300, 25))
    build(tmp_path, frames)
    one = read_verified(tmp_path / "database.db")
    (tmp_path / "database.db").unlink()
    with LocalWorkers(2) as workers:
        build(tmp_path, frames, fan_out=workers.map)
    assert read_verified(tmp_path / "database.db") == one
