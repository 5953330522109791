"""Measures and relations of things and walks: the only place where one is computed."""
