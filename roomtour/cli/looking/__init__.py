"""Commands that make something to look at: pages, pictures, a view in 3D."""
