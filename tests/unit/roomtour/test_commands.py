"""The command that a message names is the one that made the run: read again, it gives the same options."""

import shlex
from dataclasses import replace
from pathlib import Path

import pytest

from roomtour.cli.parsing.process_flags import parse_process
from roomtour.cli.parsing.settings import build_config
from roomtour.commands import process_command, stage_command
from roomtour.config import Config, config_from_dict
from roomtour.errors import UsageError
from roomtour.kinds import KINDS
from roomtour.tour_facts import TourFacts

CHANGED = {
    "poses": "given poses/tum.txt",
    "sample": {"fps": 2.5, "until_s": 20.0},
    "input": {"mask_overlays": False},
    "pose_source": {"metric": True, "time_offset_s": -0.5},
    "data": ["regions", "dialogues"],
    "perception": "landmarks",
    "seed": 7,
}


@pytest.mark.parametrize("values", [{}, CHANGED, {"data": []}])
def test_a_command_read_again_gives_the_options_of_the_run(values: dict[str, object]) -> None:
    config = config_from_dict(values)
    facts = {"source": "tours/my home.mp4", "options": replace(config, workers=3, tour=TourFacts(author="A")).to_dict()}
    words = shlex.split(process_command(facts, Path("my runs/home"), until="scene"))
    call = parse_process(words[2:])
    assert call is not None
    assert (words[:2], call.inputs, call.out, call.until) == (
        ["roomtour", "process"], (Path("tours/my home.mp4"),), Path("my runs/home"), "scene",
    )  # fmt: skip
    assert build_config(None, call.flag_options) == config
    assert (len(words) == 7) == (config == Config())


def test_what_is_missing_is_told_of_the_command_that_was_typed() -> None:
    with pytest.raises(UsageError, match=r"^batch plan: .*--out JOB.* roomtour batch plan --help$"):
        parse_process(["tour.mp4"], "batch plan", "JOB")
    with pytest.raises(UsageError, match=r"^batch run: no video given: roomtour batch run INPUT\.\.\. --out JOB"):
        parse_process(["--out", "job"], "batch run", "JOB")


def test_rows_are_made_without_the_source_once_what_they_need_is_there() -> None:
    for kind in KINDS:
        facts = {"source": "tour.mp4", "options": {}}
        assert stage_command(kind.name, facts, Path("run"), kind.needs) == f"roomtour make run --data {kind.name}"
        words = stage_command(kind.name, facts, Path("run"), kind.needs[1:]).split()
        assert words[-2:] == ["--until", kind.name]
