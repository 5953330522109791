"""The one exception class of `instructions`."""


class InstructionError(Exception):
    """Input that `instructions` cannot work with. The message is one line: what, where, how far off, what to try."""
