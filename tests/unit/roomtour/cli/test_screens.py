"""The screens that need no run are as they were read; and no name stands twice in any table a user chooses from."""

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import pytest

from docs.generate.pages import list_documented_codes
from roomtour.cli.catalog import COMMANDS, find_function
from roomtour.cli.parsing.process_flags import COMMON_OPTIONS
from roomtour.export.registry import FORMATS
from roomtour.kinds import KINDS
from roomtour.options.fields import config_options, config_sections
from roomtour.stages.table import STAGES
from tests.support.paths import ROOT
from tests.support.screens import HELP, capture, capture_errors, require_screen

TABLES: dict[str, Sequence[str]] = {
    "commands": COMMANDS,
    "stages": [stage.name for stage in STAGES],
    "titles of stages": [stage.title for stage in STAGES],
    "outputs of stages": [output for stage in STAGES for output in stage.outputs],
    "kinds": [kind.name for kind in KINDS],
    "rows of kinds": [kind.rows for kind in KINDS],
    "formats": [kind.name for kind in FORMATS.values()],
    "summaries of formats": [kind.summary for kind in FORMATS.values()],
    "finding codes": list_documented_codes((ROOT / "docs" / "findings.md").read_text(encoding="utf-8")),
    "options": [option.name for option in config_options()],
    "sections of options": list(config_sections()),
    "common options": [name for names in COMMON_OPTIONS.values() for name in names],
}


def test_no_name_stands_twice(subtests: pytest.Subtests):
    for table, names in TABLES.items():
        with subtests.test(table):
            assert names
            assert [name for name, times in Counter(names).items() if times > 1] == []


def test_every_command_is_there(subtests: pytest.Subtests):
    for name in COMMANDS:
        with subtests.test(name):
            assert callable(find_function(name))


def test_help_is_as_it_was_read_and_version_is_one_line(subtests: pytest.Subtests):
    for name, words in HELP.items():
        with subtests.test(name):
            require_screen(name, capture(*words))
    for flag in ("--version", "-V"):
        assert capture(flag).splitlines()[1].startswith("roomtour 0.")


def test_errors_are_as_they_were_read_and_a_foreign_folder_stays(tmp_path: Path):
    require_screen("errors", capture_errors(tmp_path))
    assert (tmp_path / "other" / "thesis.tex").read_text() == "mine"
    assert sorted(path.name for path in tmp_path.iterdir() if path.is_dir()) == ["other", "pictures", "run"]
