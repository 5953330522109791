"""Defaults < file < --set < flags, and what is wrong in any of them."""

from pathlib import Path

import pytest

from roomtour.cli.parsing.process_flags import parse_process
from roomtour.cli.parsing.settings import build_config
from roomtour.config import Config, config_from_dict
from roomtour.errors import RoomtourError, UsageError


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
    config = config_of("--recon.check.gaps", "2", "4", "--merge.straighten.grow.max_iterations=5")
    assert config.recon.check.gaps == (2, 4)
    assert config.merge.straighten.grow.max_iterations == 5


def test_the_own_defaults_of_a_class_that_holds_others_stay():
    """Of a group inside a group one value is changed; the others are those of the owner, not of the class."""
    config = config_of("--set", "merge.refine.loss_scale_px=2", "--vision.tags.batch", "4")
    assert config.merge.refine.max_views == Config().merge.refine.max_views == 15
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


@pytest.mark.parametrize(
    ("args", "line"),
    [
        (["--set", "sfm.min_matces=3"], r"--set sfm.min_matces=3: no option .* Did you mean .*\.min_matches"),
        (["--set", "recon.torn=3"], r"recon.torn is a section of 4 options, such as recon.torn.reach"),
        (["--set", "sample.fps"], "need NAME=VALUE"),
        (["--set", "sample.fps=many"], "--set sample.fps=many: input should be a valid number"),
        (["--set", "sample.fps=["], "--set sample.fps=.*: not valid YAML"),
        (["--set", "recon.mapper=best"], "'auto', 'incremental' or 'global'"),
        (["--sample.fps", "many"], "--sample.fps many: input should be a valid number"),
        (["--sample.fps"], "--sample.fps: expected one argument"),
        (["--fps", "3"], "no flag --fps. Did you mean --input.fps or --sample.fps"),
        (["--merge.max-rot=3"], "Did you mean --merge.max-rotation-disagreement-deg"),
        (["--dry-rum"], "Did you mean --dry-run"),
        (["-x"], "unrecognized arguments: -x"),
    ],
)
def test_what_makes_no_sense_is_one_line(args: list[str], line: str):
    with pytest.raises(UsageError, match=line) as caught:
        config_of(*args)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(("args", "word"), [([], "no video"), (["tour.mp4"], "--out RUN")])
def test_what_is_needed_is_named(args: list[str], word: str):
    with pytest.raises(UsageError, match=word):
        parse_process(args)


def test_a_file_that_is_no_mapping_meets_a_flag(tmp_path: Path):
    file = tmp_path / "c.yaml"
    file.write_text("sample: 3\n")
    with pytest.raises(RoomtourError, match=r"sample must be a mapping"):
        config_of("--config", str(file), "--sample.fps", "3")


def test_an_unknown_key_of_a_file_finds_its_name_elsewhere():
    with pytest.raises(RoomtourError, match=r"unknown key 'camera_height'.* Did you mean scene.camera_height_m"):
        config_from_dict({"camera_height": 1.6})
