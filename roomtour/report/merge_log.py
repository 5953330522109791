"""The merge log as a table and as a small graph: which sub-models became one, and which pairs were left apart."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from markupsafe import Markup

from recon.numerals import count
from recon.records import MergeAttempt
from roomtour.drawing.pages import render
from roomtour.drawing.svg import element, number
from roomtour.drawing.text import printable

MAX_NODES = 60
COLUMN_PX, ROW_PX, NODE_WIDTH, NODE_HEIGHT = 148.0, 38.0, 104.0, 26.0


@dataclass
class _Node:
    name: str
    children: list[_Node] = field(default_factory=list)
    merged: bool = False
    depth: int = 0
    row: float = 0.0


def draw_merges(leaves: Sequence[str], attempts: Sequence[MergeAttempt]) -> Markup:
    """The graph (see `merge_graph`), if it is not too large to read, above every attempt in the order of the log."""
    nodes = len(_walk(_grow(leaves, attempts)[0]))
    graph = merge_graph(leaves, attempts) if nodes <= MAX_NODES else None
    return render("report/merges.html", graph=graph, nodes=nodes, attempts=attempts)


def merge_graph(leaves: Sequence[str], attempts: Sequence[MergeAttempt]) -> Markup:
    """Sub-models on the left, what they were merged into on the right; dashed lines join pairs that were left apart.

    Args:
        leaves: Names of the sub-models from the mapper, in the order to show; names that only the log knows follow.
            A sub-model `a` that was cut is shown as its parts `a.0`, `a.1` where the log knows them.
        attempts: The merge log in its order. A result may reuse the name of what it was made from.
    """
    roots, apart = _grow(leaves, attempts)
    nodes = _walk(roots)
    row = 0.0
    for node in nodes:
        if node.children:
            node.row = sum(child.row for child in node.children) / len(node.children)
            node.depth = 1 + max(child.depth for child in node.children)
        else:
            node.row, row = row, row + 1.0
    width = (max((node.depth for node in nodes), default=0) + 1) * COLUMN_PX
    height = max(row, 1.0) * ROW_PX + 8
    links = [_apart(a, b, attempt) for a, b, attempt in apart]
    links += [_into(child, node) for node in nodes for child in node.children]
    words = f"{count(int(row), 'sub-model')} became {count(len(roots), 'model')}; {len(apart)} pairs were left apart."
    return element(
        "svg", links, [_box(node) for node in nodes],
        class_="merge-graph", viewBox=f"0 0 {number(width)} {number(height)}",
        width=width, height=height, role="img", aria_label=words,
    )  # fmt: skip


def _grow(
    leaves: Sequence[str], attempts: Sequence[MergeAttempt]
) -> tuple[list[_Node], list[tuple[_Node, _Node, MergeAttempt]]]:
    named = {name for attempt in attempts for name in (attempt.first, attempt.second)}
    cut = {name.rpartition(".")[0] for name in named - set(leaves)}
    current: dict[str, _Node] = {name: _Node(name) for name in leaves if name not in cut}
    apart = []
    for attempt in attempts:
        first = current.setdefault(attempt.first, _Node(attempt.first))
        second = current.setdefault(attempt.second, _Node(attempt.second))
        if attempt.verdict != "accepted":
            apart.append((first, second, attempt))
            continue
        for name in (attempt.first, attempt.second):
            current.pop(name, None)
        current[attempt.result] = _Node(attempt.result, [first, second], merged=True)
    return list(current.values()), apart


def _walk(roots: Sequence[_Node]) -> list[_Node]:
    """All nodes, children before what they became."""
    out: list[_Node] = []
    for root in roots:
        out += [*_walk(root.children), root]
    return out


def _corner(node: _Node) -> tuple[float, float]:
    return node.depth * COLUMN_PX + 4, node.row * ROW_PX + 6


def _box(node: _Node) -> Markup:
    x, y = _corner(node)
    name = printable(node.name)
    short = name if len(name) <= 14 else name[:13] + "…"
    rect = element("rect", x=x, y=y, width=NODE_WIDTH, height=NODE_HEIGHT, rx=5)
    text = element("text", short, x=x + NODE_WIDTH / 2, y=y + NODE_HEIGHT / 2)
    return element("g", element("title", name), rect, text, class_="node merged" if node.merged else "node")


def _into(child: _Node, node: _Node) -> Markup:
    (x0, y0), (x1, y1) = _corner(child), _corner(node)
    x0, y0, y1 = x0 + NODE_WIDTH, y0 + NODE_HEIGHT / 2, y1 + NODE_HEIGHT / 2
    bend = (x1 - x0) / 2
    d = (
        f"M{number(x0)} {number(y0)}C{number(x0 + bend)} {number(y0)} "
        f"{number(x1 - bend)} {number(y1)} {number(x1)} {number(y1)}"
    )
    return element("path", d=d, class_="link")


def _apart(a: _Node, b: _Node, attempt: MergeAttempt) -> Markup:
    (x0, y0), (x1, y1) = _corner(a), _corner(b)
    x0, x1 = x0 + NODE_WIDTH - 12, x1 + NODE_WIDTH - 12
    top, bottom = number(y0 + NODE_HEIGHT / 2), number(y1 + NODE_HEIGHT / 2)
    bulge = number(max(x0, x1) + 34)
    d = f"M{number(x0)} {top}C{bulge} {top} {bulge} {bottom} {number(x1)} {bottom}"
    title = f"{attempt.first} + {attempt.second}: {attempt.verdict}: {attempt.reason}"
    return element("path", element("title", title), d=d, class_="link apart")
