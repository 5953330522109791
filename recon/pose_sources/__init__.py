"""Camera poses that another tool or a sensor measured: their formats, and which of a tour's frames they belong to."""
