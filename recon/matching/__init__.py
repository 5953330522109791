"""Features, pairs and verified matches of a tour."""
