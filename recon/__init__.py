"""Video to 3D: decode, sample, reconstruct, merge and stand a room tour upright."""
