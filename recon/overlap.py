"""The merge graph: which sub-models share enough frames to be joined."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import combinations

import networkx as nx

from recon.records import SubModel


def shared_frames(first: SubModel, second: SubModel) -> tuple[int, ...]:
    """Frames with a pose in both models, in time order."""
    return tuple(sorted(set(first.frames) & set(second.frames)))


def build_graph(sub_models: Iterable[SubModel], min_shared: int = 4) -> nx.Graph:
    """A node per sub-model (its name, with the model as `model`), an edge where two share at least `min_shared` frames.

    Args:
        sub_models: With different names.
        min_shared: 4, since the paper joins models that share more than 3 frames.

    Returns:
        Edges carry `shared`, the frames in time order. Nodes are in the order given.
    """
    graph = nx.Graph()
    for model in sub_models:
        graph.add_node(model.name, model=model)
    for first, second in combinations(graph.nodes, 2):
        shared = shared_frames(graph.nodes[first]["model"], graph.nodes[second]["model"])
        if len(shared) >= min_shared:
            graph.add_edge(first, second, shared=shared)
    return graph
