"""What a person is shown of a row, whichever kind of data it is of: frames with boxes, and lines with the numbers."""
