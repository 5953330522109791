"""Where a model contradicts itself or its matches."""
