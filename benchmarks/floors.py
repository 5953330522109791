"""How much of a reconstruction lies below its floor: a tenth and more below a level tells that it is a table or a bed.

    python benchmarks/floors.py RUN [RUN ...]

Per model with a floor: the height of the camera, and the share of the points below the cameras that lie deeper under
the floor than a tenth, a fifth and a half of that height. `recon.upright.ground` refuses a level by this.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1]))

import roomtour
from recon.colmap.observations import well_triangulated

SHARES = (0.1, 0.2, 0.5)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("runs", nargs="+", type=Path)
    for folder in parser.parse_args().runs:
        for model in roomtour.Run(folder).scene.models:
            if model.floor_z is None:
                print(f"{folder.name} {model.name}: no floor")
                continue
            z = model.tracks.xyz[well_triangulated(model.tracks, model.world_from_cam), 2] - model.floor_z
            height = float(np.median(model.centers[:, 2])) - model.floor_z
            below = z[z < height]
            shares = ", ".join(f"{np.mean(below < -share * height):.3f}" for share in SHARES)
            print(f"{folder.name} {model.name}: camera {height:.2f} {model.scale.unit}, below the floor {shares}")


if __name__ == "__main__":
    main()
