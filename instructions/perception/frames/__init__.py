"""Pixels to detections: what learned models see in single frames."""
