"""Rooms without a large model: what a place is, by its form and the things in it."""
