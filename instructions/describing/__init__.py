"""One view in words that are measured: names that fit one thing, a line per thing, and narratives."""
