"""Clouds of points: how they are cut, what is asked and told of them."""
