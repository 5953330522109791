"""One offline HTML page about a run."""
