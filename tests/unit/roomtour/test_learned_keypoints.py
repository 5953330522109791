"""Who gets learned keypoints: nobody without the light models, and then it is said how to get them."""

from dataclasses import replace

import pytest

from recon.findings import Finding
from recon.mapping.sfm import ClipResult
from recon.matching.options import FeatureOptions
from recon.records import Clip
from roomtour.config import Config
from roomtour.errors import RoomtourError
from roomtour.stages import features, sfm

SIFT, AUTO, XFEAT, ALIKED = (Config(features=FeatureOptions(kind=kind)) for kind in ("sift", "auto", "xfeat", "aliked"))
CLIP = Clip("000", 0, tuple(range(1, 51)))


def test_xfeat_without_its_network_is_refused_at_once(tmp_path):
    with pytest.raises(RoomtourError, match="roomtour models pull light"):
        features.require_learned(XFEAT, tmp_path)
    features.require_learned(AUTO, tmp_path)


def test_aliked_without_its_networks_is_refused_at_once(tmp_path):
    with pytest.raises(RoomtourError, match=r"roomtour\[models\].*roomtour models pull aliked"):
        features.require_learned(ALIKED, tmp_path)


@pytest.mark.parametrize(("sound", "told"), [(45, False), (44, True)])
def test_a_broken_clip_says_which_command_would_help(sound, told):
    result = ClipResult("000", (), "incremental", "", (), sound)
    findings = sfm._tell_of_second_look(CLIP, result).findings

    assert bool(findings) is told
    assert all("roomtour models pull light" in finding.message for finding in findings)


def test_a_camera_that_stands_is_not_sent_for_models():
    still = Finding("warning", "sfm.no_parallax", "clip 000", "it stands")
    result = ClipResult("000", (), "incremental", "", (still,), 0)

    assert sfm._tell_of_second_look(CLIP, result) == result


@pytest.mark.parametrize(("has_models", "severity"), [(True, "warning"), (False, "error")])
def test_a_dark_shot_beside_sound_ones_is_no_error(has_models, severity):
    nothing = Finding("error", "sfm.no_model", "clip 000", "none of 50 frames got a pose")

    assert sfm._weigh(nothing, has_models) == replace(nothing, severity=severity)
