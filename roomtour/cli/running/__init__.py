"""Commands that make run folders, or bring them further."""
