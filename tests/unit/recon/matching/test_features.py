from types import SimpleNamespace
from typing import Any

import cv2
import numpy as np
import pycolmap
import pytest
from scipy.spatial import KDTree

from recon.errors import ReconError
from recon.matching.features import build_database
from recon.matching.pairs import match_frames
from recon.matching.sift import Sift
from recon.records import Clip, Frame

SIZE = (320, 240)


def texture(seed=0):
    rng = np.random.default_rng(seed)
    picture = np.full((600, 1400), 128.0)
    for scale in (4, 10, 25):
        noise = rng.normal(0, 1, (600 // scale + 2, 1400 // scale + 2))
        picture += 25 * cv2.resize(noise, (1400, 600), interpolation=cv2.INTER_CUBIC)
    return np.clip(picture, 0, 255).astype(np.uint8)


def tour(folder, lefts, shots=None):
    """Frames that look at a long textured wall from the given distances along it, in pixels."""
    wall = texture()
    frames = []
    for index, left in enumerate(lefts, start=1):
        cv2.imwrite(str(folder / f"{index:06d}.jpg"), wall[150 : 150 + SIZE[1], left : left + SIZE[0]])
        frames.append(Frame(index, index / 3.0, f"{index:06d}.jpg", *SIZE, 100.0, shots[index - 1] if shots else 0))
    return frames


def read_verified(path):
    with pycolmap.Database.open(path) as database:
        ids, counts = database.read_two_view_geometry_num_inliers()
    return {tuple(pycolmap.pair_id_to_image_pair(i)): n for i, n in zip(ids, counts, strict=True) if n}


def build(folder, frames, **keywords):
    folder.mkdir(exist_ok=True)
    clip = Clip("000", 0, tuple(frame.index for frame in frames))
    return build_database(folder, frames, [clip], folder / "database.db", **keywords)


def test_image_ids_are_frame_numbers_whatever_the_file_names_say(tmp_path):
    frames = tour(tmp_path, [0, 20, 40, 60])
    turned = [Frame(f.index, f.time_s, g.image, *SIZE, 1.0, 0) for f, g in zip(frames, reversed(frames), strict=True)]
    report = build(tmp_path, turned)
    with pycolmap.Database.open(tmp_path / "database.db") as database:
        images = {image.image_id: (image.name, image.frame_id) for image in database.read_all_images()}
        assert images == {frame.index: (frame.image, frame.index) for frame in turned}
        assert database.num_cameras() == 1
        assert database.read_descriptors(1).data.shape[1] == 128
    assert report.sequential_verified == 6


def test_neighbours_across_a_cut_are_not_matched(tmp_path):
    frames = tour(tmp_path, [0, 20, 40, 60, 80, 100], shots=[0, 0, 0, 1, 1, 1])
    build(tmp_path, frames)
    assert {(a <= 3) == (b <= 3) for a, b in read_verified(tmp_path / "database.db")} == {True}


def test_progress_ends_at_one_and_never_falls(tmp_path):
    said = []
    build(tmp_path, tour(tmp_path, range(0, 300, 25)), progress=said.append)
    assert said == sorted(said)
    assert said[-1] == 1.0


def test_black_frames_are_reported_and_do_no_harm(tmp_path):
    frames = tour(tmp_path, [0, 20, 40])
    cv2.imwrite(str(tmp_path / frames[1].image), np.zeros(SIZE[::-1], np.uint8))
    report = build(tmp_path, frames)
    assert any(f.code == "features.few_keypoints" and "1 of 3" in f.message for f in report.findings)
    assert (1, 3) in read_verified(tmp_path / "database.db")
    (tmp_path / "database.db").unlink()
    for frame in frames:
        cv2.imwrite(str(tmp_path / frame.image), np.zeros(SIZE[::-1], np.uint8))
    assert build(tmp_path, frames).sequential_verified == 0


def test_a_missing_image_is_named(tmp_path):
    frames = tour(tmp_path, [0, 20, 40])
    (tmp_path / frames[1].image).unlink()
    with pytest.raises(ReconError, match=r"000002\.jpg"):
        build(tmp_path, frames)


def test_an_existing_database_is_not_touched(tmp_path):
    frames = tour(tmp_path, [0, 20])
    (tmp_path / "database.db").write_text("mine")
    with pytest.raises(ReconError, match="exists already"):
        build(tmp_path, frames)
    assert (tmp_path / "database.db").read_text() == "mine"


def test_no_frames_are_an_error(tmp_path):
    with pytest.raises(ReconError, match="no frames"):
        build_database(tmp_path, [], [], tmp_path / "database.db")


def test_keypoints_have_pixel_centres_at_a_half():
    picture = np.zeros((101, 101), np.float32)
    picture[50, 50] = 1.0
    blob = cv2.GaussianBlur(picture, (0, 0), 4.0)
    found = Sift().detect((blob / blob.max() * 255).astype(np.uint8), None)
    assert np.allclose(found.xy[0], [50.5, 50.5], atol=0.05)


def test_frames_with_plenty_in_common_are_matched_with_fewer_keypoints(tmp_path):
    frames = tour(tmp_path, [0, 5, 10, 15, 215, 415])  # the last ones share a third of the picture
    build(tmp_path, frames, features=Sift(max_features=400, enough=200, plenty=100))
    with pycolmap.Database.open(tmp_path / "database.db") as database:
        assert all(database.num_keypoints_for_image(frame.index) > 300 for frame in frames)
        highest = {
            pair: database.read_two_view_geometry(*pair).inlier_matches.max()
            for pair in read_verified(tmp_path / "database.db")
        }
    assert highest[1, 2] < 200
    assert highest[2, 3] < 200
    assert highest[4, 5] >= 200


def test_pairs_that_are_asked_for_are_tried_once(tmp_path):
    asked: list[tuple[int, int]] = []

    def match(pairs, *_):
        asked.extend(pairs)
        return {pair: SimpleNamespace(inliers=()) for pair in pairs}

    matcher: Any = SimpleNamespace(features=SimpleNamespace(gaps=(1, 2), plenty=0), match=match)
    frames = tour(tmp_path, [0] * 5)
    neighbours, tried = match_frames(matcher, frames, 0, lambda done: None, [(1, 5), (1, 2)])
    assert list(tried) == [(1, 5)]
    assert sorted(neighbours) == [(1, 2), (1, 3), (2, 3), (2, 4), (3, 4), (3, 5), (4, 5)]
    assert len(asked) == len(set(asked)) == 8


def test_the_shrunk_picture_has_its_keypoints_where_the_whole_one_has_them(subtests):
    for size in [(640, 360), (360, 640), (641, 361)]:
        with subtests.test(size=size):
            wall = np.asarray(cv2.resize(texture(), (1400, 800)), np.uint8)
            picture = np.ascontiguousarray(wall[: size[1], : size[0]])
            whole = Sift(picture_side=1000).detect(picture, None)
            shrunk = Sift().detect(picture, None)
            distance, nearest = KDTree(whole.xy).query(shrunk.xy)
            same = np.asarray(distance) < 1.0
            offset = (shrunk.xy - whole.xy[nearest])[same]
            assert same.mean() > 0.6
            assert np.abs(np.median(offset, axis=0)).max() < 0.05  # half a pixel of the wrong scale would be 0.1
            assert shrunk.xy.min() > 0
            assert (shrunk.xy < size).all()


def test_a_mask_fits_the_shrunk_picture():
    picture = np.ascontiguousarray(texture()[:360, :640])
    mask = np.full(picture.shape, 255, np.uint8)
    mask[:60], mask[:, 500:] = 0, 0
    found = Sift().detect(picture, mask)
    assert len(found.xy) > 50
    assert found.xy[:, 1].min() > 59
    assert found.xy[:, 0].max() < 501


def test_a_mask_keeps_keypoints_out_and_changes_nothing_elsewhere(tmp_path):
    frames = tour(tmp_path, [0, 20, 40])
    mask = np.full(SIZE[::-1], 255, np.uint8)
    mask[100:140, 50:200] = 0
    build(tmp_path, frames, mask=mask)
    with pycolmap.Database.open(tmp_path / "database.db") as database:
        for frame in frames:
            xy = np.floor(database.read_keypoints(frame.index)[:, :2]).astype(int)
            assert len(xy) > 100
            assert mask[xy[:, 1], xy[:, 0]].all()
    gray = np.asarray(cv2.imread(str(tmp_path / frames[0].image), cv2.IMREAD_GRAYSCALE), np.uint8)
    all_of_them = Sift(max_features=100_000)  # fewer would be chosen anew from what the mask leaves
    every = {tuple(point) for point in all_of_them.detect(gray, None).xy.tolist()}
    kept = {tuple(point) for point in all_of_them.detect(gray, mask).xy.tolist()}
    assert kept < every


def test_a_mask_of_another_size_is_refused(tmp_path):
    frames = tour(tmp_path, [0, 20])
    with pytest.raises(ReconError, match=r"mask has size \(10, 8\)"):
        build(tmp_path, frames, mask=np.full((8, 10), 255, np.uint8))
