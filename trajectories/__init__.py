"""Camera poses to actions: view changes, candidates and action-enriched trajectories."""
