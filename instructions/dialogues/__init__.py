"""Talks, descriptions and tasks about single views and point clouds, and the benchmark that goes with them."""
