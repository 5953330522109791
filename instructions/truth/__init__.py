"""Is a free text about a way true? Words become statements, and each is looked for in the geometry of the way."""
