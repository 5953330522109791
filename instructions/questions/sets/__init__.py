"""Questions about sets of views, whose truth a reference program computes over the boxes of things."""
