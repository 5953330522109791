"""The command line, one file per command: each builds inputs, calls one function, prints what was made where."""

from roomtour.cli.interrupt import end_at_once_while_importing

with end_at_once_while_importing():
    from roomtour.cli.app import main

__all__ = ["main"]
