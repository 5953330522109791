"""Who gets learned keypoints: nobody without the light models, and then it is said how to get them."""

import pytest

from recon.matching.options import FeatureOptions
from roomtour.config import Config
from roomtour.errors import RoomtourError
from roomtour.stages import features

SIFT, AUTO, XFEAT, ALIKED = (Config(features=FeatureOptions(kind=kind)) for kind in ("sift", "auto", "xfeat", "aliked"))


def test_xfeat_without_its_network_is_refused_at_once(tmp_path):
    with pytest.raises(RoomtourError, match="roomtour models pull light"):
        features.require_learned(XFEAT, tmp_path)
    features.require_learned(AUTO, tmp_path)


def test_aliked_without_its_networks_is_refused_at_once(tmp_path):
    with pytest.raises(RoomtourError, match=r"roomtour\[models\].*roomtour models pull aliked"):
        features.require_learned(ALIKED, tmp_path)
