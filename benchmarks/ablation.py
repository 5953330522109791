"""What each lever of the reconstruction gives: the same frames with everything on, and with one lever off at a time.

    python benchmarks/ablation.py examples/apartment.mp4 --truth examples/apartment_truth/trajectory.tum
    python benchmarks/ablation.py FOLDER/images --fps 10 --truth FOLDER/poses.txt [--only thinning revisits]

The tour is sampled as the pipeline does it and mapped as one clip; the truth is as for `merging.py`. Levers of mapping
share one database. Each row is repeatable.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path

from merging import read_truth
from office_walk import describe

from recon.adjust.refine import RefineOptions
from recon.adjust.thinning import ThinningOptions
from recon.mapping.clips import reconstruct_clip
from recon.mapping.options import MappingBars, SfmOptions
from recon.matching.features import build_database
from recon.matching.options import FeatureOptions
from recon.matching.pairs import PairOptions
from recon.records import Clip
from recon.video.sampling import SampleOptions, sample_tour


@dataclass(frozen=True)
class Variant:
    """One row of the table."""

    name: str
    sfm: SfmOptions = field(default_factory=SfmOptions)
    bars: MappingBars = field(default_factory=MappingBars)
    pairs: PairOptions = field(default_factory=PairOptions)
    features: FeatureOptions = field(default_factory=FeatureOptions)


_ALL = ThinningOptions(points_per_frame=0)

VARIANTS = [
    Variant("all"),
    Variant("no thinning in refinement", bars=MappingBars(refine=RefineOptions(thinning=_ALL))),
    Variant("track search off", bars=MappingBars(refine=RefineOptions(search_rounds=0))),
    Variant("one round of track search", bars=MappingBars(refine=RefineOptions(search_rounds=1))),
    Variant("adjusted until 0.001 % is gained", bars=MappingBars(refine=RefineOptions(least_gain=1e-5))),
    Variant("principal point fixed", bars=MappingBars(refine=RefineOptions(principal_point_min_frames=10**9))),
    Variant(
        "COLMAP's thresholds",
        sfm=SfmOptions(
            init_min_inliers=100, init_min_angle_deg=16.0, register_min_inliers=30, register_max_error_px=12.0
        ),
    ),
    Variant("global mapper", sfm=SfmOptions(mapper="global")),
    Variant("revisits off", pairs=PairOptions(revisits_per_frame=0)),
    Variant("long gaps off", pairs=PairOptions(quadratic_overlap=0)),
    Variant("torn models kept", bars=MappingBars(torn=None)),
    Variant("whole picture", features=FeatureOptions(picture_side=10_000)),
    Variant("all keypoints in every pair", features=FeatureOptions(enough_features=1800)),
    Variant("1000 keypoints", features=FeatureOptions(max_features=1000)),
    Variant("OpenCV's contrast threshold", features=FeatureOptions(contrast_threshold=0.04)),
]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("input", type=Path)
    parser.add_argument("--truth", type=Path, required=True)
    parser.add_argument("--fps", type=float, help="of a folder of images")
    parser.add_argument("--sample-fps", type=float, default=SampleOptions().fps)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", nargs="*", help="first words of the rows to measure, such as `thinning`")
    args = parser.parse_args()
    databases: dict[tuple[PairOptions, FeatureOptions], tuple[Path, float]] = {}
    chosen = [v for v in VARIANTS if args.only is None or any(v.name.startswith(word) for word in args.only)]
    with tempfile.TemporaryDirectory() as folder:
        images = Path(folder) / "frames"
        images.mkdir()
        frames = sample_tour(args.input, images, SampleOptions(fps=args.sample_fps), image_fps=args.fps).frames
        truth = read_truth(args.truth, frames, args.fps)
        clip = Clip("000", 0, tuple(frame.index for frame in frames))
        for number, variant in enumerate(chosen):
            key = (variant.pairs, variant.features)
            if key not in databases:
                path = Path(folder) / f"{number}.db"
                began = time.process_time()
                build_database(images, frames, [clip], path, variant.features, variant.pairs, args.seed)
                databases[key] = path, time.process_time() - began
            database, features_s = databases[key]
            began = time.process_time()
            result = reconstruct_clip(
                database, images, clip, Path(folder) / str(number), variant.sfm, args.seed, bars=variant.bars
            )
            mapping_s = time.process_time() - began
            print(f"{variant.name}: features {features_s:.1f}, mapping {mapping_s:.1f} CPU-s", flush=True)
            print(*[describe(model, truth) for model in result.sub_models], sep="\n", flush=True)


if __name__ == "__main__":
    main()
