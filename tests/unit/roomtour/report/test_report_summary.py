import re
from io import StringIO
from pathlib import Path

import pytest
from rich.console import Console

from recon.numerals import percent
from roomtour.cli.looking.show import render_summary
from roomtour.drawing.text import clock, flatten, printable
from roomtour.summary import RunSummary, summarize
from tests.support.runs.made_tour import make_run


def print_to_text(summary: RunSummary, width: int = 100) -> str:
    out = StringIO()
    Console(file=out, width=width).print(render_summary(summary))
    return out.getvalue()


def test_summary_counts_what_the_run_holds():
    summary = summarize(make_run(Path(), "assumed", models=2, pictures=False))
    assert summary.frames == 81
    assert summary.registered == 70
    assert summary.registered_share == pytest.approx(70 / 81)
    assert summary.models == 2
    assert summary.largest_model_share == pytest.approx(46 / 81)
    assert (summary.scale_status, summary.unit) == ("assumed", "m")
    assert (summary.view_changes, summary.turns_on_the_spot, summary.decisions) == (2, 1, 2)
    assert (summary.instructions_accepted, summary.instructions_rejected) == (4, 2)
    assert summary.findings == {"error": 0, "warning": 2, "info": 5}


def test_a_path_has_a_length_where_there_are_metres():
    assert summarize(make_run(Path(), "metric", pictures=False)).path_length == pytest.approx(16.6, abs=0.3)
    relative = summarize(make_run(Path(), "relative", pictures=False))
    assert relative.path_length is None
    text = print_to_text(relative)
    assert not re.search(r"\d\s*m\b", text)
    assert "no metres" in text


def test_names_cannot_steer_the_terminal():
    run = make_run(Path(), text="\x1b[2J[red]x[/red]\n", pictures=False)
    text = print_to_text(summarize(run))
    assert "\x1b" not in text
    assert "[red]x[/red]" in text
    assert printable("a\tb\u202ec") == "a?b?c"


def test_only_all_is_a_hundred_per_cent(subtests: pytest.Subtests):
    for share, words in ((0.0, "0 %"), (0.004, "< 1 %"), (0.5, "50 %"), (0.9996, "99.9 %"), (1.0, "100 %")):
        with subtests.test(str(share)):
            assert percent(share) == words
    assert [clock(time) for time in (0.0, 59.96, 61.25, -0.5)] == ["0:00.0", "1:00.0", "1:01.2", "-0:00.5"]
    nested = {"a": {"b": 1, "c": [1, 2]}, "d": None, "e": {}}
    assert flatten(nested) == [("a.b", "1"), ("a.c", "1, 2"), ("d", "none"), ("e", "")]
