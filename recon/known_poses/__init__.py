"""Models from poses that are known, given by the user or kept from mapping."""
