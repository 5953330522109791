from __future__ import annotations

from pathlib import Path

import pytest

from roomtour.cli import main
from roomtour.errors import RoomtourError
from roomtour.export.formats.actions.write import ActionsOptions
from roomtour.export.formats.hf.write import HfOptions
from roomtour.export.options import parse_options
from roomtour.export.registry import FORMATS, get_format


def test_words_become_options() -> None:
    words = ["style=streamvln", "turn_deg=30", "copy_images=false", "val_share=0.25", "seed=3"]
    want = ActionsOptions(style="streamvln", turn_deg=30.0, copy_images=False, val_share=0.25, seed=3)
    assert parse_options(get_format("actions"), words) == want
    assert parse_options(get_format("hf"), []) == HfOptions()


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (
            ["style"],
            "--options style: format actions takes name=value with val_share, seed, min_rating, licences, hide,",
        ),
        (["colour=red"], "--options colour=red: format actions takes"),
        (["style=other"], "--options style=other: input should be 'plain' or 'streamvln'"),
        (["turn_deg=x"], "--options turn_deg=x: input should be a valid number"),
        (["val_share=2"], "--options val_share=2: input should be less than or equal to 1"),
        (["history=1"], "--options history=1: input should be greater than or equal to 2"),
    ],
)
def test_word_that_does_not_fit_is_one_line(words: list[str], message: str) -> None:
    with pytest.raises(RoomtourError) as error:
        parse_options(get_format("actions"), words)
    assert str(error.value).startswith(message)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("format", sorted(FORMATS))
def test_defaults_of_every_format_can_be_given_as_words(format: str) -> None:
    kind = get_format(format)
    defaults = kind.options()
    words = [f"{name}={value}" for name, value in vars(defaults).items()]
    assert parse_options(kind, words) == defaults


def test_list_needs_nothing_and_names_every_format(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["export", "--list"]) == 0
    out = capsys.readouterr().out
    lines = out.splitlines()
    for kind in FORMATS.values():
        at = lines.index(kind.name)
        assert lines[at + 1] == f"  {kind.summary}"
        assert lines[at + 2] == f"  needs: {kind.needs}"
        assert lines[at + 3] == f"  loaded by: {kind.client}"
    assert "style=plain" in out
    assert "needs: a scale in metres; accepted texts" in out
    assert "needs: poses only" in out


@pytest.mark.parametrize("args", [[], ["run"], ["run", "--format", "tum"], ["run", "--out", "x"]])
def test_what_is_missing_is_told_in_one_line(capsys: pytest.CaptureFixture[str], args: list[str]) -> None:
    assert main(["export", *args]) == 1
    assert len(capsys.readouterr().err.splitlines()) == 1


def test_run_that_is_none_leaves_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["export", str(tmp_path / "none"), "--format", "tum", "--out", str(tmp_path / "out")]) == 1
    assert "no run folder" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []
