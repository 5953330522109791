"""A walk whose SIFT matches break in the middle, and a second kind of keypoints that sees it whole, or badly."""

from dataclasses import dataclass, replace
from pathlib import Path

import cv2
import numpy as np
import pycolmap
import pytest

from recon.audit.verdict import Verdict
from recon.colmap.database import open_database
from recon.colmap.fuse import subset
from recon.evaluate import pose_error
from recon.mapping import judge, learned_fallback
from recon.mapping.judge import Judge, needs_hold
from recon.mapping.learned_fallback import needs_learned_features, remap_with_learned_features
from recon.mapping.options import LEARNED_BARS, SIFT_BARS, TourInputs
from recon.mapping.sfm import ClipResult, reconstruct_clips
from recon.mapping.sound_parts import SoundPart
from recon.matching import calibrate
from recon.matching.interfaces import DescriptorSpace, Keypoints
from recon.matching.second_kind import LearnedMatches, match_learned_features, write_combined_database
from recon.matching.sift import verify
from recon.matching.xfeat import match_alike, pack_signed, unpack_signed
from recon.records import Clip, Frame, SubModel
from recon.tasks import map_here
from tests.support.recon.made_models import centers, frames_of, walk_scene

FRAMES = 40
CLIP = Clip("000", 0, tuple(range(1, FRAMES + 1)))


@dataclass(frozen=True, eq=False)
class TrueKeypoints:
    """A second kind that finds the true points of another cloud in the same walk; a picture's value names its frame."""

    scene: pycolmap.Reconstruction
    blind: frozenset[int] = frozenset()
    name: str = "true"
    is_gray: bool = True
    gaps: tuple[int, ...] = (1, 2, 3, 4, 6)
    enough: int = 10_000
    plenty: int = 0

    def detect(self, picture, mask):
        frame = int(picture[0, 0])
        image = self.scene.image(frame)
        seen = [] if frame in self.blind else list(image.get_observation_point2D_idxs())
        looks = np.random.default_rng(7).normal(size=(max(self.scene.point3D_ids()) + 1, 64)).astype(np.float32)
        looks /= np.linalg.norm(looks, axis=1, keepdims=True)
        xy = np.array([image.point2D(k).xy for k in seen], np.float32).reshape(-1, 2)
        scale = picture.shape[1] / 640
        return Keypoints(xy * scale, pack_signed(looks[[image.point2D(k).point3D_id for k in seen]]))

    def space(self, sample):
        return DescriptorSpace(unpack_signed(sample), unpack_signed)

    def match(self, first, second):
        return verify(first.xy, second.xy, match_alike(first.vectors, second.vectors), 2.0, 15)


@pytest.fixture(scope="module")
def broken(walk, tmp_path_factory):
    """The walk's database without a pair across frames 20 and 21, and what came of it."""
    folder = tmp_path_factory.mktemp("broken")
    with (
        open_database(walk[1]) as whole,
        open_database(folder / "database.db") as cut,
        pycolmap.DatabaseTransaction(cut),
    ):
        cut.write_camera(whole.read_camera(1), use_camera_id=True)
        cut.write_rig(whole.read_rig(1), use_rig_id=True)
        for image in whole.read_all_images():
            frame = image.image_id
            cut.write_frame(whole.read_frame(frame), use_frame_id=True)
            cut.write_image(image, use_image_id=True)
            cut.write_keypoints(frame, whole.read_keypoints(frame))
            cut.write_descriptors(frame, whole.read_descriptors(frame))
        for pair in whole.read_two_view_geometry_num_inliers()[0]:
            first, second = pycolmap.pair_id_to_image_pair(pair)
            if (first <= 20) == (second <= 20):
                cut.write_two_view_geometry(first, second, whole.read_two_view_geometry(first, second))
    (result,) = reconstruct_clips(folder / "database.db", folder, [CLIP], folder / "work")
    return folder / "database.db", result


def make_judge(frames):
    return Judge(Path(), Path(), {}, frames, 0)


def look(broken, features, tmp_path, lines=90, seed=0):
    """The second look, its pictures of any size."""
    for frame in range(1, FRAMES + 1):
        cv2.imwrite(str(tmp_path / f"{frame:06d}.png"), np.full((lines, lines * 16 // 9), frame, np.uint8))
    frames = [
        type(frame)(frame.index, frame.time_s, f"{frame.index:06d}.png", 640, 360, 1.0, 0)
        for frame in frames_of(features.scene)
    ]
    path, result = broken
    told = []
    inputs = TourInputs(
        frames=frames, frames_dir=tmp_path, learned=features, pictures=lambda wanted, folder: tmp_path, seed=seed
    )
    found = remap_with_learned_features(path, inputs, [CLIP], [result], tmp_path / "work", progress=told.append)
    assert told == sorted(told)
    return found


def test_places_seen_again_are_matched(walk, tmp_path):
    """The walk comes back the way it went."""
    features = TrueKeypoints(walk_scene(FRAMES, 700, seed=3))
    frames = []
    for index in range(1, FRAMES + 1):
        shown = min(index, FRAMES + 1 - index)
        cv2.imwrite(str(tmp_path / f"{index}.png"), np.full((90, 160), shown, np.uint8))
        frames.append(Frame(index, index / 3, f"{index}.png", 640, 360, 1.0, 0))

    found = match_learned_features(walk[1], tmp_path, frames, features, None, 0, map_here, lambda done: None)

    same_view = {pair: match for pair, match in found.pairs.items() if sum(pair) == FRAMES + 1}
    assert len(same_view) >= 5
    for match in same_view.values():
        assert (match.inliers[:, 0] == match.inliers[:, 1]).all()


def test_models_of_learned_keypoints_are_adjusted_for_longer():
    usual, learned = SIFT_BARS.refine, LEARNED_BARS.refine
    assert learned.search_rounds == usual.search_rounds
    assert learned.max_iterations > usual.max_iterations
    assert learned.least_gain < usual.least_gain
    assert SIFT_BARS.register_by_matches
    assert not LEARNED_BARS.register_by_matches


def test_a_whole_clip_needs_none(walk, tmp_path):
    (whole,) = reconstruct_clips(walk[1], tmp_path, [CLIP], tmp_path / "work")
    assert not needs_learned_features(CLIP, whole)

    features = TrueKeypoints(walk[0])
    inputs = TourInputs(frames=frames_of(walk[0]), frames_dir=tmp_path, learned=features)
    kept = remap_with_learned_features(walk[1], inputs, [CLIP], [whole], tmp_path)

    assert kept.results == (whole,)
    assert kept.database_path is None


def test_a_broken_clip_becomes_whole_by_the_second_kind(walk, broken, tmp_path):
    assert needs_learned_features(CLIP, broken[1])
    assert max(len(model.frames) for model in broken[1].sub_models) == 20

    found = look(broken, TrueKeypoints(walk_scene(FRAMES, 700, seed=3)), tmp_path)

    (result,) = found.results
    model = result.sub_models[0]
    assert len(model.frames) == FRAMES
    assert pose_error(centers(model.reconstruction), centers(walk[0])).rmse < 0.05
    why, draws = result.findings[-3], result.findings[-1]
    assert why.code == draws.code == "sfm.second_look"
    assert "that of SIFT 20" in why.message
    (exact,) = (finding for finding in result.findings if finding.code == "sfm.less_exact")
    assert exact.severity == "warning"
    assert "by 0.0%" in exact.message
    assert found.database_path is not None
    with open_database(found.database_path) as database:  # what later stages read fits the model
        for frame in model.frames:
            keypoints = np.asarray(database.read_keypoints(frame))[:, :2]
            assert model.reconstruction.image(frame).num_points2D() == len(keypoints)
            assert len(np.asarray(database.read_descriptors(frame).data)) == len(keypoints)


def test_the_sounder_one_is_kept_and_the_finding_says_so(walk, broken, tmp_path):
    blind = frozenset(range(1, FRAMES + 1)) - {5, 6}
    found = look(broken, TrueKeypoints(walk_scene(FRAMES, 700, seed=3), blind), tmp_path)

    (result,) = found.results
    assert result.sub_models == broken[1].sub_models
    assert found.database_path is None
    why, draws = result.findings[-2:]
    assert why.code == draws.code == "sfm.second_look"
    assert not any(finding.code == "sfm.less_exact" for finding in result.findings)
    assert "model of SIFT was kept" in why.message
    assert " 20 and 20 of " in draws.message


@pytest.mark.parametrize(("bar", "draws"), [(0.5, [(True, 5), (True, 6)]), (0.0, [(False, 5), (True, 5), (False, 6)])])
def test_a_clip_that_is_sound_nowhere_is_mapped_by_another_lens_and_other_random_numbers(
    walk, broken, tmp_path, monkeypatch, bar, draws
):
    """Another lens only where the pairs are not sure of theirs."""
    monkeypatch.setattr(calibrate, "_SURE", bar)
    told = []

    def spy(path, *rest):
        with open_database(path) as database:
            told.append((database.read_camera(1).has_prior_focal_length, rest[4]))
        return reconstruct_clips(path, *rest)

    monkeypatch.setattr(learned_fallback, "reconstruct_clips", spy)
    monkeypatch.setattr(learned_fallback, "needs_hold", lambda sound, total: True)

    found = look(broken, TrueKeypoints(walk_scene(FRAMES, 700, seed=3)), tmp_path, seed=5)

    assert told == draws
    assert len(found.results[0].sub_models[0].frames) == FRAMES


@pytest.mark.parametrize(
    ("sound", "is_learned", "seeds", "kept"),
    [
        ((34,), False, [5], 34),
        ((34, 30), True, [5, 6], 34),
        ((33, 40), False, [5, 6], 33),
        ((33, 40), True, [5, 6], 40),
        ((20, 20), True, [5, 6], 20),
        ((30, 25), True, [5, 6], 30),
    ],
)
def test_a_clip_is_mapped_once_more_by_other_random_numbers(
    walk, broken, tmp_path, monkeypatch, sound, is_learned, seeds, kept
):
    """Where less than 0.85 of it is sound, or to tell how exact learned keypoints are; the longer one is kept."""
    told = []

    def choose(self, clip, second):
        told.append(self.seed)
        return replace(second, sound_frames=sound[len(told) - 1]), is_learned

    monkeypatch.setattr(Judge, "choose", choose)
    features = TrueKeypoints(walk_scene(FRAMES, 700, seed=3))

    found = look(broken, features, tmp_path, seed=5)

    assert told == seeds
    (result,) = found.results
    assert result.sound_frames == kept
    assert len([finding for finding in result.findings if "mapped 2 times" in finding.message]) == len(seeds) - 1
    assert len([finding for finding in result.findings if finding.code == "sfm.less_exact"]) == is_learned


def test_rows_of_the_first_kind_stay_and_the_second_follow(walk, broken, tmp_path):
    features = TrueKeypoints(walk_scene(FRAMES, 700, seed=3))
    one, two = (features.detect(np.full((360, 640), frame, np.uint8), None) for frame in (3, 4))
    space = features.space(one.descriptors)
    match = features.match(space.compact(one), space.compact(two))
    write_combined_database(broken[0], LearnedMatches({3: one, 4: two}, {(3, 4): match}), tmp_path / "both.db")

    with open_database(broken[0]) as before, open_database(tmp_path / "both.db") as after:
        old, new = (np.asarray(database.read_keypoints(3))[:, :2] for database in (before, after))
        assert (new[: len(old)] == old).all()
        assert (new[len(old) :] == one.xy).all()
        was, now = (database.read_two_view_geometry(3, 4).inlier_matches for database in (before, after))
        assert (now[: len(was)] == was).all()
        assert len(now) == len(was) + len(match.inliers)
        assert now[len(was) :].min() >= min(len(old), len(np.asarray(before.read_keypoints(4))))
        assert len(np.asarray(after.read_keypoints(9))) == len(np.asarray(before.read_keypoints(9)))


def test_a_model_gets_more_keypoints_and_loses_nothing(walk):
    model = walk[0]
    xy = {3: np.concatenate([[point.xy for point in model.image(3).points2D], [[7.0, 8.0]]])}
    wider = subset(model, model.reg_image_ids(), xy)

    assert wider.image(3).num_points2D() == model.image(3).num_points2D() + 1
    assert wider.num_points3D() == model.num_points3D()
    assert wider.compute_mean_reprojection_error() == pytest.approx(model.compute_mean_reprojection_error())
    assert [wider.image(f).num_points2D() for f in (1, 2)] == [model.image(f).num_points2D() for f in (1, 2)]


@pytest.mark.parametrize(("sound", "is_held"), [(84, True), (85, False), (86, False)])
def test_a_walk_is_held_by_the_floor_only_where_much_would_be_lost(sound, is_held):
    assert needs_hold(sound, 100) is is_held


@pytest.mark.parametrize(
    ("first_try", "second_try", "starts", "kept"),
    [(FRAMES, 30, 1, FRAMES), (30, FRAMES, 2, FRAMES), (30, 20, 2, 30), (None, 20, 2, 20)],
)
def test_a_held_walk_starts_from_sound_stretches_then_from_models(
    walk, monkeypatch, first_try, second_try, starts, kept
):
    """The second start is tried where the first does not come out whole, and the longer sound stretch is taken."""
    whole = SubModel("000/0", ("000",), walk[0])
    sound = [SoundPart(whole, tuple(range(4, 24))), SoundPart(whole, tuple(range(30, 38))), SoundPart(whole, (1, 2))]
    seen = []

    def hold(model, database_path, floors, times_s, known, seed, seams):
        seen.append(seams)
        return None if first_try is None and len(seen) == 1 else pycolmap.Reconstruction()

    lengths = {1: first_try, 2: second_try}
    monkeypatch.setattr(judge, "hold_by_floor", hold)
    monkeypatch.setattr(
        judge,
        "find_held_parts",
        lambda walk, both, first, floors, times_s: [SoundPart(walk, tuple(range(lengths[len(seen)])))],
    )
    frames = {frame.index: frame for frame in frames_of(walk[0])}

    parts = make_judge(frames).hold([whole], sound)

    assert seen == [((3, 4), (23, 24), (29, 30), (37, 38)), ()][:starts]
    assert len(parts[0].frames) == kept
    assert all(part.model.held_by_floor for part in parts)


@pytest.mark.parametrize(
    ("doubts", "told"), [([], 0), ([Verdict(False, "unexplained", 0.7, 0.5, (9, 10), "few agree")], 1)]
)
def test_steps_that_few_matches_agree_with_are_told_of_a_held_walk(walk, monkeypatch, doubts, told):
    monkeypatch.setattr(judge, "find_doubtful_steps", lambda part, path: doubts)
    whole = SubModel("000/0", ("000",), walk[0], held_by_floor=True)
    result = ClipResult("000", (whole,), (), FRAMES)

    findings = judge._add_doubtful_step_finding(result, [SoundPart(whole, whole.frames)], Path()).findings

    assert [finding.code for finding in findings] == ["sfm.step_doubtful"] * told
    assert all("9-10 (30%)" in finding.message for finding in findings)


def test_what_was_cut_out_of_a_model_is_named(walk):
    whole = SubModel("000/0", ("000",), walk[0], held_by_floor=True)
    result = ClipResult("000", (whole,), (), FRAMES)

    cut = judge._assemble(result, [SoundPart(whole, tuple(range(4, 24)))], Path(), 0)
    kept = judge._assemble(result, [SoundPart(whole, whole.frames)], Path(), 0)

    (finding,) = cut.findings
    assert finding.code == "sfm.scale_lost"
    assert "frames 4-23 " in finding.message
    assert cut.sub_models[0].frames == tuple(range(4, 24))
    assert kept.findings == ()
