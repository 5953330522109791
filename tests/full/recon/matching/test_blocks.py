"""A tour in blocks, as separate tasks would do it, gives the same bytes as in one piece."""

from __future__ import annotations

import pickle
from pathlib import Path

import numpy as np
import pycolmap
import pytest

from recon.colmap.database import copy_part, open_database
from recon.colmap.log import quiet_colmap
from recon.geometry import Camera
from recon.matching.batches import BlockMatches, PairMatcher, match_block, plan_revisits
from recon.matching.calibrate import set_focal, vote_focal
from recon.matching.detection import Detect
from recon.matching.features import build_database, descriptor_space, write_database
from recon.matching.interfaces import Keypoints
from recon.matching.keypoint_file import open_keypoint_file
from recon.matching.pair_filter import filter_pairs
from recon.matching.sift import Sift
from recon.records import Clip
from recon.tasks import fixed_threads
from roomtour.workers.local import LocalWorkers
from tests.unit.recon.matching.test_features import SIZE, build, read_verified, tour

FEATURES = Sift(max_features=400, enough=250, plenty=100, gaps=(1, 2, 3, 4))


def there_and_back(folder: Path):
    folder.mkdir(exist_ok=True)
    lefts = [*range(0, 500, 15), 300, 120, *range(110, 0, -10)]
    return tour(folder, lefts, shots=[0] * (len(lefts) - 6) + [1] * 6)


def match_in_blocks(folder: Path, frames, found: dict[int, Keypoints], space, features, size: int) -> BlockMatches:
    """Each block is given the keypoints of its halo alone, through a pickle, as another machine would get them."""
    gaps = features.gaps
    pairs, rich = {}, set()
    for start in range(0, len(frames), size):
        first, last = max(0, start - 1), min(len(frames), start + size + max(gaps) + 1)
        given = pickle.loads(pickle.dumps({one.index: space.compact(found[one.index]) for one in frames[first:last]}))
        matcher = PairMatcher(given.__getitem__, features)
        block = range(start - first, min(len(frames), start + size) - first)
        matches = match_block(matcher, frames[first:last], gaps, block)
        pairs |= matches.pairs
        rich |= matches.rich
    return BlockMatches(pairs, frozenset(rich))


@pytest.mark.parametrize("size", [1, 7, 48])
def test_blocks_give_the_bytes_of_the_whole(size, tmp_path):
    frames = there_and_back(tmp_path)
    clip = Clip("000", 0, tuple(frame.index for frame in frames))
    report = build_database(tmp_path, frames, [clip], tmp_path / "whole.db", features=FEATURES)
    assert report.revisits_verified > 5
    features = FEATURES
    with quiet_colmap(), fixed_threads():
        found = {}
        for start in range(0, len(frames), size):
            part = frames[start : start + size]
            found |= {
                one.index: keys for one, keys in zip(part, map(Detect(tmp_path, features, None), part), strict=True)
            }
        space = descriptor_space(features, found.values(), len(frames))
        block = match_in_blocks(tmp_path, frames, found, space, features, size)
        assert 0 < len(block.rich) < len(frames)  # so that both ways of matching were taken
        matcher = PairMatcher(lambda index: space.compact(found[index]), features)
        tried = matcher.match(plan_revisits(matcher, frames, 0), rich=block.rich)
        guessed = Camera("SIMPLE_RADIAL", *SIZE, (0.75 * max(SIZE), SIZE[0] / 2, SIZE[1] / 2, 0.0))
        vote = vote_focal(guessed, block.pairs.values())
        voted = set_focal(guessed, vote.focal_px) if vote else guessed
        is_sure = vote is not None and vote.is_sure
        believed = filter_pairs(block.pairs, tried, lambda frame: found[frame].xy, voted)
        kept = believed.neighbours, believed.revisits
        write_database(tmp_path / "parts.db", frames, voted, is_sure, found.values(), *kept)
    assert (tmp_path / "parts.db").read_bytes() == (tmp_path / "whole.db").read_bytes()
    assert len(block.pairs) == report.sequential_tried


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
        inside = {tuple(map(int, pycolmap.pair_id_to_image_pair(one))) for one in verified(whole)}
        inside = {pair for pair in inside if set(pair) <= set(wanted)}
        assert inside == {tuple(map(int, pycolmap.pair_id_to_image_pair(one))) for one in verified(part)}
        assert len(inside) > 20
        for pair in inside:
            geometries = [one.read_two_view_geometry(*pair) for one in (whole, part)]
            assert np.array_equal(geometries[0].inlier_matches, geometries[1].inlier_matches)
        assert whole.read_camera(1).params.tolist() == part.read_camera(1).params.tolist()
    with open_database(tmp_path / "plain.db") as plain:
        assert len(plain.read_descriptors(wanted[0]).data) == 0


def verified(database: pycolmap.Database) -> list[int]:
    return list(database.read_two_view_geometry_num_inliers()[0])


def test_keypoints_come_out_of_their_file_as_they_went_in(tmp_path):
    rng = np.random.default_rng(0)
    kept = {
        frame: Keypoints(rng.random((count, 2), np.float32), rng.integers(0, 255, (count, 128), np.uint8))
        for frame, count in ((3, 5), (1, 0), (7, 1200))
    }
    with open_keypoint_file(tmp_path / "keypoints") as file:
        for frame, keypoints in kept.items():
            file.add(frame, keypoints)
        for frame in (7, 1, 3, 7):
            back = file.read(frame)
            assert np.array_equal(back.xy, kept[frame].xy)
            assert np.array_equal(back.descriptors, kept[frame].descriptors)
        assert file.counts == {3: 5, 1: 0, 7: 1200}
    assert not list(tmp_path.iterdir())


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
