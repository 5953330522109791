"""What focal length the pairs of some runs vote for, how sure they are, and what mapping made of it.

    python benchmarks/focal_votes.py RUN...

Runs need `recon/database.db`. Each row: pairs that vote, the vote over the longer side and the sigma of its logarithm,
whether mapping holds it, the same where any lens is as likely as another, and the focal length and distortion of each
model of the scene.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
import pycolmap

from recon.colmap.database import CAMERA_ID, open_database
from recon.colmap.log import quiet_colmap
from recon.geometry import Camera
from recon.matching import calibrate
from recon.matching.calibrate import FocalVote, vote_focal
from recon.matching.interfaces import PairMatch
from recon.matching.options import FeatureOptions


def read_pairs(run: Path) -> tuple[Camera, list[PairMatch]]:
    """The camera that is expected, and the pairs with a fundamental matrix."""
    with open_database(run / "recon" / "database.db") as database:
        shared = database.read_camera(CAMERA_ID)
        _, geometries = database.read_two_view_geometries()
    kind = int(pycolmap.TwoViewGeometryConfiguration.UNCALIBRATED)
    pairs = [
        PairMatch(one.inlier_matches, one.inlier_matches, np.asarray(one.F), None)
        for one in geometries
        if one.config == kind
    ]
    side = max(shared.width, shared.height)
    params = (FeatureOptions().focal_ratio * side, shared.width / 2, shared.height / 2, 0.0)
    return Camera("SIMPLE_RADIAL", shared.width, shared.height, params), pairs


def describe(camera: Camera, vote: FocalVote | None) -> str:
    """Of one vote: over the longer side."""
    if vote is None:
        return "none"
    held = "held" if vote.is_sure else "open"
    return f"{vote.focal_px / max(camera.width, camera.height):.3f} (sigma {vote.sigma:.3f}, {held})"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("runs", type=Path, nargs="+")
    args = parser.parse_args()
    print("| run | pairs | vote | by the pairs alone | models: frames, focal length, distortion |")
    print("|---|---|---|---|---|")
    for run in args.runs:
        with quiet_colmap():
            camera, pairs = read_pairs(run)
            vote = vote_focal(camera, pairs)
            usual, calibrate._EXPECTED_SIGMA = calibrate._EXPECTED_SIGMA, 100.0
            alone = vote_focal(camera, pairs)
            calibrate._EXPECTED_SIGMA = usual
            models = [pycolmap.Reconstruction(path) for path in sorted((run / "scene" / "models").glob("*"))]
        made = [(model.num_reg_images(), next(iter(model.cameras.values()))) for model in models]
        side = max(camera.width, camera.height)
        lenses = "; ".join(f"{frames}, {one.params[0] / side:.3f}, {one.params[3]:+.2f}" for frames, one in made)
        cells = (run.name, str(vote.pairs if vote else 0), describe(camera, vote), describe(camera, alone), lenses)
        print(f"| {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
