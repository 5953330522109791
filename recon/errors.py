"""The one exception class of `recon`."""


class ReconError(Exception):
    """Input that `recon` cannot work with. The message is one line: what, where, how far off, what to try."""
