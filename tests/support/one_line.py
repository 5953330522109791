"""What a command says when it cannot go on: one line for people, and never a traceback."""

import pytest

from roomtour.cli import main


def one_line(capsys: pytest.CaptureFixture[str], *args: str, code: int = 1) -> str:
    """Run the command; it must fail with that exit code and a single line that begins with our name."""
    capsys.readouterr()
    assert main(list(args)) == code
    said = capsys.readouterr()
    assert "Traceback" not in said.err + said.out
    (line,) = [line for line in said.err.splitlines() if line.startswith("roomtour: ")]
    return line
