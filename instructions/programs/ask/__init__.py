"""A question that a person asks about a run: read by rules, answered by the reference, and by programs on request."""
