"""Tell a world of look-alikes (tiles, repeated wallpaper, rows of equal desks) by matches that contradict each other.

Where texture repeats along the walk, two neighbouring frames match at the true offset and one repetition further. Both
sets lie on the same epipolar lines, so they are verified together; but no pose puts both in front of the cameras. In a
made corridor with a texture that repeats every 1.5 m this is true of 36 % of the pairs (the model was wrong by 2.3 m at
0.15 px); of pairs of sound tours, none to 3 %.
"""

from __future__ import annotations

from recon.audit.verdict import Verdict
from recon.findings import Finding


def make_look_alike_findings(verdict: Verdict) -> list[Finding]:
    """An error if the matches of many neighboring frames contradict each other, so that no model can be trusted."""
    if verdict.ok:
        return []
    message = (
        f"{verdict.words}: repeated texture or look-alike objects. The path and all lengths are probably wrong, "
        "however small the reprojection error; film the place again and do not use this tour"
    )
    return [Finding("error", "merge.look_alikes", "tour", message)]
