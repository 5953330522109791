"""How a command ends besides 0, 1 (a fault that a user can mend), 2 (a command line without sense) and 130 (Ctrl-C)."""

ERROR_FINDING = 3
"""A tour was processed and came out wrong, or as nothing."""
UNFINISHED = 4
"""A language server left questions open; the same command asks only these."""
