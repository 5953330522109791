"""The format `hf`: what its rows are, how they are written, how a dataset is checked."""
