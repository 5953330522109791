"""Scores of answers to our tasks: `right`, and `compat`, which behaves as LAMM's published code does.

Several players on one benchmark stand on a leaderboard or are ranked by a language model; junk players, which know
nothing, tell what a score is worth.
"""
