"""Questions about images, sets of images and videos, answered by reference programs over the scene."""
