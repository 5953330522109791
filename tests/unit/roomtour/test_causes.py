"""Findings by their cause: what several stages tell of one fault is one cause, and nothing is lost."""

from __future__ import annotations

from recon.findings import Finding
from roomtour.causes import group_causes
from roomtour.verdict import judge
from tests.unit.roomtour.test_verdict import scene

STILL = "none of 21 frames got a pose: the camera stands still; walk while filming"
STANDING = (
    Finding("warning", "sample.still", "tour", "the camera hardly moves; walk through the rooms while filming"),
    Finding("warning", "sfm.no_parallax", "clip 000", "a sub-model of 21 frames was dropped: it stands still"),
    Finding("info", "sfm.tiny_model", "clip 000", "a sub-model of 2 frames was dropped"),
    Finding("error", "scene.no_model", "scene", "none of 21 frames has a pose"),
    Finding("error", "sfm.no_model", "clip 000", STILL),
)


def test_what_all_stages_say_of_a_camera_that_stands_is_one_cause():
    (cause,) = group_causes(STANDING)
    assert set(cause.findings) == set(STANDING)
    assert cause.head.message == STILL
    assert cause.said.endswith("the camera stands still")
    assert cause.advice == "walk while filming"
    verdict = judge(scene(), STANDING)
    assert verdict.reasons == (cause.said,)
    assert verdict.advice == cause.advice


def test_the_same_finding_is_a_fault_of_its_own_where_nothing_follows_from_it():
    dark = Finding("warning", "sample.dark", "tour", "30% of the frames are too dark; expect gaps there")
    still = Finding("warning", "sample.still", "tour", "the camera hardly moves")
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
