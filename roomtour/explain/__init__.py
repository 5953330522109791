"""One picture per row: what it is about, with the boxes of what it names, and beneath it the text and the numbers."""
