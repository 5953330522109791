"""Defaults < file < --set < flags, and what is wrong in any of them."""

from pathlib import Path

from roomtour.cli.parsing.process_flags import parse_process
from roomtour.cli.parsing.settings import build_config
from roomtour.config import Config


def config_of(*args: str) -> Config:
    given = parse_process(["tour.mp4", "--out", "run", *args])
    assert given is not None
    return build_config(given.config, given.set_options, given.flag_options)


def test_each_source_wins_over_the_one_before(tmp_path: Path):
    file = tmp_path / "c.yaml"
    file.write_text("sample: {fps: 1, short-side: 180, jpeg_quality: 50}\nclips: {length-s: 50}\n")
    sets = ["--set", "sample.short-side=200", "--set", "sample.jpeg_quality=60"]
    config = config_of("--config", str(file), *sets, "--sample.jpeg-quality", "70")
    assert config.sample.fps == 1
    assert config.sample.short_side == 200
    assert config.sample.jpeg_quality == 70
    assert config.clips.length_s == 50
    assert config.clips.overlap_s == Config().clips.overlap_s


def test_nothing_given_is_the_default():
    assert config_of() == Config()


def test_flags_that_the_help_does_not_list_work():
    config = config_of("--pairs.words", "2000", "--pairs.match.min_inliers=20")
    assert config.pairs.words == 2000
    assert config.pairs.match.min_inliers == 20


def test_the_own_defaults_of_a_class_that_holds_others_stay():
    """Of a group inside a group one value is changed; the others are those of the owner, not of the class."""
    config = config_of("--vision.tags.batch", "4")
    assert config.vision.tags.model == Config().vision.tags.model
    assert config.vision.tags.batch == 4


def test_switches_and_nothing():
    config = config_of("--input.no-mask-overlays", "--pose-source.metric", "--set", "language.temperature=none")
    assert not config.input.mask_overlays
    assert config.pose_source.metric
    assert config.language.temperature is None


def test_words_that_look_like_numbers_stay_names():
    config = config_of("--language.model", "4", "--poses", "2024", "--pose-source.time-offset-s", "-1.5")
    assert (config.language.model, config.poses, config.pose_source.time_offset_s) == ("4", Path("2024"), -1.5)


def test_inputs_stand_before_and_behind_flags():
    given = parse_process(["a.mp4", "--out", "runs", "b.mp4", "--seed", "3"])
    assert given is not None
    assert given.inputs == (Path("a.mp4"), Path("b.mp4"))
