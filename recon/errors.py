"""The one exception class of `recon`, and what other packages' errors say in one line."""


class ReconError(Exception):
    """Input that `recon` cannot work with. The message is one line: what, where, how far off, what to try."""


def first_line(error: BaseException) -> str:
    """The first line of an error's message that is not empty; the name of its class where there is none."""
    return next((line.strip() for line in str(error).splitlines() if line.strip()), type(error).__name__)
