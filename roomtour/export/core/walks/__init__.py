"""What formats of walks share."""
