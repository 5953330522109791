"""One page about all runs of a folder."""
