"""What several stages read: given poses, floors, places, and frames that may be shown."""
