"""A stage gets the options that its row names, and these, with what they mean, name its result."""

from collections.abc import Iterator
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import pytest

from roomtour.config import Config, config_from_dict
from roomtour.stages.reads import WITHOUT_EFFECT
from roomtour.stages.table import STAGES

ALL_DATA = {"data": ["navigation", "spatial", "programs", "regions", "dialogues"], "perception": "landmarks"}
KINDS = {stage.name for stage in STAGES if stage.is_kind}


def list_changed(base: dict[str, Any], change: dict[str, Any]) -> set[str]:
    """Stages that one change of options makes anew by itself."""
    before = config_from_dict(ALL_DATA | base)
    after = config_from_dict(change, base=before)
    return {stage.name for stage in STAGES if stage.identify(before) != stage.identify(after)}


MODEL = {"language": {"model": "other", "temperature": 0.1}}
LLM = {"writer": "llm"}
CASES: list[tuple[str, dict[str, Any], dict[str, Any], set[str]]] = [
    ("nobody asks the language model", {}, MODEL, set()),
    ("it writes every kind", LLM, MODEL, KINDS),
    ("it looks at regions", {"regions": {"sight": "server"}}, MODEL, {"regions"}),
    ("it captions views", {"dialogues": {"captions": "server"}}, MODEL, {"dialogues"}),
    ("another server of the same model", LLM, {"language": {"base_url": "http://127.0.0.1:1/v1", "retries": 0}}, set()),
    ("who writes", {}, LLM, KINDS),
    ("the seed", {}, {"seed": 1}, {"features", "sfm", "merge", "scene", "perception", "plan"} | KINDS),
    ("hidden where nobody is shown pictures", LLM, {"hide": "person"}, {"report"}),
    ("hidden from who looks", {"regions": {"sight": "server"}}, {"hide": "person"}, {"regions", "report"}),
    ("hidden from who reads words", {"dialogues": {"words": "rapidocr"}}, {"hide": "person"}, {"dialogues", "report"}),
    ("whose tour it is", {}, {"tour": {"licence": "CC0-1.0"}}, {"report"}),
    ("what texts mention", {}, {"navigation": {"min_way_frames": 9}}, {"navigation"}),
    ("sift alone", {}, {"features": {"kind": "sift"}}, {"sfm", "merge"}),
    ("learned keypoints", {}, {"features": {"kind": "xfeat"}}, {"features", "sfm", "merge"}),
    ("light models", {}, {"perception": "light"}, {"vision", "perception", "navigation", "regions", "dialogues"}),
    ("given poses that are not there", {}, {"pose_source": {"metric": True}}, set()),
    ("models that nobody runs", {}, {"vision": {"max_boxes": 3}}, set()),
    ("objects of landmarks", {}, {"objects": {"min_color_share": 0.5}}, set()),
    ("boxes of light models", {"perception": "light"}, {"vision": {"max_boxes": 3}}, {"vision"}),
    ("tags of large models", {"perception": "light"}, {"vision": {"max_tags": 3, "dtype": "float32"}}, set()),
    ("where models lie", {"perception": "light"}, {"vision": {"folder": "/models", "device": "cpu"}}, set()),
    ("how many work", {}, {"workers": 3}, set()),
]


def test_a_change_of_options_makes_anew_what_it_acts_on(subtests: pytest.Subtests):
    for name, base, change, expected in CASES:
        with subtests.test(name):
            assert list_changed(base, change) == expected


def test_a_stage_cannot_read_what_its_row_does_not_name(subtests: pytest.Subtests):
    config = Config(seed=3, hide="person")
    for stage in STAGES:
        sections = {name.partition(".")[0] for name in (*stage.reads, *stage.checks)}
        taken = stage.take(config)
        with subtests.test(stage.name):
            for field in fields(Config):
                if field.name in sections:
                    getattr(taken, field.name)
                else:
                    with pytest.raises(AssertionError, match=field.name):
                        getattr(taken, field.name)


def test_of_single_options_a_stage_gets_these_alone():
    report, default = next(stage for stage in STAGES if stage.name == "report"), Config().vision
    changed = Config(vision=replace(default, folder=Path("elsewhere"), max_boxes=7))
    assert report.take(changed).vision == replace(changed.vision, max_boxes=default.max_boxes)


def test_every_option_is_read_by_some_stage_and_what_stages_read_are_options():
    read = {name.partition(".")[0] for stage in STAGES for name in stage.reads}
    assert {field.name for field in fields(Config)} - read == {"data", "workers"}
    known = set(list_names(Config()))
    assert known >= WITHOUT_EFFECT
    assert known >= {name for stage in STAGES for name in (*stage.reads, *stage.checks)}


def list_names(options: Any, inside: str = "") -> Iterator[str]:
    for field in fields(options):
        value = getattr(options, field.name)
        yield inside + field.name
        if hasattr(value, "__dataclass_fields__"):
            yield from list_names(value, f"{inside}{field.name}.")


def test_files_count_by_what_they_hold_not_by_where_they_lie(tmp_path: Path, subtests: pytest.Subtests):
    cases = [("regions.sentences", True), ("regions.critic", True), ("dialogues.knowledge", False)]
    cases += [("dialogues.annotations", False), ("dialogues.pools", True), ("dialogues.pilot_ratings", False)]
    for name, is_folder in cases:
        section, _, option = name.partition(".")
        stage = next(stage for stage in STAGES if stage.name == section)

        def identify(path: Path) -> object:
            return stage.identify(config_from_dict({section: {option: str(path)}}))  # noqa: B023

        first, second = tmp_path / "here" / option, tmp_path / "there" / option
        for path in (first, second):
            file = path / "made.toml" if is_folder else path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text("{}", encoding="utf-8")
        with subtests.test(name):
            before = identify(first)
            assert identify(second) == before
            (first / "made.toml" if is_folder else first).write_text("{} ", encoding="utf-8")
            assert identify(first) != before
            assert identify(tmp_path / "nowhere") not in (before, identify(first))
