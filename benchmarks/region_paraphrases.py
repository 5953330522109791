"""Whether rows that tell one fact in other words fall into one cluster, and each fact keeps one row.

    python benchmarks/region_paraphrases.py [--homes 3] [--runs RUN ...] [--show 0]

Of each view up to five different facts, each told in three wordings, are put into as many clusters as there are facts.
Prints M8: the share of pairs of one fact in one cluster, and of facts that keep exactly one row; for the writer's own
wordings, and for those of `region_paraphrases.toml`. Homes are furnished by seed; runs are read only. With `--show` so
many pairs that were torn apart are printed.
"""

from __future__ import annotations

import argparse
import sys
import tomllib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1]))

from benchmarks.made_homes import make_home
from instructions.claims.view_claims import ViewClaimKind
from instructions.regions.clusters import find_clusters, measure_likeness, pick_roots
from instructions.regions.facts_qar import find_key
from instructions.regions.measured.facts import find_facts
from instructions.regions.measured.region_fact import RegionFact, Wording, load_wordings
from instructions.regions.options import RegionOptions, ViewCoverOptions
from instructions.regions.records import Parts
from instructions.regions.writer import prepare_views
from instructions.tour import Tour
from instructions.view import View
from roomtour.artifacts import FRAME_ROOMS, ROOM_SPANS
from roomtour.run import Run

FACTS, WORDINGS = 5, 3
OTHERS = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))
SAME = {
    "height_floor": "height", "side_yes": "lateral", "side_no": "lateral", "first": "nearer", "nearer_yes": "nearer",
    "nearer_no": "nearer", "taller_yes": "taller", "taller_no": "taller", "next_close": "next",
}  # fmt: skip
"""Tasks that tell the same fact."""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--homes", type=int, default=3)
    parser.add_argument("--runs", type=Path, nargs="*", default=())
    parser.add_argument("--views", type=int, default=20, help="views per home")
    parser.add_argument("--first", type=int, default=0, help="seed of the first home")
    parser.add_argument("--sets", nargs="*", default=["own", *OTHERS], help="which wordings")
    parser.add_argument("--show", type=int, default=0)
    args = parser.parse_args()
    views = list(_find_views(args.homes, args.first, args.views, args.runs))
    if "own" in args.sets:
        _tell("own", views, None, args.show)
    for name, tasks in OTHERS.items():
        if name not in args.sets:
            continue
        wordings = {task: tuple(Wording(*parts) for parts in told) for task, told in tasks.items()}
        _tell(name, views, wordings, args.show)
    return 0


def _find_views(homes: int, first: int, most: int, runs: Sequence[Path]) -> Iterator[View]:
    options = RegionOptions(views=ViewCoverOptions(most=most))
    for seed in range(first, first + homes):
        home = make_home(seed)
        for one in prepare_views(Tour(home.scene, home.objects, home.observations, exact=True, seed=seed), options):
            yield one.facts
    for folder in runs:
        run = Run(folder)
        rooms, frame_rooms = ROOM_SPANS.read(folder), FRAME_ROOMS.read(folder)
        tour = Tour(run.scene, run.objects, run.observations, run.detections, rooms, frame_rooms)
        for one in prepare_views(tour):
            yield one.facts


def _tell(name: str, views: Sequence[View], others: Mapping[str, tuple[Wording, ...]] | None, show: int) -> None:
    rng = np.random.default_rng(0)
    together: list[bool] = []
    kept: list[bool] = []
    torn: Counter[str] = Counter()
    for view in views:
        told: list[tuple[int, RegionFact, Parts]] = []
        for number, (fact, texts) in enumerate(_draw_facts(view, others, rng)):
            told += [(number, fact, text) for text in texts]
        count = len({number for number, _, _ in told})
        if count < 2:
            continue
        told = [told[place] for place in rng.permutation(len(told))]
        texts = [" ".join(parts) for _, _, parts in told]
        claims: list[set[ViewClaimKind]] = [{one.says for one in (*fact.claims, *fact.reasons)} for _, fact, _ in told]
        labels = find_clusters(measure_likeness(texts, claims=claims), count)
        roots = [told[place][0] for place in pick_roots(texts, count, claims=claims)]
        for a, b in combinations(range(len(told)), 2):
            if told[a][0] != told[b][0]:
                continue
            together.append(labels[a] == labels[b])
            if labels[a] != labels[b]:
                torn[told[a][1].task] += 1
                if sum(torn.values()) <= show:
                    print(f"  {texts[a]} || {texts[b]}")
        kept += [roots.count(fact) == 1 for fact in range(count)]
    print(
        f"M8 {name:5} {len(kept)} facts told {WORDINGS} times: {np.mean(together):.3f} of {len(together)} pairs in one "
        f"cluster, {np.mean(kept):.3f} of the facts keep exactly one row; torn {dict(torn.most_common(6))}",
        flush=True,
    )


def _draw_facts(
    view: View, others: Mapping[str, tuple[Wording, ...]] | None, rng: np.random.Generator
) -> Iterator[tuple[RegionFact, list[Parts]]]:
    """Different facts of a view by lot, each in its wordings."""
    names = {number: (f"[{number}]", False) for number in view.numbers}
    facts = [fact for fact in find_facts(view) if not fact.needs_words]
    known: set[object] = set()
    for place in rng.permutation(len(facts)):
        fact = facts[place]
        if len(known) == FACTS:
            return
        task = SAME.get(fact.task) or fact.task
        if find_key(fact) in known or (others is not None and task not in others):
            continue
        wordings = load_wordings()[fact.type, fact.task] if others is None else others[task]
        things = {slot: names[number] for slot, number in zip("AB", fact.numbers, strict=False)}
        texts = []
        for wording in wordings:
            try:
                texts.append(wording.fill(things, fact.words))
            except KeyError:  # the wording tells something that is not known here
                continue
        if len(texts) >= WORDINGS:
            known.add(find_key(fact))
            yield fact, texts[:WORDINGS]


if __name__ == "__main__":
    raise SystemExit(main())
