"""Navigation texts: instructions and descriptions of walked ways."""
