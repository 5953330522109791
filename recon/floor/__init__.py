"""Hold the scale of a walk by the floor, where its pictures do not."""
