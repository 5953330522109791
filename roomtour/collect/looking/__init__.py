"""What the pictures of a video show: steps that decode, compare, or ask networks."""
