"""Formats about numbered regions and their masks."""
