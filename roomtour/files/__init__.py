"""Files of a run folder: records as JSON, frames, depth maps and models."""
