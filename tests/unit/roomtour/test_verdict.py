"""The verdict on a run: which figure and which finding gives which level, with the bar that was missed."""

from dataclasses import replace

import pytest

from recon.findings import Finding
from recon.records import Frame, ModelHealth, Scale, ScaleStatus, SourceInfo
from recon.upright.outline import ModelOutline, SceneOutline
from roomtour.verdict import Verdict, group_causes, judge

SOURCE = SourceInfo("walk.mp4", "video", 640, 480, 60.0, 1000, 30.0, "h264", 0, "0" * 64)


def scene(*models: int, frames: int = 100, contradicting: int = 0, status: ScaleStatus = "assumed") -> SceneOutline:
    """A scene of so many frames with models of so many."""
    sampled = tuple(Frame(k, 0.6 * k, f"{k:06d}.jpg", 640, 480, 50.0, 0) for k in range(1, frames + 1))
    health = ModelHealth(frames, 1.0, 5.0, 100, contradicting, 0, None, 0, None, None, 0)
    outlines = tuple(
        ModelOutline(str(k), tuple(range(1, n + 1)), Scale(status, 1.0, 0.1, "made"), 12.0, health)
        for k, n in enumerate(models)
    )
    return SceneOutline("walk", SOURCE, sampled, outlines)


def warning(code: str, message: str = "odd; see the log") -> Finding:
    return Finding("warning", code, "scene", message)


def test_a_whole_model_without_doubts_is_good():
    assert judge(scene(100), ()) == Verdict(
        "good", ("100 of 100 frames in one model", "0 of 100 pairs of frames contradict it", "metres rest on a prior")
    )


def test_the_largest_model_counts_not_the_frames_with_a_pose(subtests: pytest.Subtests):
    for frames, level in ((90, "good"), (89, "care"), (43, "care")):
        with subtests.test(str(frames)):
            assert judge(scene(frames, 100 - frames), ()).level == level


def test_pairs_that_contradict(subtests: pytest.Subtests):
    for pairs, level in ((5, "good"), (6, "care")):
        with subtests.test(str(pairs)):
            verdict = judge(scene(100, contradicting=pairs), ())
            assert verdict.level == level
            assert any(f"{pairs} of 100 pairs" in reason for reason in verdict.reasons)
            assert (level == "care") == any("stay under 5 %" in reason for reason in verdict.reasons)


def test_a_missing_scale_takes_care_and_notes_change_nothing():
    assert judge(scene(100, status="relative"), ()).reasons == ("no scale, so no metres",)
    mixed = scene(95, 4, 3)
    unscaled = replace(mixed.models[1], scale=replace(mixed.models[1].scale, status="relative"))
    mixed = replace(mixed, models=(mixed.models[0], unscaled, mixed.models[2]))
    assert judge(mixed, ()).reasons == ("no scale in 1 of 3 models, so no metres there",)
    assert judge(scene(100), (Finding("info", "scene.floor_uneven", "scene", "fine"),)).level == "good"


def test_warnings_about_the_reconstruction_take_care(subtests: pytest.Subtests):
    for code, level in (
        ("scene.floor_uneven", "care"),
        ("merge.scale_open", "care"),
        ("language.unanswered", "care"),
        ("merge.apart", "good"),  # the share says it with its bar
        ("scene.contradicted", "good"),  # so does the share of pairs
        ("spatial.none", "good"),
        ("landmarks.none", "good"),
    ):
        with subtests.test(str(code)):
            verdict = judge(scene(100), (warning(code),))
            assert verdict.level == level
            assert level == "good" or verdict.reasons == ("odd",)


def test_an_error_outweighs_all_and_at_most_three_reasons_are_told():
    errors = [Finding("error", f"poses.{name}", "tour", f"fault {name}. Try {name}.") for name in "abcde"]
    verdict = judge(scene(100), [warning("scene.jump"), *errors])
    codes = ("poses.a", "poses.b", "poses.c")
    assert verdict == Verdict("distrust", ("fault a", "fault b", "fault c"), "a.", codes)
    assert str(verdict) == "Do not trust: fault a; fault b; fault c. What to try: a."


def test_without_a_model_there_is_nothing_to_trust():
    assert judge(scene(), ()).level == "distrust"
    assert judge(scene(frames=0), ()).level == "distrust"
    clips = [Finding("error", "sfm.no_model", f"clip {k:03}", f"none of {k} frames: it stands still") for k in range(2)]
    whole = Finding("error", "scene.no_model", "scene", "none of 21 frames has a pose")
    assert judge(scene(), [*clips, whole]).reasons == ("none of 0 frames: it stands still",)
    assert judge(scene(), [whole]).reasons == ("none of 21 frames has a pose",)


STILL = "none of 21 frames got a pose: the camera stands still; walk while filming"
STANDING = (
    Finding("warning", "sfm.no_parallax", "clip 000", "a sub-model of 21 frames was dropped: it stands still"),
    Finding("info", "sfm.tiny_model", "clip 000", "a sub-model of 2 frames was dropped"),
    Finding("error", "scene.no_model", "scene", "none of 21 frames has a pose"),
    Finding("error", "sfm.no_model", "clip 000", STILL),
)


def test_what_follows_from_a_fault_is_one_cause_with_it():
    (cause,) = group_causes(STANDING)
    assert set(cause.findings) == set(STANDING)
    assert cause.head.message == STILL
    assert cause.said.endswith("the camera stands still")
    assert cause.advice == "walk while filming"
    verdict = judge(scene(), STANDING)
    assert verdict.reasons == (cause.said,)
    assert verdict.advice == cause.advice
    dark = Finding("warning", "sample.dark", "tour", "30% of the frames are too dark; expect gaps there")
    still = Finding("warning", "sfm.no_parallax", "clip 001", "a sub-model was dropped: the camera hardly moves")
    assert len(group_causes([dark, still])) == 2
    assert len(group_causes([dark, still, *STANDING])) == 1


def test_findings_that_differ_in_figures_only_are_one_and_every_finding_is_in_one_cause():
    jumps = [Finding("warning", "scene.jump", f"model {n}", f"jumps at {n}.5 s, {n} times") for n in range(4)]
    other = Finding("warning", "scene.jump", "model 9", "turns over")
    note = Finding("info", "sample.denser", "tour", "more frames")
    causes = group_causes([note, *jumps, other])
    assert [len(cause.findings) for cause in causes] == [4, 1, 1]
    assert causes[0].where == "model 0 and 3 more"
    assert causes[-1].head is note
