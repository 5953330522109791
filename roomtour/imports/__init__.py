"""Runs that no reconstruction made: single images, simulators and scans, one module and one row per format."""
