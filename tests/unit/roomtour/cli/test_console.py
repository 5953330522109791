"""Lines are printed as they are: text from data is no markup and no emoji."""

from __future__ import annotations

import pytest

from roomtour.cli.console import complain, tell


@pytest.mark.parametrize("text", ["rows.json:100: image", "[bold]a[/bold]", ":smile: x"])
def test_a_line_is_printed_as_it_is(capsys: pytest.CaptureFixture[str], text: str) -> None:
    tell(text)
    complain(text)
    told = capsys.readouterr()
    assert told.out == f"{text}\n"
    assert told.err == f"roomtour: {text}\n"
