"""Questions about one view and the named things in it: SpatialVLM (CVPR 2024) and what goes beyond it."""
