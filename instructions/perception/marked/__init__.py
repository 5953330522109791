"""A server that sees names things that are marked by number in a few frames; what it says is one witness."""
