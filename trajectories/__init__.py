"""Camera poses to actions: view changes, candidates and action-enriched trajectories."""

import recon.telemetry  # noqa: F401
