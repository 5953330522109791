"""Truths in words: templates, options, and rows."""
