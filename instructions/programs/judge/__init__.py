"""Whether a question may be asked: one module per family of types, each answer a truth or a named, counted reason."""
