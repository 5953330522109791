"""One offline page on which a person leafs through the rows of a run or of a dataset: pictures, filters and reasons."""
