"""The merge graph: which sub-models share enough frames to be joined."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import combinations

import networkx as nx

from recon.records import SubModel


def find_shared_frames(first: SubModel, second: SubModel) -> tuple[int, ...]:
    """Frames with a pose in both models, in time order."""
    return tuple(sorted(set(first.frames) & set(second.frames)))


def build_graph(sub_models: Iterable[SubModel], min_shared: int = 4) -> nx.Graph:
    """A node per sub-model (its name), an edge where two share at least `min_shared` frames.

    The models themselves stay out: a graph lies in a reference cycle and would keep them until the garbage collector
    runs, which is seldom. Joining ten minutes of tour held every model in between, 2.3 GB.

    Args:
        sub_models: With different names.
        min_shared: 4, since the paper joins models that share more than 3 frames.

    Returns:
        Edges carry `shared`, the frames in time order. Nodes are in the order given.
    """
    models = list(sub_models)
    graph = nx.Graph()
    graph.add_nodes_from(model.name for model in models)
    for first, second in combinations(models, 2):
        shared = find_shared_frames(first, second)
        if len(shared) >= min_shared:
            graph.add_edge(first.name, second.name, shared=shared)
    return graph
