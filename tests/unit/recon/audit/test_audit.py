"""One diagnosis: what it is asked is what it tells, and counting across places against counting by hand."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from recon.audit.audit import Evidence, audit, find_consistent
from recon.audit.contradictions import ContradictionOptions
from recon.audit.scale_hold import ScaleHoldOptions
from recon.audit.torn import TornOptions
from recon.audit.verdict import Verdict, count_across
from recon.colmap.fuse import leave_contained_out
from tests.support.recon.made_models import bend

EVERYTHING = {"check": ContradictionOptions(), "torn": TornOptions(), "hold": ScaleHoldOptions()}


@st.composite
def intervals(draw):
    frames = draw(st.integers(1, 8))
    one = st.tuples(st.integers(0, frames - 1), st.integers(0, frames - 1), st.integers(0, 9))
    return frames, [(min(a, b), max(a, b), amount) for a, b, amount in draw(st.lists(one, max_size=6))]


@given(intervals())
def test_each_step_counts_what_spans_it(case):
    frames, spans = case
    begin, end, amounts = np.array(spans, np.int64).reshape(-1, 3).T
    expected = [sum(n for a, b, n in spans if a <= step < b) for step in range(frames - 1)]
    assert count_across(frames, begin, end, amounts).tolist() == expected
    assert count_across(frames, begin, end).tolist() == [
        sum(a <= k < b for a, b, _ in spans) for k in range(frames - 1)
    ]


def test_a_sound_walk_has_no_doubts_and_tells_what_was_asked(scene, database):
    found = audit(scene, Evidence(database_path=database, **EVERYTHING, leaps=True, revisits=True))
    assert found.doubts == ()
    assert len(found.checks) > 20
    assert found.consistent == [sorted(scene.reg_image_ids())]


def test_only_what_is_asked_is_told(subtests, scene, database):
    model = bend(scene, 10, 15)
    everything = audit(model, Evidence(database_path=database, **EVERYTHING))
    kinds = {"check": "contradicted", "torn": "torn", "hold": "open scale"}
    for asked in [("check",), ("torn",), ("hold",), ()]:
        with subtests.test(asked=asked):
            found = audit(model, Evidence(database_path=database, **{name: EVERYTHING[name] for name in asked}))
            assert {doubt.evidence for doubt in found.doubts} <= {kinds[name] for name in asked}
            assert bool(found.checks) == ("check" in asked)
            if "hold" not in asked:  # a scale is judged between the places that are cut anyway
                told = {doubt for doubt in everything.doubts if doubt.evidence in {kinds[one] for one in asked}}
                assert set(found.doubts) == told


def test_what_is_known_is_cut_like_what_is_found(scene, database):
    """Evidence asked at once or one after the other gives the same list, and one definition of what is consistent."""
    model = bend(scene, 10, 15)
    torn = audit(model, Evidence(database_path=database, torn=TornOptions()))
    later = audit(model, Evidence(database_path=database, hold=ScaleHoldOptions()), known=torn.doubts)
    at_once = audit(model, Evidence(database_path=database, torn=TornOptions(), hold=ScaleHoldOptions()))
    assert later.doubts == at_once.doubts
    assert later.longest == len(find_consistent(model, at_once.doubts)[0])


@given(st.sets(st.integers(1, 19), max_size=5))
def test_no_doubt_lies_within_a_consistent_stretch(scene, steps):
    doubts = [Verdict(False, "leap", 9.0, 5.0, (step, step + 1), "") for step in steps]
    stretches = find_consistent(scene, doubts)
    assert sorted(frame for part in stretches for frame in part) == sorted(scene.reg_image_ids())
    assert [len(part) for part in stretches] == sorted((len(part) for part in stretches), reverse=True)
    for part in stretches:
        assert part == list(range(part[0], part[-1] + 1))
        assert not any(part[0] <= step < part[-1] for step in steps)


def test_a_model_of_frames_that_a_larger_one_has_is_left_out_and_named_with_it():
    kept, left_out = leave_contained_out([(5, 6), (1, 2, 3), (2, 3), (3, 4), (1, 2, 3)], lambda frames: frames)
    assert kept == [(1, 2, 3), (3, 4), (5, 6)]
    assert left_out == [((1, 2, 3), (1, 2, 3)), ((2, 3), (1, 2, 3))]
