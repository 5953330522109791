"""The families of questions about sets of views: reference programs, gates and types of each in one module."""
