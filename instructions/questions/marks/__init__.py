"""Questions that need no name: about points on surfaces, shown as numbered marks, and about how the camera moved."""
