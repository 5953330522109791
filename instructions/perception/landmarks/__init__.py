"""Embedded perception: things out of the reconstruction itself."""
