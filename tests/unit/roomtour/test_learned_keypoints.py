"""Who gets learned keypoints: nobody without the light models, and then it is said how to get them."""

import pytest

from recon.matching.options import FeatureOptions
from roomtour.config import Config
from roomtour.errors import RoomtourError
from roomtour.stages import features


def test_learned_keypoints_without_their_networks_are_refused_at_once(tmp_path):
    features.require_learned(Config(features=FeatureOptions(kind="auto")), tmp_path)
    for kind, told in (("xfeat", "roomtour models pull light"), ("aliked", r"roomtour\[models\].*models pull aliked")):
        with pytest.raises(RoomtourError, match=told):
            features.require_learned(Config(features=FeatureOptions(kind=kind)), tmp_path)
