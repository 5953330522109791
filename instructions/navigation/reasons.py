"""Why a navigation text is rejected: every code that such a row can carry."""

from __future__ import annotations

from instructions.truth.check import TEXT_FAULTS

REASONS = {
    **TEXT_FAULTS,
    "no_destination": "an instruction does not name the thing its way ends at",
    "needs_poses": "a text about frames without poses tells how the camera moved or how near it came",
    "no_movement": "the camera hardly moves on the way, so there is nothing to tell",
}
"""A sentence by code."""
