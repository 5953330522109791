"""How well a critic of made labels tells false rows of homes that it has not seen.

    python benchmarks/region_critic.py [--train 5] [--test 3] [--views 20]

Homes are furnished by seed (`made_homes.py`); a home is in training or in testing, never in both. Prints M6 for both
heads, with all inputs and without some: AUC, calibration error, the accepted share of all rows and of the best fifth.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1]))

from benchmarks.made_homes import make_home
from instructions.regions.critic.curve import measure_calibration, wilson
from instructions.regions.critic.features import Group
from instructions.regions.critic.labels import Labelled, label_made
from instructions.regions.critic.train import HeadKind, measure_auc, train_critic
from instructions.regions.options import RegionOptions, ViewCoverOptions
from instructions.regions.records import RegionView
from instructions.regions.writer import prepare_views, write_measured
from instructions.tour import Tour


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--train", type=int, default=5, help="homes to learn from")
    parser.add_argument("--test", type=int, default=3, help="other homes")
    parser.add_argument("--views", type=int, default=20, help="views per home")
    args = parser.parse_args()
    options = RegionOptions(views=ViewCoverOptions(most=args.views))
    views: dict[str, RegionView] = {}
    learned: list[Labelled] = []
    tested: list[Labelled] = []
    for seed in range(args.train + args.test):
        home = make_home(seed)
        tour = Tour(home.scene, home.objects, home.observations, exact=True, seed=seed)
        made = write_measured(tour, prepare_views(tour, options), options)
        views |= {one.id: one for one in made.views}
        (learned if seed < args.train else tested).extend(label_made(made.rows, made.pairs))
    accepted = np.array([one.targets.accepted for one in tested])
    print(f"M6 {len(learned)} rows of {args.train} homes, tested on {len(tested)} of {args.test} others", flush=True)
    heads: tuple[HeadKind, ...] = ("linear", "hidden")
    groups: tuple[frozenset[Group], ...] = (frozenset(), frozenset({"verdicts"}), frozenset({"regions"}))
    for head in heads:
        for without in groups:
            began = time.process_time()
            critic = train_critic(learned, views, "made", head=head, without=without)
            took = time.process_time() - began
            scores = critic.score([one.row for one in tested], views)
            best = np.argsort(-scores, kind="stable")[: len(scores) // 5]
            low, high = wilson(int(accepted[best].sum()), len(best))
            print(
                f"M6 {head:6} without {', '.join(without) or 'nothing':8}: AUC {measure_auc(scores, accepted):.3f}, "
                f"calibration error {measure_calibration(scores, accepted):.3f}, accepted {accepted.mean():.3f}, "
                f"of the best fifth {accepted[best].mean():.3f} ({low:.3f} to {high:.3f}), {took:.1f} CPU-s",
                flush=True,
            )
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
