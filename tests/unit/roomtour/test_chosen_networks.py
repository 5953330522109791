"""Which networks look and which find keypoints: those that are there, and what is asked for and is not is refused."""

import pytest

from recon.matching.interfaces import FeatureOptions
from roomtour.config import Config
from roomtour.errors import RoomtourError
from roomtour.stages import features
from roomtour.stages.vision import choose_perception


def test_auto_is_light_where_packages_and_files_are_and_landmarks_elsewhere(monkeypatch):
    assert Config().perception == "auto"
    assert choose_perception(Config()).perception == "landmarks"
    assert choose_perception(Config(perception="models")).perception == "models"
    monkeypatch.setattr("roomtour.stages.vision.why_not_light", lambda folder: None)
    assert choose_perception(Config()).perception == "light"
    assert choose_perception(Config(perception="landmarks")).perception == "landmarks"


def test_learned_keypoints_without_their_networks_are_refused_at_once(tmp_path):
    auto, xfeat = (Config(features=FeatureOptions(kind=kind)) for kind in ("auto", "xfeat"))
    features.require_learned(auto, tmp_path)
    with pytest.raises(RoomtourError, match="roomtour models pull light"):
        features.require_learned(xfeat, tmp_path)
