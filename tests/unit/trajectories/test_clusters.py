import numpy as np

from tests.support.trajectories.made_walks import Walker, points_of
from trajectories.decisions import ClusterOptions, find_clusters
from trajectories.view_change import find_view_changes


def clusters_of(walker, fps=3.0, options=ClusterOptions(), unit="m", metre=1.0):
    points = points_of(walker, fps)
    return points, find_clusters(points, find_view_changes(points), options, unit=unit, metre=metre)


def crossing() -> Walker:
    """Straight through a crossing at (3, 0), round the block, and back through it from the side, where it turns."""
    walker = Walker().walk(6).corner(90).walk(1.6).corner(90).walk(1.6).corner(90, 0.7).walk(2.2)
    walker.wait(0.5)
    return walker.turn(90).wait(0.5).walk(3)


def test_a_crossing_joins_both_visits():
    points, clusters = clusters_of(crossing())
    last_turn = find_view_changes(points)[-1]
    (place,) = [cluster for cluster in clusters if last_turn.frame in cluster]
    first_visit = [frame for frame in place if frame < last_turn.first_frame - 20]
    assert first_visit
    assert last_turn.frame in place


def test_no_frame_is_in_two_places_and_all_lie_near():
    points, clusters = clusters_of(Walker().walk(2).corner(90, 0.4).walk(0.8).corner(-90, 0.4).walk(2), 10)
    position = {point.frame: np.array(point.position) for point in points}
    frames = [frame for cluster in clusters for frame in cluster]
    assert len(frames) == len(set(frames))
    for cluster in clusters:
        assert list(cluster) == sorted(cluster)
        places = np.array([position[frame] for frame in cluster])
        assert np.linalg.norm(places[:, None] - places[None], axis=-1).max() < 3.2


def test_the_radius_is_an_option_in_metres_or_steps():
    walker = Walker().walk(3).turn(90).walk(3)
    _, ((*wide,),) = clusters_of(walker, options=ClusterOptions(radius_m=2.0))
    _, ((*narrow,),) = clusters_of(walker, options=ClusterOptions(radius_m=0.5))
    assert len(wide) > len(narrow)
    assert clusters_of(walker, options=ClusterOptions(min_frames=100))[1] == []
    points, (metric,) = clusters_of(walker)
    _, (relative,) = clusters_of(walker, unit="unit")
    assert relative == metric
    _, (half,) = clusters_of(walker, unit="unit", metre=0.5)
    assert len(half) < len(relative)
    _, (steps,) = clusters_of(walker, options=ClusterOptions(radius_steps=2.0), unit="unit")
    assert len(steps) < len(points)
