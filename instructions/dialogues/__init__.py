"""Talks, descriptions and tasks about single views and point clouds."""
