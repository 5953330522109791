"""Formats of poses, points and things of a scene."""
