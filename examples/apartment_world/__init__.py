"""A furnished apartment that is built, lit, walked through and rendered by program, with known truth."""
