"""A package of its own, so that a `tests` which a client of our exports installs beside itself (verl does) never stands
for ours.
"""
