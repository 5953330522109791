from dataclasses import replace

import numpy as np
import pycolmap
import pytest

from recon.audit.contradictions import (
    CHECK_LEARNED,
    ContradictionOptions,
    PairCheck,
    check_pairs,
    doubtful_stretches,
)
from recon.geometry import Pose
from tests.support.recon.made_models import bend, centers, random_similarity, set_poses

OPTIONS = ContradictionOptions(gaps=(2, 4, 6))


def test_a_sound_model_is_not_contradicted(scene, database):
    checks = check_pairs(scene, database, OPTIONS)
    assert len(checks) > 40
    assert not any(check.contradicts or check.ambiguous for check in checks)
    assert doubtful_stretches(sorted(scene.reg_image_ids()), checks, OPTIONS) == []


def test_a_wrong_stretch_is_found_where_it_is(scene, database):
    model = bend(scene, 10, 15)
    stretches = doubtful_stretches(sorted(model.reg_image_ids()), check_pairs(model, database, OPTIONS), OPTIONS)
    assert stretches
    assert min(stretch.first for stretch in stretches) >= 8
    assert max(stretch.last for stretch in stretches) <= 17
    covered = {frame for stretch in stretches for frame in range(stretch.first, stretch.last + 1)}
    assert {10, 11, 12, 13, 14, 15} <= covered
    assert "contradict" in stretches[0].words


def lift(scene, frame, by_m):
    """One frame stands higher than it did; steps are 0.27 m."""
    pose = centers(scene)[frame]
    return set_poses(scene, {frame: Pose(pose.rotation, pose.translation + np.array([0.0, by_m, 0.0]))})


def test_learned_pairs_speak_only_against_what_leaves_most_of_them_unexplained(subtests, scene, database):
    for by_m, by_learned in [(0.2, False), (0.4, True)]:
        with subtests.test(by_m=by_m, by_learned=by_learned):
            model = lift(scene, 12, by_m)
            strict, lenient = (
                check_pairs(model, database, options)
                for options in (OPTIONS, replace(CHECK_LEARNED, gaps=OPTIONS.gaps))
            )
            assert any(check.contradicts for check in strict)
            assert any(check.contradicts for check in lenient) == by_learned
            assert all(12 in (check.first, check.second) for check in (*strict, *lenient) if check.contradicts)


def test_the_frame_and_unit_of_the_model_do_not_matter(subtests, scene, database):
    for seed in range(1):
        with subtests.test(seed=seed):
            model = bend(scene, 10, 15)
            moved = pycolmap.Reconstruction(model)
            moved.transform(random_similarity(np.random.default_rng(seed)).to_sim3d())
            before, after = check_pairs(model, database, OPTIONS), check_pairs(moved, database, OPTIONS)
            assert [check.contradicts for check in before] == [check.contradicts for check in after]
            assert [check.model_cost for check in after] == pytest.approx(
                [check.model_cost for check in before], abs=1e-6
            )


def test_only_the_pairs_asked_for_are_checked(scene, database):
    checks = check_pairs(scene, database, OPTIONS, within={(3, 6), (1, 5), (3, 99)})
    assert [(check.first, check.second) for check in checks] == [(1, 5), (3, 6)]


def check(first, second, contradicts):
    return PairCheck(first, second, 100, 1.0, 0.1, contradicts=contradicts, ambiguous=False)


def test_more_pairs_must_contradict_than_a_sound_place_has_by_chance(subtests):
    for against, asked, doubtful in [(3, 5, 0), (5, 8, 0), (3, 3, 1), (6, 7, 1), (8, 11, 1)]:
        with subtests.test(against=against, asked=asked, doubtful=doubtful):
            checks = [check(20 - k, 21 + k, k < against) for k in range(asked)]
            found = doubtful_stretches(range(1, 41), checks)
            assert len(found) == doubtful
            assert all(stretch.words.startswith(f"{against} of ") for stretch in found)
    assert doubtful_stretches([], []) == []
    assert doubtful_stretches([7], []) == []
