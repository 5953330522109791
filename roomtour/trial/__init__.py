"""Learned models tried on the bundled example, of which everything is known."""
