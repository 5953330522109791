"""Questions that take several measures, and the talks that lead to their answer, which is computed and not told."""
