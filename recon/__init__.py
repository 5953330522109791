"""Video to 3D: decode, sample, reconstruct, merge and stand a room tour upright."""

from recon import telemetry as _  # noqa: F401
