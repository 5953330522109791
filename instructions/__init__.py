"""Frames and geometry to words: landmarks, spatial text, instructions and their truth check."""

import recon.telemetry  # noqa: F401
