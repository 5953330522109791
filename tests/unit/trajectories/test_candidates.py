import numpy as np
import pytest

from tests.support.trajectories.made_walks import flat_tour, points_of, random_tour, revisit_tour
from trajectories.decisions import CandidateOptions, find_clusters, find_decisions, find_walking_paths
from trajectories.records import TrajectoryPoint, ViewChange, WalkingPath
from trajectories.view_change import find_view_changes


def decisions_of(walker, fps=3.0, options=CandidateOptions()):
    points = points_of(walker, fps)
    changes = find_view_changes(points)
    clusters = find_clusters(points, changes)
    paths = find_walking_paths(points, clusters, options)
    return points, changes, clusters, paths, *find_decisions(points, changes, clusters, paths, options)


def straight(headings) -> list[TrajectoryPoint]:
    return [TrajectoryPoint(n, n / 3, (0.1 * n, 0.0, 1.5), float(h), 0.0) for n, h in enumerate(headings, start=1)]


def cosine(points, a, b):
    heading = {point.frame: np.radians(point.heading_deg) for point in points}
    return np.cos(heading[a] - heading[b])


def test_what_the_export_needs_holds_for_every_decision(subtests):
    for number, walker in enumerate([flat_tour(), *[random_tour(seed) for seed in range(3)]]):
        with subtests.test(number=number):
            points, changes, clusters, paths, decisions, _ = decisions_of(walker)
            order = {point.frame: row for row, point in enumerate(points)}
            assert decisions
            for decision in decisions:
                assert decision.positive_frame == decision.path_frames[-1]
                assert order[decision.at_frame] == order[decision.positive_frame] - 1
                assert decision.negative_frames
                assert decision.positive_frame not in decision.negative_frames
                assert len(set(decision.negative_frames)) == len(decision.negative_frames) <= 3
                assert set(decision.negative_frames) <= set(clusters[decision.cluster])
                assert decision.view_change in {change.frame for change in changes}
                assert decision.cosine <= np.cos(np.radians(45)) + 1e-9
            starts = [order[path.frames[0]] for path in paths]
            assert starts == sorted(starts)


def test_paths_are_runs_of_the_trajectory_not_of_frame_numbers():
    points = [point for point in straight([0] * 12) if point.frame != 5]
    paths = find_walking_paths(points, [(3, 4, 6, 7, 10, 11), (9,)])
    assert paths == [WalkingPath(0, (3, 4, 6, 7)), WalkingPath(0, (10, 11))]


def test_the_first_negative_differs_most_and_the_others_from_all():
    points = straight([0, 0, 100, 175, 60, -80, 0, 0])
    cluster = tuple(range(2, 8))
    paths = find_walking_paths(points, [cluster])
    (change,) = find_view_changes(points)[:1]
    (decision,), (finding,) = find_decisions(points, [change], [cluster], paths)
    assert finding.code == "trajectory.visited_views"
    assert (decision.positive_frame, decision.at_frame) == (7, 6)
    # 6 looks right, but is where the choice is made; 3 is 75 degrees from 4; 5 is 40 degrees from 3.
    assert decision.negative_frames == (4, 3)
    assert decision.cosine == pytest.approx(cosine(points, 7, 4))
    two = CandidateOptions(max_candidates=2)
    assert find_decisions(points, [change], [cluster], paths, two)[0][0].negative_frames == (4,)


def test_a_decision_names_the_strongest_change_of_its_passage_else_the_nearest_and_of_equal_views_the_earliest():
    points = straight([0, 0, 100, 100 + 1e-9, 0, 0, 0])
    changes = [ViewChange(frame, frame, frame, angle, angle, 0.0, True) for frame, angle in ((2, 50.0), (4, 90.0))]
    for frames, change in (((2, 3, 4, 5), 4), ((6, 7), 4), ((3,), 2)):
        (decision,), _ = find_decisions(points, changes, [range(2, 8)], [WalkingPath(0, frames)])
        assert decision.view_change == change
    assert find_decisions(points, changes, [range(2, 8)], [WalkingPath(0, (6, 7))])[0][0].negative_frames == (3,)


def test_a_visited_view_is_taken_only_where_no_more_are_ahead(subtests):
    for seed in range(6):
        with subtests.test(seed=seed):
            points, _, clusters, _, decisions, findings = decisions_of(revisit_tour(seed))
            order = {point.frame: row for row, point in enumerate(points)}
            blind = 0
            for decision in decisions:
                now = order[decision.positive_frame]
                ahead = [order[frame] > now for frame in decision.negative_frames]
                assert ahead == sorted(ahead, reverse=True)
                blind += not any(ahead)
                against = [decision.positive_frame, *(f for f in decision.negative_frames if order[f] > now)]
                if len(against) < 4:
                    for frame in (f for f in clusters[decision.cluster] if order[f] > now):
                        assert max(cosine(points, frame, one) for one in against) > np.cos(np.radians(45)) - 0.03
            told = [found for found in findings if found.code == "trajectory.visited_views"]
            assert len(told) == (blind > 0)
            assert all(f"{blind} of {len(decisions)} decisions" in found.message for found in told)


def test_a_passage_without_another_view_or_a_frame_before_gives_a_finding():
    points = straight([0] * 6 + [100, 100, 100])
    (change,) = find_view_changes(points)
    decisions, (finding,) = find_decisions(points, [change], [(1, 2, 3)], [WalkingPath(0, (1, 2, 3))])
    assert decisions == []
    assert finding.code == "trajectory.no_other_view"
    assert "1 of 1 passages" in finding.message
    points = straight([0, 90, 90])
    decisions, findings = find_decisions(points, find_view_changes(points), [(1, 2)], [WalkingPath(0, (1,))])
    assert decisions == []
    assert len(findings) == 1
