"""The `roomtour` command: its sub-commands, and what every one of them does with an error or Ctrl-C."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence

from tyro.extras import SubcommandApp

from roomtour.cli import export, make, models, process, report, review, show, validate, view
from roomtour.cli.console import complain
from roomtour.config import Config
from roomtour.errors import USER_ERRORS

_DESCRIPTION = "Room-tour videos to 3D scenes, trajectories, navigation instructions and training data."


def build_app(defaults: Config = Config()) -> SubcommandApp:
    """The commands; `defaults` are the option values before flags, from a `--config` file."""
    app = SubcommandApp()
    process.register(app, defaults)
    for command in (make, show, report, export, validate, view, models, review):
        command.register(app)
    return app


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command; returns the exit code. One line and 1 for what a user can mend."""
    args = list(sys.argv[1:] if argv is None else argv)
    try:
        app = build_app(process.config_defaults(args))
        return int(app.cli(prog="roomtour", description=_DESCRIPTION, args=args) or 0)
    except USER_ERRORS as error:
        complain(error)
        return 1
    except BrokenPipeError:  # the reader of our output (`| head`) has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except KeyboardInterrupt:
        complain("interrupted; finished stages are kept, run the same command again to continue")
        # A stage may still be inside a library call that cannot be stopped. Nothing of it counts before its commit.
        sys.stderr.flush()
        os._exit(130)
