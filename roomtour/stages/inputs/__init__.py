"""What several stages read: given poses, and frames that may be shown."""
