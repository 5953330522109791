"""Questions whose truth is computed from geometry, and what all of them share."""
