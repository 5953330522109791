"""Small trained networks that run on a CPU without torch: boxes, segments and tags of single frames."""
