"""Region knowledge: questions, answers and reasons about numbered parts of a view."""
