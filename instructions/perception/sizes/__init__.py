"""Things of known size as witnesses of a model's scale: what is measured, and how large such things are."""
