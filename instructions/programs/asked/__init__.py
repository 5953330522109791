"""Questions that a language model asks freely and programs answer: asked, programmed, believed after checks."""
