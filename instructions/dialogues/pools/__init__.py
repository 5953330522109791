"""Sentences of templates."""
