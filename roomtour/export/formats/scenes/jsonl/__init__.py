"""The format `jsonl`: how it is written, and how a dataset is checked."""
