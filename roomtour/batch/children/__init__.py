"""The processes that work on tours: what each is told, does, and says at its end."""
