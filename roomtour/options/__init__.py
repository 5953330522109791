"""What can be set: the options of a class by their types, defaults and docstrings, and the words that set them."""
