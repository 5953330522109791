"""Video to 3D: decode, sample, reconstruct, merge and stand a room tour upright."""

import recon.telemetry  # noqa: F401
