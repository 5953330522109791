"""The format `lerobot`: how it is written, and how a dataset is checked."""
