"""Room-tour videos to 3D scenes, action-enriched trajectories, navigation instructions and training data."""
