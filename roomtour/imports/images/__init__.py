"""Single images, with metric depth or without: a folder, or JSONL with one image per line."""
