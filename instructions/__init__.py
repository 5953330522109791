"""Frames and geometry to words: landmarks, spatial text, instructions and their truth check."""

from recon import telemetry as _  # noqa: F401
