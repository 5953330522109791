"""Single images with metric depth: cleaned clouds of things, an upright world from the ground, a scene of one frame."""
