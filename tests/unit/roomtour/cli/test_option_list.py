import operator
from collections.abc import Sequence
from dataclasses import dataclass, is_dataclass
from pathlib import Path
from typing import Literal

import pytest

from roomtour.cli.parsing.process_flags import COMMON_OPTIONS, parse_process
from roomtour.cli.parsing.settings import build_config
from roomtour.config import Config
from roomtour.options.fields import config_options, config_sections, options_of
from roomtour.options.kinds import Kind, read_words


def leaves(options: object, inside: str = "") -> list[tuple[str, object]]:
    """Names and values of the classes as Python sees them."""
    out: list[tuple[str, object]] = []
    for name, value in vars(options).items():
        out += leaves(value, f"{inside}{name}.") if is_dataclass(value) else [(f"{inside}{name}", value)]
    return out


def in_words(value: object) -> str:
    if isinstance(value, Sequence) and not isinstance(value, str):
        return ", ".join(str(item) for item in value) or "none"
    return "none" if value is None else str(value) or "empty"


def test_the_source_says_what_the_classes_have():
    """Also where a class gives another one's options defaults of its own."""
    expected = {name: in_words(value) for name, value in leaves(Config())}
    assert {option.name: option.default for option in config_options()} == expected


def test_sections_have_texts_and_common_options_are_named_once():
    assert set(config_sections()) == {option.section for option in config_options()} - {""}
    assert all(config_sections().values())
    names = [name for names in COMMON_OPTIONS.values() for name in names]
    assert len(names) == len(set(names))
    for name in names:
        operator.attrgetter(name)(Config())


@dataclass(frozen=True)
class _Base:
    first: int = 1
    """The first one."""


@dataclass(frozen=True)
class _Nested:
    way: Literal["a", "b"] = "a"
    """One | of two."""


@dataclass(frozen=True)
class _Options(_Base):
    some_name: float | None = None
    """A value that
    goes on."""
    inner: _Nested = _Nested(way="b")
    """How."""


@dataclass(frozen=True)
class _Silent:
    value: int = 0


def test_fields_carry_type_default_and_text():
    rows = [(row.name, row.kind.text, row.default, row.text) for row in options_of(__name__, "_Options")]
    assert rows == [
        ("first", "int", "1", "The first one."),
        ("some_name", "float or none", "none", "A value that goes on."),
        ("inner.way", "a / b", "b", "One | of two."),
    ]
    with pytest.raises(ValueError, match=r"_Silent\.value has no docstring"):
        options_of(__name__, "_Silent")


def test_words_of_the_command_line_are_yaml_but_text_stays_text(subtests: pytest.Subtests):
    for kind, text, value in (
        (Kind("float"), "1e-4", "1e-4"),  # YAML takes this for text; pydantic makes it a number
        (Kind("int"), "3", 3),
        (Kind("bool", is_switch=True), "yes", True),
        (Kind("str", is_text=True), "123", "123"),
        (Kind("str", is_text=True), "'a b'", "a b"),
        (Kind("str", is_text=True), "NO", "NO"),
        (Kind("str or none", optional=True, is_text=True), "none", None),
        (Kind("float or none", optional=True), "None", None),
        (Kind("list of int", many=True), "[2, 4]", [2, 4]),
    ):
        with subtests.test(str(kind)):
            assert read_words(kind, text) == value


def config_of(*args: str) -> Config:
    given = parse_process(["tour.mp4", "--out", "run", *args])
    assert given is not None
    return build_config(given.config, given.set_options, given.flag_options)


def test_each_source_wins_over_the_one_before(tmp_path: Path):
    file = tmp_path / "c.yaml"
    file.write_text("sample: {fps: 1, short-side: 180, max_shift: 0.5}\nclips: {length-s: 50}\n")
    sets = ["--set", "sample.short-side=200", "--set", "sample.max_shift=0.6"]
    config = config_of("--config", str(file), *sets, "--sample.max-shift", "0.7")
    assert config.sample.fps == 1
    assert config.sample.short_side == 200
    assert config.sample.max_shift == 0.7
    assert config.clips.length_s == 50
    assert config.clips.overlap_s == Config().clips.overlap_s


def test_flags_of_every_sort_set_options_and_nothing_given_is_the_default():
    assert config_of() == Config()
    config = config_of("--features.max-features", "2000", "--sample.max_shift=0.2")
    assert config.features.max_features == 2000
    assert config.sample.max_shift == 0.2
    config = config_of("--vision.tags.batch", "4")
    assert config.vision.tags.model == Config().vision.tags.model
    assert config.vision.tags.batch == 4
    config = config_of("--input.no-mask-overlays", "--pose-source.metric", "--set", "language.temperature=none")
    assert not config.input.mask_overlays
    assert config.pose_source.metric
    assert config.language.temperature is None
    config = config_of("--language.model", "4", "--poses", "2024", "--pose-source.time-offset-s", "-1.5")
    assert (config.language.model, config.poses, config.pose_source.time_offset_s) == ("4", Path("2024"), -1.5)
    given = parse_process(["a.mp4", "--out", "runs", "b.mp4", "--seed", "3"])
    assert given is not None
    assert given.inputs == (Path("a.mp4"), Path("b.mp4"))
