"""Detections to things of the scene."""
