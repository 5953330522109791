"""Lines are printed as they are: text from data is no markup and no emoji."""

import pytest

from recon.errors import ReconError
from recon.findings import Finding, attach_to_errors
from roomtour.cli.console import complain, tell


@pytest.mark.parametrize("text", ["rows.json:100: image", "[bold]a[/bold]", ":smile: x"])
def test_a_line_is_printed_as_it_is(capsys: pytest.CaptureFixture[str], text: str) -> None:
    tell(text)
    complain(text)
    told = capsys.readouterr()
    assert told.out == f"{text}\n"
    assert told.err == f"roomtour: {text}\n"


def test_an_error_brings_what_was_found_before_it(capsys):
    findings = []

    def fail():
        findings.append(Finding("warning", "images.other_size", "folder a\x1b[2J", "dropped 39 files"))
        raise ReconError("too short")

    with pytest.raises(ReconError) as caught, attach_to_errors(findings):
        fail()
    complain(caught.value)
    assert capsys.readouterr().err.splitlines() == [
        "roomtour: too short",
        "  warning: folder a?[2J: dropped 39 files [images.other_size]",
    ]
