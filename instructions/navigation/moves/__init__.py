"""How a walker moves: turns, looks, and the legs between them."""
