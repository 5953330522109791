"""Every number that people may set has a range in its type, and nothing outside it reaches a stage."""

import math
import re

import pytest

from recon.matching.features import FeatureOptions
from roomtour.config import Config, config_from_dict, require_ranges
from roomtour.errors import USER_ERRORS, RoomtourError
from roomtour.options.fields import config_options
from roomtour.pipeline import process_tour
from roomtour.sources import Tour

NUMBERS = [option for option in config_options() if re.search(r"\b(int|float)\b", option.kind.text)]
NONSENSE = (math.nan, math.inf, -math.inf, 1e300, -1e300, 10**20, -(10**20))


def nested(name, value):
    """`{"sample": {"fps": value}}` for `sample.fps`."""
    for part in reversed(name.split(".")):
        value = {part: value}
    return value


def shaped(option, value):
    """The value as the option takes it: numbers that come in fours are given four times."""
    return [value] * 4 if option.kind.many else value


def test_the_walk_finds_the_options():
    some = {
        "seed",
        "sample.fps",
        "input.fps",
        "language.max_tokens",
        "scene.camera_height_m",
        "pose_source.distortion",
    }
    assert some <= {option.name for option in NUMBERS}
    assert len(NUMBERS) > 200


def refusal(option, value):
    """What is said against a value of an option; nothing if it passes."""
    try:
        config_from_dict(nested(option.name, shaped(option, value)))
    except USER_ERRORS as refused:
        return str(refused)
    return ""


def test_no_number_outside_its_range_passes():
    passed = []
    for option in NUMBERS:
        kind = option.kind
        assert kind.least is not None, f"{option.name}: its type states no range"
        outside = [value for value in (-1, 0) if value < kind.least or (value == kind.least and kind.excludes_least)]
        for value in (*NONSENSE, *outside):
            said = refusal(option, value)
            passed += [] if option.name in said and "\n" not in said else [(option.name, value, said)]
    assert passed == []


def test_the_ends_of_a_range_are_refused_only_for_what_they_must_fit():
    """One option must fit another, such as an overlap its clips."""
    refused = []
    for option in NUMBERS:
        kind = option.kind
        for end in (kind.most,) if kind.excludes_least else (kind.least, kind.most):
            assert end is not None
            said = refusal(option, int(end) if "int" in kind.text else end)
            refused += [said] if "should be" in said else []
    assert refused == []


def test_options_set_in_python_are_checked_before_anything_runs(tmp_path):
    without_features = Config(features=FeatureOptions(max_features=0))
    with pytest.raises(RoomtourError, match=r"features\.max_features is 0"):
        require_ranges(without_features)
    with pytest.raises(RoomtourError, match=r"seed is -1"):
        process_tour(Tour("t", tmp_path / "nothing.mp4", tmp_path / "run"), Config(seed=-1))
    assert not (tmp_path / "run").exists()
