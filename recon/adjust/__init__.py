"""Refine a model that is mapped already: tracks, bundle adjustment, points."""
