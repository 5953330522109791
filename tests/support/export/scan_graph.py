"""The rules of R2R's connectivity files, as their loaders apply them."""

from __future__ import annotations

import json
from pathlib import Path

import networkx as nx
import numpy as np


def load_graph(folder: Path, scan: str) -> nx.Graph:
    """Included ends are joined; distances are those of the poses."""
    rows = json.loads((folder / "connectivity" / f"{scan}_connectivity.json").read_text())
    graph = nx.Graph()
    for i, row in enumerate(rows):
        graph.add_node(row["image_id"], place=np.array(row["pose"]).reshape(4, 4)[:3, 3])
        for j, open_way in enumerate(row["unobstructed"]):
            if open_way and row["included"] and rows[j]["included"]:
                assert rows[j]["unobstructed"][i]
                other = np.array(rows[j]["pose"]).reshape(4, 4)[:3, 3]
                weight = float(np.linalg.norm(graph.nodes[row["image_id"]]["place"] - other))
                graph.add_edge(row["image_id"], rows[j]["image_id"], weight=weight)
    return graph
