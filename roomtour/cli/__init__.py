"""The command line, one file per command: each builds inputs, calls one function, prints what was made where."""

from roomtour.cli.app import main

__all__ = ["main"]
