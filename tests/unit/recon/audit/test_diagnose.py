"""One diagnosis: what it is asked is what it tells, and counting across places against counting by hand."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from recon.audit.contradictions import ContradictionOptions
from recon.audit.diagnose import diagnose
from recon.audit.doubt import count_across
from recon.audit.scale_hold import ScaleHoldOptions
from recon.audit.torn import TornOptions
from recon.colmap.shared_frames import leave_contained_out
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
    found = diagnose(scene, database, **EVERYTHING)
    assert found.doubts == ()
    assert len(found.checks) > 20


def test_only_what_is_asked_is_told(subtests, scene, database):
    for asked in [("check",), ("torn",), ("hold",), ()]:
        with subtests.test(asked=asked):
            model = bend(scene, 10, 15)
            found = diagnose(model, database, **{name: EVERYTHING[name] for name in asked})
            kinds = {"check": "contradicted", "torn": "torn", "hold": "loose"}
            assert {doubt.kind for doubt in found.doubts} <= {kinds[name] for name in asked}
            assert bool(found.checks) == ("check" in asked)
            everything = diagnose(model, database, **EVERYTHING)
            assert set(found.doubts) == {
                doubt for doubt in everything.doubts if doubt.kind in {kinds[one] for one in asked}
            }


def test_a_model_of_frames_that_a_larger_one_has_is_left_out_and_named_with_it():
    kept, left_out = leave_contained_out([(5, 6), (1, 2, 3), (2, 3), (3, 4), (1, 2, 3)], lambda frames: frames)
    assert kept == [(1, 2, 3), (3, 4), (5, 6)]
    assert left_out == [((1, 2, 3), (1, 2, 3)), ((2, 3), (1, 2, 3))]
