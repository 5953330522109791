"""The formats, a folder each."""
