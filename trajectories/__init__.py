"""Camera poses to actions: view changes, candidates and action-enriched trajectories."""

from recon import telemetry as _  # noqa: F401
