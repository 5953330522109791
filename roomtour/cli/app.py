"""The `roomtour` command: finds the command that is meant, and what every one of them does with an error or Ctrl-C."""

from __future__ import annotations

import errno
import importlib.metadata
import inspect
import os
import platform
import sys
from collections.abc import Sequence

from roomtour.cli.catalog import COMMANDS, find_function, run_command
from roomtour.cli.console import complain
from roomtour.cli.interrupt import EXIT_CODE, INTERRUPTED, end_at_once_while_importing
from roomtour.cli.parsing.help_text import HelpRow, render_section, terminal_width
from roomtour.errors import USER_ERRORS, UsageError, did_you_mean

_DESCRIPTION = "Room-tour videos to 3D scenes, trajectories, navigation instructions and training data."
_NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command; returns the exit code. One line and 1 for what a user can mend, 2 for what makes no sense.

    Other codes stand in `roomtour.cli.console`.
    """
    args = list(sys.argv[1:] if argv is None else argv)
    try:
        with end_at_once_while_importing():
            code = _run(args)
        sys.stdout.flush()
        return code
    except UsageError as error:
        complain(error)
        return 2
    except USER_ERRORS as error:
        complain(error)
        return 1
    except BrokenPipeError:  # the reader of our output (`| head`) has seen enough
        _drop_output()
        return 0
    except OSError as error:  # no permission, a failing disk: what no command has words of its own for
        if error.filename is None and error.errno not in _NO_ROOM:
            raise
        _drop_output()
        complain(f"{error.filename or 'standard output, or a file of the command'}: {error.strerror}")
        return 1
    except KeyboardInterrupt:
        complain(INTERRUPTED)
        # A stage may still be inside a library call that cannot be stopped. Nothing of it counts before its commit.
        sys.stderr.flush()
        os._exit(EXIT_CODE)


def _drop_output() -> None:
    """Lead standard output to nowhere if it takes no more, since the interpreter flushes it once more at its end."""
    try:
        sys.stdout.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _run(args: Sequence[str]) -> int:
    if not args:
        raise UsageError(f"no command given; one of {', '.join(COMMANDS)}; see roomtour --help")
    name, *rest = args
    if name in ("-h", "--help"):
        print(_help())
        return 0
    if name in ("-V", "--version"):
        print(version_line())
        return 0
    if name not in COMMANDS:
        near = did_you_mean(name, [*COMMANDS, "--help", "--version"])
        raise UsageError(f"no command {name}.{near} Known: {', '.join(COMMANDS)}; see roomtour --help")
    return run_command(name, rest)


def version_line() -> str:
    """Our version, with those that most reports of a fault turn on."""
    versions = {name: importlib.metadata.version(name) for name in ("roomtour", "pycolmap")}
    return f"roomtour {versions['roomtour']} (Python {platform.python_version()}, pycolmap {versions['pycolmap']})"


def _help() -> str:
    rows = []
    for name in COMMANDS:
        rows.append(HelpRow(name, (inspect.getdoc(find_function(name)) or "").partition("\n")[0]))
    options = (
        HelpRow("-h, --help", "Show this and exit; behind a command, the help of that command."),
        HelpRow("-V, --version", "Print the versions and exit."),
    )
    width, column = terminal_width(), 4 + max(len(row.flag) for row in (*rows, *options))
    lines = ["usage: roomtour COMMAND ...", "", _DESCRIPTION, "", *render_section("Commands", rows, width, column)]
    return "\n".join([*lines, "", *render_section("Options", options, width, column)])
