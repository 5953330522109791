"""One system message per type of task."""
