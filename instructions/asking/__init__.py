"""What may be asked about a view, and in which words: gates, references to things, numbers as people say them."""
