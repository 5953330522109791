"""How well a critic of made labels tells false rows of homes it has not seen, and whether paraphrases cluster.

    python benchmarks/region_critic.py [--train 5] [--test 3] [--views 20]

Homes are furnished by seed (`made_homes.py`); a home is in training or in testing, never in both. Prints M6 for both
heads, with all inputs and without some: AUC, calibration error, the accepted share of all rows and of the best fifth.
Prints M8 on the homes of the test: of each view up to five facts, each told in three wordings, are put into as many
clusters as there are facts; the share of pairs of one fact in one cluster, and of facts that keep exactly one row.
"""

from __future__ import annotations

import argparse
import sys
import time
from itertools import combinations
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1]))

from benchmarks.made_homes import make_home
from instructions.regions.critic.curve import measure_calibration, wilson
from instructions.regions.critic.features import Group
from instructions.regions.critic.labels import Labelled, label_made
from instructions.regions.critic.train import HeadKind, measure_auc, train_critic
from instructions.regions.dedup import cluster_texts, pick_roots
from instructions.regions.facts import find_facts
from instructions.regions.options import RegionOptions, ViewCoverOptions
from instructions.regions.records import RegionView
from instructions.regions.wordings import load_wordings
from instructions.regions.writer import PreparedView, prepare_views, write_measured

FACTS, WORDINGS = 5, 3


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
    prepared: list[PreparedView] = []
    for seed in range(args.train + args.test):
        home = make_home(seed)
        found = list(prepare_views(home.scene, home.objects, home.observations, options=options, seed=seed, exact=True))
        made = write_measured(home.scene, home.objects, found, options, seed=seed)
        views |= {one.id: one for one in made.views}
        (learned if seed < args.train else tested).extend(label_made(made.rows, made.pairs))
        prepared += found if seed >= args.train else []
    _tell_clusters(prepared)
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


def _tell_clusters(prepared: list[PreparedView]) -> None:
    """Three wordings each of some facts of every view, shuffled."""
    rng = np.random.default_rng(0)
    together: list[bool] = []
    kept: list[bool] = []
    for one in prepared:
        names = {number: (f"[{number}]", False) for number in one.facts.numbers}
        told: list[tuple[int, str]] = []
        facts = [fact for fact in find_facts(one.facts) if not fact.needs_words]
        count = 0
        for place in rng.permutation(len(facts)):
            fact = facts[place]
            things = {slot: names[number] for slot, number in zip("AB", fact.numbers, strict=False)}
            texts = []
            for wording in load_wordings()[fact.type, fact.task]:
                try:
                    texts.append(" ".join(wording.fill(things, fact.words)))
                except KeyError:  # the wording tells something that is not known here
                    continue
            if len(texts) >= WORDINGS:
                told += [(count, text) for text in texts[:WORDINGS]]
                count += 1
            if count == FACTS:
                break
        if count < 2:
            continue
        told = [told[place] for place in rng.permutation(len(told))]
        labels = cluster_texts([text for _, text in told], count)
        roots = [told[place][0] for place in pick_roots([text for _, text in told], count)]
        pairs = combinations(range(len(told)), 2)
        together += [labels[a] == labels[b] for a, b in pairs if told[a][0] == told[b][0]]
        kept += [roots.count(fact) == 1 for fact in range(count)]
    print(
        f"M8 {len(kept)} facts told {WORDINGS} times: {np.mean(together):.3f} of {len(together)} pairs in one cluster, "
        f"{np.mean(kept):.3f} of the facts keep exactly one row",
        flush=True,
    )


if __name__ == "__main__":
    raise SystemExit(main())
