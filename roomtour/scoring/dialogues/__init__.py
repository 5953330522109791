"""Scores of answers to our tasks: `right`, and `compat`, which behaves as LAMM's published code does."""
