"""What is said of clips that learned keypoints might hold together, and of clips without a pose beside others."""

import pycolmap
import pytest

from recon.mapping import learned_fallback
from recon.mapping.learned_fallback import MappedTour, map_tour, needs_learned_features
from recon.mapping.options import TourInputs
from recon.mapping.sfm import ClipResult
from recon.records import Clip, SubModel

CLIP = Clip("000", 0, tuple(range(1, 51)))


def result(sound=0, models=(), clip="000", **more):
    return ClipResult(clip, tuple(models), (), sound, **more)


@pytest.mark.parametrize(("made", "told"), [(result(45), 0), (result(44), 1), (result(0, stands=True), 0)])
def test_a_broken_clip_says_how_to_get_learned_keypoints_and_a_standing_one_does_not(made, told, tmp_path, monkeypatch):
    monkeypatch.setattr(learned_fallback, "reconstruct_clips", lambda *_, **__: [made])
    mapped = map_tour(
        tmp_path / "none.db",
        TourInputs(frames=(), frames_dir=tmp_path),
        [CLIP],
        tmp_path / "work",
        why_not_learned="fetch them",
    )
    assert [finding.code for finding in mapped.findings] == ["sfm.second_look"] * told
    assert all("fetch them" in finding.message for finding in mapped.findings)
    assert needs_learned_features(CLIP, made) is bool(told)


@pytest.mark.parametrize(("has_models", "severity"), [(True, "warning"), (False, "error")])
def test_a_dark_shot_beside_sound_ones_is_no_error(has_models, severity):
    lost = result(clip="001", why_lost="none of 50 frames got a pose")
    model = SubModel("000/0", ("000",), pycolmap.Reconstruction())
    (finding,) = MappedTour((result(models=[model] * has_models), lost)).findings
    assert (finding.severity, finding.code, finding.where) == (severity, "sfm.no_model", "clip 001")
