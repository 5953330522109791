import numpy as np
import pycolmap

from recon.colmap.fuse import fuse
from tests.support.recon.made_models import centers, cut, random_similarity

FIRST, SECOND = range(1, 16), range(10, 25)


def track(point):
    """The (frame, keypoint) that see a point."""
    return frozenset((each.image_id, each.point2D_idx) for each in point.track.elements)


def parts(scene, move):
    return cut(scene, FIRST, "000/0").reconstruction, cut(scene, SECOND, "001/0", move).reconstruction


def test_two_parts_of_a_scene_become_the_scene_and_stay_as_they_are(subtests, scene):
    for seed in range(1):
        with subtests.test(seed=seed):
            move = random_similarity(np.random.default_rng(seed))
            first, second = parts(scene, move)

            fused = fuse(first, second, move.inverse())

            expected = {}
            for point in scene.points3D.values():
                seen = [frozenset(each for each in track(point) if each[0] in span) for span in (FIRST, SECOND)]
                tracks = [part for part in seen if len(part) > 1]
                if len(tracks) == 2 and tracks[0] & tracks[1]:
                    tracks = [tracks[0] | tracks[1]]
                expected.update({part: point.xyz for part in tracks})
            points = {track(point): point.xyz for point in fused.points3D.values()}
            assert points.keys() == expected.keys()
            assert all(np.allclose(xyz, expected[seen], atol=1e-9) for seen, xyz in points.items())
            true = centers(scene)
            assert centers(fused).keys() == true.keys()
            assert all(
                np.allclose(pose.matrix(), true[frame].matrix(), atol=1e-9) for frame, pose in centers(fused).items()
            )
            xy = {frame: [point.xy.tolist() for point in fused.image(frame).points2D] for frame in true}
            assert xy == {frame: [point.xy.tolist() for point in scene.image(frame).points2D] for frame in true}
    move = random_similarity(np.random.default_rng(0))
    first, second = parts(scene, move)
    before = [{track(point) for point in part.points3D.values()} for part in (first, second)]
    fuse(first, second, move.inverse())
    assert [{track(point) for point in part.points3D.values()} for part in (first, second)] == before


def test_a_frame_sees_no_point_twice(scene):
    """Where two points of the second model prove to be one of the first, each frame keeps one observation of it."""
    first, second = parts(scene, random_similarity(np.random.default_rng(0)))
    whole = max(second.points3D.values(), key=lambda point: sum(frame in FIRST for frame, _ in track(point)))
    spare = next(
        point
        for point in second.points3D.values()
        if max(frame for frame, _ in track(point)) > 16 and not {f for f, _ in track(point)} & set(FIRST)
    )
    seen = sorted(track(whole))
    both = pycolmap.Track()
    for frame, keypoint in [seen[0], *sorted(track(spare))]:
        both.add_element(frame, keypoint)
    ids = {track(point): number for number, point in second.points3D.items()}
    second.delete_observation(*seen[0])
    second.delete_point3D(ids[track(spare)])
    second.add_point3D(np.ones(3), both, np.zeros(3, np.uint8))

    fused = fuse(first, second, random_similarity(np.random.default_rng(0)).inverse())

    for point in fused.points3D.values():
        frames = [frame for frame, _ in track(point)]
        assert len(frames) == len(set(frames))
