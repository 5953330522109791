"""`--perception auto | landmarks | light | models`: what is chosen."""

from __future__ import annotations

from roomtour.config import Config
from roomtour.stages.vision import choose_perception


def test_auto_is_the_default_and_landmarks_where_there_are_no_light_models():
    assert Config().perception == "auto"
    assert choose_perception(Config()).perception == "landmarks"
    assert choose_perception(Config(perception="models")).perception == "models"


def test_auto_is_light_where_packages_and_files_are(monkeypatch):
    monkeypatch.setattr("roomtour.stages.vision.why_not_light", lambda folder: None)
    assert choose_perception(Config()).perception == "light"
    assert choose_perception(Config(perception="landmarks")).perception == "landmarks"
